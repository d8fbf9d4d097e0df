"""What a person types becomes an FTS5 expression that finds it."""

from __future__ import annotations

import random
import string
import unicodedata
from collections.abc import Callable, Iterator

import apsw
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from indexer.search.query import (
    GRAMS,
    MOST_QUERY_LETTERS,
    MOST_QUERY_WORDS,
    Terms,
    asked_name,
    clean_query,
    match_expression,
    word_match,
)
from indexer.tokens.english import STOP
from indexer.tokens.terms import grams, plain_spelling, unicode_words
from tests.daily import daily

Find = Callable[..., list[int]]

CREATE = """CREATE VIRTUAL TABLE notes USING fts5(
    context, text, tags, grams, tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'")"""


class Table:
    """A table with the columns and the tokenizer of the index."""

    def __init__(self) -> None:
        self.db = apsw.Connection(":memory:")
        self.db.execute(CREATE)

    def hold(self, *texts: str) -> None:
        self.db.execute("DELETE FROM notes")
        for text in texts:
            self.db.execute("INSERT INTO notes VALUES ('', ?, '', ?)", (text, grams(text)))

    def ids(self, expression: str) -> list[int]:
        if not expression:
            return []
        sql = "SELECT rowid FROM notes WHERE notes MATCH ? ORDER BY bm25(notes, 2, 1, 1, 1)"
        return [int(str(row[0])) for row in self.db.execute(sql, (expression,))]

    def find(self, query: str, *, stop: bool = True) -> list[int]:
        return self.ids(match_expression(clean_query(query, stop=stop)))


@pytest.fixture
def table() -> Iterator[Table]:
    table = Table()
    yield table
    table.db.close()


class TestTheSixRules:
    """One test a rule, as `--mode keyword` has them."""

    def test_urls_are_stripped(self) -> None:
        terms = clean_query(
            "release notes https://example.com/a-b?c=d#e and www.example.org/x", stop=False
        )
        assert terms.words == ("release", "notes", "and")
        assert terms.notes == ("web addresses were left out",)

    def test_hyphens_become_spaces(self) -> None:
        assert clean_query("well-known long-term", stop=False).words == (
            "well",
            "known",
            "long",
            "term",
        )

    def test_other_specials_are_dropped(self) -> None:
        assert clean_query("(what?) *is* {this}; ^and $that! |or| <so>", stop=False).words == (
            "what",
            "is",
            "this",
            "and",
            "that",
            "or",
            "so",
        )

    def test_single_characters_are_dropped(self) -> None:
        assert clean_query("vitamin C is a 5 thing", stop=False).words == ("vitamin", "is", "thing")

    def test_every_word_is_quoted(self) -> None:
        assert match_expression(clean_query("near", stop=False)) == '"near"'

    def test_words_are_joined_by_or(self) -> None:
        assert (
            match_expression(clean_query("api auth AND NOT hmac", stop=False))
            == '"api" OR "auth" OR "and" OR "not" OR "hmac"'
        )


class TestRulesBend:
    """Nothing that was typed may clean away to nothing."""

    def test_a_url_alone_is_searched_for_its_words(self, table: Table) -> None:
        table.hold("bookmarked https://example.com/garden/compost-heap today", "nothing here")
        assert table.find("https://example.com/garden/compost-heap") == [1]
        assert table.find("http://other.example.net/compost") == [1]

    def test_single_characters_alone_are_the_query(self, table: Table) -> None:
        table.hold("the letter x marks it, ½ of it", "no mark")
        assert table.find("x") == table.find("½") == [1]
        assert clean_query("a", stop=True).words == ("a",)

    def test_a_character_of_a_script_without_spaces_is_a_word(self, table: Table) -> None:
        table.hold("我喜欢喝茶", "他喝咖啡")
        assert table.find("茶") == [1]
        assert sorted(table.find("喝")) == [1, 2]

    def test_stop_words_alone_are_the_query(self, table: Table) -> None:
        table.hold("to be or not to be", "something else")
        assert table.find("to be or not to be") == [1]

    def test_a_minus_word_alone_is_searched(self, table: Table) -> None:
        table.hold("a warning about ladders", "nothing")
        terms = clean_query("-ladders")
        assert terms.words == ("ladders",)
        assert terms.excluded == ()
        assert terms.notes
        assert table.find("-ladders") == [1]
        assert table.find('-"warning about"') == [1]

    @pytest.mark.parametrize(
        "text", ["", " ", "\n\t", "!!!", '"', '""', "-", "--", '-""', "?*(){}[]^~:;,.<>|&%$#@+=`'"]
    )
    def test_punctuation_alone_is_nothing(self, text: str) -> None:
        assert clean_query(text) == Terms()
        assert match_expression(clean_query(text)) == ""

    @pytest.mark.parametrize(
        "text", ["\u200d", "\ufe0f", "\U0001f3fd", "\x00\x01\x7f", "\ud800", " \ufeff "]
    )
    def test_what_cannot_be_seen_is_nothing(self, text: str, table: Table) -> None:
        table.hold("words")
        assert table.find(text) == []


class TestStopWords:
    def test_a_question_keeps_what_it_asks_about(self) -> None:
        assert clean_query("What did Joe say about the rent in Lisbon?").words == (
            "joe",
            "say",
            "rent",
            "lisbon",
        )

    def test_keyword_mode_has_no_stop_list(self) -> None:
        assert clean_query("What did Joe say", stop=False).words == ("what", "did", "joe", "say")

    def test_the_list_is_of_a_sensible_size(self) -> None:
        assert 90 <= len(STOP) <= 130
        assert all(word.isascii() and word == word.lower() for word in STOP)

    def test_not_and_no_are_words(self) -> None:
        assert clean_query("why not tea").words == ("not", "tea")
        assert clean_query("no sugar").words == ("no", "sugar")

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("what did Will say", ("will", "say")),
            ("ask IT about it", ("ask", "it")),
            ("How To Do The Laundry", ("laundry",)),
            ("WHAT IS THIS THING", ("thing",)),
            ("The garden", ("garden",)),
        ],
    )
    def test_a_name_is_not_a_stop_word(self, text: str, found: tuple[str, ...]) -> None:
        assert clean_query(text).words == found


class TestPhrasesAndExclusions:
    def test_a_phrase_alone_is_required_word_for_word(self, table: Table) -> None:
        table.hold(
            "the second brain of ants", "a brain, second to none", "second thoughts about a brain"
        )
        assert table.find('"second brain"') == [1]
        assert word_match(clean_query('"second brain"')).must == '"second brain"'

    def test_several_phrases_alone_are_all_required(self, table: Table) -> None:
        table.hold("red wine and white bread", "red wine", "white bread")
        assert table.find('"red wine" "white bread"') == [1]

    def test_a_phrase_in_a_question_ranks_and_its_words_are_searched(self, table: Table) -> None:
        table.hold(
            "brain second", "the second brain", "an app for the phone and the desk and the train"
        )
        terms = clean_query('which app is my "second brain"?')
        assert terms.words == ("app", "second", "brain")
        assert terms.phrases == ("second brain",)
        assert word_match(terms).must == ""
        assert table.find('which app is my "second brain"?')[0] == 2
        assert sorted(table.find('which app is my "second brain"?')) == [1, 2, 3]

    @pytest.mark.parametrize("text", ["“second brain”", "„second brain“", "«second brain»"])
    def test_typographic_quotes_are_quotes(self, text: str) -> None:
        assert clean_query(text).phrases == ("second brain",)

    def test_an_excluded_word_is_in_no_hit(self, table: Table) -> None:
        table.hold("green tea", "black tea", "tea")
        assert sorted(table.find("tea -black")) == [1, 3]
        assert word_match(clean_query("tea -black")).must_not == '"black"'

    def test_an_excluded_phrase_is_in_no_hit(self, table: Table) -> None:
        table.hold("tea from the garden centre", "tea in the centre of the garden")
        assert table.find('tea -"garden centre"') == [2]

    def test_exclusions_reach_scripts_without_spaces(self, table: Table) -> None:
        table.hold("我喜欢绿茶", "我喜欢红茶")
        assert table.find("喜欢 -红茶") == [1]

    def test_a_phrase_with_an_exclusion(self, table: Table) -> None:
        table.hold("green tea at noon", "green tea at night")
        assert table.find('"green tea" -night') == [1]

    @pytest.mark.parametrize(
        "text", ["--mode", "-5 degrees", "tea - coffee", "well-known", "“Model C”-schools"]
    )
    def test_not_every_minus_excludes(self, text: str) -> None:
        assert clean_query(text).excluded == ()

    def test_an_unclosed_quote_is_a_space(self) -> None:
        assert clean_query('tea "with milk').words == ("tea", "milk")

    def test_a_phrase_of_a_script_without_spaces_is_a_substring(self, table: Table) -> None:
        table.hold("黑豹队的防守很好", "防守黑豹的队")
        assert table.find('"黑豹队的防守"') == [1]
        assert sorted(table.find('"队"')) == [1, 2]


LITERALS = [
    "C++",
    "C++17",
    "C#",
    "F#",
    "g++",
    "Notepad++",
    ".NET",
    "ASP.NET",
    ".gitignore",
    "Node.js",
    "joe.bloggs@example.com",
    "first+tag@mail.example.org",
    "3.11.7",
    "v2.0.1-rc3",
    "1,000,000",
    "12:30",
    "192.168.0.1",
    "snake_case_name",
    "__init__",
    "ABC-1234",
    "k3v9qa",
    "550e8400-e29b-41d4-a716-446655440000",
    "std::vector",
    "a/b/c.md",
    "indexer/search/query.py",
    r"C:\Users\joe\notes.txt",
    "~/.config/app",
    "R&D",
    "AT&T",
    "O'Brien",
    "2026-02-01",
    "#project",
    "@handle",
    "x²",
    "naïve",
    "Größe",
    "Ελλάδα",
    "Москва",
    "İstanbul",
    "ısı",
    "Đà Nẵng",
    "हिन्दी",
    "क़लम",
    "كِتَابٌ",
    "العربية",
    "كـــتاب",
    "שָׁלוֹם",
    "ＦＵＬＬ１２３",
    "ﬁnance",
    "Donau\u00addampf",
    "cafe\u0301",
    "и\u0306од",
    "か\u3099くせい",
    "黑豹队",
    "東京タワー",
    "ﾄｳｷｮｳ",
    "한국어",
    "\u1112\u1161\u11ab",
    "ภาษาไทย",
    "ລາວ",
    "ខ្មែរ",
    "မြန်မာ",
    "བོད་སྐད",
    "ꦗꦮ",
    "ᬩᬮᬶ",
    "𠮷野家",
    "々",
    "ー",
    "🎂",
    "🇩🇪",
    "👩‍🚀",
    "☕",
    "用Python写",
    "2015年",
    "Ωmega",
    "CJK中文mixed",
    "ᲡᲐᲥ",
    "Ꭰꮃ",
]


class TestLiteralsAreFound:
    """0 empty answers where the literal text exists."""

    @pytest.mark.parametrize("stop", [True, False])
    @pytest.mark.parametrize("literal", LITERALS)
    def test_alone_in_a_sentence_and_quoted(self, literal: str, stop: bool, table: Table) -> None:
        table.hold(
            "Nothing to see in this one.", f"We met {literal} today, at last.", f"({literal})"
        )
        assert sorted(table.find(literal, stop=stop)) == [2, 3]
        assert {2, 3} <= set(table.find(f"where is {literal}?", stop=stop))
        assert sorted(table.find(f'"{literal}"', stop=stop)) == [2, 3]

    @pytest.mark.parametrize(
        ("query", "other"),
        [
            ("C++", "we learn c and c again"),
            ("C#", "in C major"),
            ("3.11.7", "7 of 11 in 3 years"),
            ("ABC-1234", "1234 times abc"),
            ("snake_case_name", "name the case of the snake"),
            ("joe@example.com", "joe wrote an example for com"),
            (".NET", "a net of fish"),
            ("a/b/draft.md", "md draft"),
        ],
    )
    def test_exact_beats_its_pieces(self, query: str, other: str, table: Table) -> None:
        table.hold(other, *["filler words about nothing"] * 5, f"here is {query} as meant")
        assert table.find(query)[0] == 7

    def test_c_sharp_is_not_c_plus_plus(self, table: Table) -> None:
        table.hold("a C# programme", "a C++ programme", "a C programme")
        assert table.find("C#") == [1]
        assert table.find("C++") == [2]
        assert table.find("C++20") == [2]

    def test_a_run_of_characters_is_no_word_of_its_own(self) -> None:
        assert match_expression(clean_query("黑豹队")) == 'grams : "黑豹" OR grams : "豹队"'
        assert match_expression(clean_query("队")) == 'grams : "队"*'

    def test_numbers_glued_to_such_a_run(self, table: Table) -> None:
        table.hold("在2015年黑豹队赢了", "在1999年输了")
        assert table.find("2015") == [1]
        assert table.find("1999年")[0] == 2


class TestOtherLanguages:
    def test_letters_keep_their_marks_and_match_without(self, table: Table) -> None:
        table.hold("Größe", "Việt Nam đẹp", "Αθήνα", "garçon")
        for query in ("größe", "GRÖßE", "große", "GRÖSSE", "grosse"):
            assert table.find(query) == [1]
        assert table.find("viet") == [2]
        assert table.find("αθηνα") == [3]
        assert table.find("ΑΘΗΝΑ") == [3]
        assert table.find("garcon") == [4]

    def test_composed_and_decomposed_are_the_same(self, table: Table) -> None:
        for word in ("Größe", "йод", "Việt", "がくせい", "한국", "क़लम"):
            for form in ("NFC", "NFD"):
                table.hold(unicodedata.normalize(form, word))
                assert table.find(unicodedata.normalize("NFC", word)) == [1]
                assert table.find(unicodedata.normalize("NFD", word)) == [1]

    def test_arabic_words_are_found_without_article_vowels_and_tatweel(self, table: Table) -> None:
        table.hold("قرأت الكِتابَ أمس", "شيء آخر")
        for query in ("كتاب", "الكتاب", "والكتاب", "كـتاب", "كِتاب"):
            assert table.find(query) == [1], query

    def test_beginnings_find_other_endings(self, table: Table) -> None:
        table.hold(
            "die schönen Bibliotheken",
            "evlerinizdeki kitapları",
            "в библиотеках города",
            "english words",
        )
        assert table.find("wo ist die Bibliothek?") == [1]
        assert table.find("hangi kitaplar?") == [2]
        assert table.find("библиотека") == [3]

    @pytest.mark.parametrize(
        "text",
        [
            "where is the naïve approach",
            "integration tests",
            "the library of Zürich",
            "Which libraries?",
        ],
    )
    def test_english_is_left_to_the_stemmer(self, text: str) -> None:
        assert clean_query(text).stems == ()

    def test_a_word_no_longer_than_a_beginning_is_searched_whole_alone(self) -> None:
        assert clean_query("wo ist die Katze").stems == ()
        assert clean_query("wo sind die Katzen").stems == ("katze",)

    def test_keyword_mode_adds_nothing(self) -> None:
        assert clean_query("wo ist die Bibliothek?", stop=False).stems == ()

    def test_capitals_without_a_lower_case_in_the_tokenizer_stay(self, table: Table) -> None:
        table.hold("ᲡᲐᲥᲐᲠᲗᲕᲔᲚᲝ")
        assert table.find("ᲡᲐᲥᲐᲠᲗᲕᲔᲚᲝ") == [1]

    def test_quotes_of_other_scripts_do_not_require(self, table: Table) -> None:
        table.hold("哪家剧院在华沙", "纪念剧院")
        assert sorted(table.find("哪家剧院是“华沙纪念剧院”的典范？")) == [1, 2]


SOUP = [
    "AND",
    "OR",
    "NOT",
    "NEAR",
    "NEAR(",
    ")",
    "(",
    '"',
    "*",
    "^",
    ":",
    "-",
    "+",
    "{",
    "}",
    ",",
    "text",
    "grams :",
    "C++",
    "'",
    ";",
    "--",
    "/*",
    "%",
    "_",
    "\\",
    "\x00",
    "\ud83d",
    "🎂",
    "黑豹",
    "ภา",
    "\u0e34",
    "\u0301",
    "\u200d",
    "\ufeff",
    "“",
    "”",
    "«",
    "rowid",
    "DROP TABLE notes",
    "a",
    "words",
    ".net",
    "x.y",
    "@",
    "#",
    "https://",
    "\n",
    "\u3000",
    "ﷺ",
    "\ufe70",
    "½",
    "\u00ad",
    "\uffa0",
    "\u3164",
    '-"',
    "1",
    "²",
    "\U000e0041",
]


class TestNothingIsASyntaxError:
    def test_soups_of_operators(self, table: Table, dice: random.Random) -> None:
        """5,000 random mixtures (as FTS5 queries, 98 % of them would fail)."""
        table.hold("some words", "黑豹队 C++ x.y")
        rng = dice
        for _ in range(5_000):
            text = rng.choice(["", " "]).join(rng.choice(SOUP) for _ in range(rng.randint(1, 9)))
            terms = clean_query(text, stop=rng.random() < 0.5)
            for expression in (
                match_expression(terms),
                word_match(terms).must,
                word_match(terms).must_not,
            ):
                table.ids(expression)

    @settings(max_examples=daily(200, 500))
    @given(st.text(max_size=60))
    def test_any_text_is_a_query_that_the_database_accepts(self, text: str) -> None:
        table = Table()
        table.hold("words")
        table.ids(match_expression(clean_query(text)))
        table.ids(match_expression(clean_query(f'"{text}"')))
        table.ids(match_expression(clean_query(f"word -{text}")))

    def test_no_quote_leaves_its_place(self, dice: random.Random) -> None:
        rng = dice
        for _ in range(5000):
            text = "".join(rng.choice(string.printable + "“”") for _ in range(rng.randint(1, 20)))
            assert match_expression(clean_query(text)).count('"') % 2 == 0

    def test_sql_stays_text(self, table: Table) -> None:
        table.hold("robert'); DROP TABLE notes; --")
        assert table.find("Robert'); DROP TABLE notes; --") == [1]
        assert table.find("drop") == [1]

    def test_null_and_surrogates_are_spaces(self) -> None:
        assert clean_query("one\x00two\ud800three").words == ("one", "two", "three")


class TestLimits:
    def test_at_most_32_words_and_it_says_so(self) -> None:
        terms = clean_query(" ".join(f"word{number}" for number in range(10_000)))
        assert terms.words == tuple(f"word{number}" for number in range(MOST_QUERY_WORDS))
        assert f"only the first {MOST_QUERY_WORDS} words were searched" in terms.notes
        assert f"only the first {MOST_QUERY_LETTERS:,} characters were searched" in terms.notes

    def test_stop_words_take_no_place(self) -> None:
        terms = clean_query(
            "the " * 100 + " ".join(f"w{number}" for number in range(MOST_QUERY_WORDS))
        )
        assert len(terms.words) == MOST_QUERY_WORDS
        assert terms.notes == ()

    def test_repeated_words_count_once(self) -> None:
        assert clean_query("tea Tea TEA " * 300).words == ("tea",)

    @pytest.mark.parametrize(
        "unit",
        [
            "a",
            " ",
            "\n",
            '"',
            "-",
            "-a ",
            ".",
            "a.",
            "a-",
            "http://",
            "黑",
            "C++",
            "@",
            "'s",
            "«",
            "\x00",
            "e\u0301",
            "=",
            "🎂",
        ],
    )
    def test_a_megabyte_of_one_thing(self, unit: str, table: Table) -> None:
        table.hold("text")
        text = unit * (1_000_000 // len(unit))
        assert len(match_expression(clean_query(text))) < 20 * MOST_QUERY_LETTERS
        table.find(text)

    def test_a_long_text_without_spaces_is_cut_and_it_says_so(self, table: Table) -> None:
        text = "".join(chr(0x4E00 + number) for number in range(300))
        table.hold(text)
        assert match_expression(clean_query(text)).count(" OR ") < GRAMS
        assert any("without spaces" in note for note in clean_query(text).notes)
        assert table.find(text) == [1]


def settled(char: str) -> bool:
    """Whether a character is as old as the tokenizer's tables, which take younger signs for letters."""
    return (
        unicodedata.ucd_3_2_0.category(char) not in {"Cn", "Cc", "Cs"}
        or 0x1F300 <= ord(char) < 0x1FB00
    )


class TestEveryWordOfATextFindsIt:
    """A query's word becomes the tokens that the text's word became."""

    @settings(max_examples=daily(160, 400))
    @given(st.text(st.characters().filter(settled), min_size=1, max_size=40))
    @example("\u00aa\ufb2a")  # a letter that composing takes apart, behind one that it must leave
    def test_quoted_or_not(self, text: str) -> None:
        table = Table()
        table.hold("unrelated", text)
        for word in unicode_words(text):
            if not plain_spelling(word) or word[0] >= "\U000f0000":
                continue  # a soft hyphen; the stand-in of an emoji
            assert 2 in table.find(word), word

    @settings(max_examples=daily(80, 200))
    @given(
        st.lists(st.sampled_from(LITERALS), min_size=1, max_size=6),
        st.sampled_from([" ", ", ", "\n", " (", "。"]),
    )
    def test_each_literal_of_a_longer_text_is_found(self, literals: list[str], glue: str) -> None:
        table = Table()
        table.hold("unrelated", glue.join(literals))
        for literal in literals:
            assert 2 in table.find(literal), literal


@pytest.mark.parametrize(
    "question",
    [
        "What is Kiln?",
        "who's Kiln",
        "Tell me more about Kiln",
        "anything about Kiln?",
        "do you know who Kiln is?",
    ],
)
def test_a_question_for_who_or_what_something_is_says_its_name(question: str) -> None:
    assert asked_name(question) == ("Kiln", False)
    assert asked_name("Kiln glaze") == ("Kiln glaze", True)
