from __future__ import annotations

from aurelius.importing.import_text import imported_note_text
from aurelius.importing.imported import ImportedNote
from indexer.reading.parse import parse


def test_the_text_of_others_has_no_ids_and_no_marks_of_a_merge() -> None:
    told = "- Joe sails ^abc123\n\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n\n---\nprivate: true\n---\n2 ^ 3, a^b"
    text = imported_note_text(ImportedNote("n", "A", told), "keep", 0, secrets=False).text
    note = parse("resources/import/keep/A.md", text.encode())
    assert "Joe sails \\^abc123\n" in text
    assert "\n\\<<<<<<< a\n" in text
    assert text.endswith("2 ^ 3, a^b\n")
    assert "abc123" not in {fact.id for fact in note.facts}
    assert not note.problems
    assert not note.private
