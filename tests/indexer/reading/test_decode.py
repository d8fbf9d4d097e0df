"""Bytes → lines: encodings, line ends, limits."""

from __future__ import annotations

import random

import pytest

from indexer.reading.decode import TEXT_LIMIT, decode, split_lines


def codes(data: bytes) -> list[tuple[int, str]]:
    return [(problem.line, problem.code) for problem in decode(data).problems]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ()),
        ("a", ("a",)),
        ("a\n", ("a",)),
        ("\n", ("",)),
        ("a\n\nb", ("a", "", "b")),
        ("a\r\nb\rc\n", ("a", "b", "c")),
        ("a\r\r\nb", ("a", "", "b")),
        ("a\u2028b\x0bc\x0cd\x85e\u2029f\x1cg", ("a\u2028b\x0bc\x0cd\x85e\u2029f\x1cg",)),
    ],
)
def test_lines_end_where_markdown_says(text: str, lines: tuple[str, ...]) -> None:
    assert split_lines(text) == lines
    assert decode(text.encode()).lines == lines


def test_bom_is_no_text() -> None:
    assert decode(b"\xef\xbb\xbf# A\r\nb") == (("# A", "b"), ())


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_with_bom(codec: str) -> None:
    bom = b"\xff\xfe" if codec.endswith("le") else b"\xfe\xff"
    assert decode(bom + "Grüße\r\n東京".encode(codec)) == (("Grüße", "東京"), ())


def test_a_byte_that_is_not_utf8_is_read_as_windows_1252_and_told() -> None:
    read = decode("eins\nzwei\ncafé “x”\n".encode("cp1252"))
    assert read.lines == ("eins", "zwei", "café “x”")
    assert [(p.line, p.code) for p in read.problems] == [(3, "encoding")]
    assert "line 3" in read.problems[0].message
    assert "0xe9" in read.problems[0].message


def test_one_bad_byte_spoils_no_other_character() -> None:
    assert decode("東京 ".encode() + b"\xe9 caf\xc3\xa9").lines == ("東京 é café",)


def test_lone_surrogates_become_text_that_encodes() -> None:
    text = decode(b"a\xed\xa0\x80b").lines[0]
    assert text.encode("utf-8").decode() == text


def test_nul_becomes_a_space_with_its_line() -> None:
    assert decode(b"one\ntw\x00o\n") == (("one", "tw o"), decode(b"one\ntw\x00o\n").problems)
    assert codes(b"one\r\ntw\x00o\n") == [(2, "nul")]


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00\xff",
        b"%PDF-1.7\n\xff\xfe\x00",
        b"PK\x03\x04\xff",
        bytes(range(256)) * 20,
        random.Random(7).randbytes(5000),
        b"\x00" * 500,
    ],
)
def test_a_binary_file_has_no_lines(data: bytes) -> None:
    assert decode(data).lines == ()
    assert codes(data) == [(1, "binary")]


def test_utf_32_is_not_taken_for_utf_16() -> None:
    found = decode("hello\nworld\n".encode("utf-32"))
    assert (found.lines, [problem.code for problem in found.problems]) == ((), ["binary"])


def test_latin1_prose_with_many_accents_is_text() -> None:
    assert codes("àéîõü ".encode("latin-1") * 500) == [(1, "encoding")]


def test_only_two_mebibytes_are_read_to_the_end_of_a_line() -> None:
    line = b"x" * 99 + b"\n"
    read = decode(line * 30_000)
    assert len(read.lines) == TEXT_LIMIT // 100
    assert set(read.lines) == {"x" * 99}
    assert [(p.line, p.code) for p in read.problems] == [(len(read.lines), "size")]


def test_one_huge_line_is_cut_between_characters() -> None:
    read = decode(b"a" + "é".encode() * TEXT_LIMIT)
    assert [p.code for p in read.problems] == ["size"]
    assert set(read.lines[0]) == {"a", "é"}


def test_huge_utf16_is_cut_between_characters() -> None:
    read = decode(b"\xff\xfe" + "ab\n".encode("utf-16-le") * TEXT_LIMIT)
    assert set(read.lines) == {"ab"}
    assert [p.code for p in read.problems] == ["size"]


def test_two_mebibytes_are_read_and_a_byte_more_is_told() -> None:
    assert decode(b"x" * (2 << 20)).problems == ()
    assert codes(b"x" * ((2 << 20) + 1)) == [(1, "size")]
