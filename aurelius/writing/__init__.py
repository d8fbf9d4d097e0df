"""Every change of a vault file: checked, whole, undoable."""
