"""What is on the disk: paths, stat keys, bytes."""
