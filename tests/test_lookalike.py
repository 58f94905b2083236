"""What passes for the same text, and what does not."""

import subprocess
import sys
import unicodedata
from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contractlab import lookalike_data
from contractlab.lookalike import (
    _LOOKS,
    _READS,
    _ascii_fold,
    _coarse,
    _table_fold,
    _tables,
    fold_input,
    has_control,
    is_invisible_only,
    lookalikes,
    skeleton,
    skeletons,
)

TABLE_CHARACTERS = [
    entry[0]
    for lines in (
        lookalike_data.CANONICAL,
        lookalike_data.COMPATIBLE,
        lookalike_data.CASE,
        lookalike_data.CONFUSABLES,
    )
    for entry in lines.split("\n")
]

texts = st.text(
    st.characters(exclude_categories=["Cs"])
    | st.sampled_from(TABLE_CHARACTERS)
    | st.sampled_from("aiIlL1|mMrn0Oo-\"'`% \t\n\u200d\u00ad\u0301\u0345\u0327가ᄀ"),
    max_size=12,
)
ascii_texts = st.text(st.characters(max_codepoint=127), max_size=20)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("case-1", "case-l", id="one and l"),
        pytest.param("case-1", "case-I", id="one and capital I"),
        pytest.param("a|b", "alb", id="bar and l"),
        pytest.param("refund_I", "refund_l", id="capital I and l"),
        pytest.param("v1.0", "v1.o", id="zero and o"),
        pytest.param("V1.0", "v1.O", id="zero and o in either case"),
        pytest.param("modem", "modern", id="m and rn"),
        pytest.param("ID", "id", id="case"),
        pytest.param("Straße", "STRASSE", id="case of a sharp s"),
        pytest.param("ΣΊΣΥΦΟΣ", "σίσυφος", id="case of a final sigma"),
        pytest.param("новый", "НОВЫЙ", id="case of Cyrillic"),
        pytest.param("a b", "a  b", id="white space runs"),
        pytest.param("a b", " a\tb\n", id="white space at the ends"),
        pytest.param("a b", "a\u3000\u2800b", id="ideographic and braille space"),
        pytest.param("case-1", "case\u20111", id="no-break hyphen"),
        pytest.param("case-1", "case\u22121", id="minus sign"),
        pytest.param("case-1", "case\u20141", id="em dash"),
        pytest.param("case-1", "case\u06d41", id="Arabic full stop, a look-alike hyphen"),
        pytest.param("get_user", "get-user", id="underscore and hyphen"),
        pytest.param("refund late", "refund-late", id="space and hyphen"),
        pytest.param("refund late", "Refund\u2011Late", id="space, and hyphen in another case"),
        pytest.param("refund", "re\u00adfund", id="soft hyphen"),
        pytest.param("refund", "re\u200bfund\ufeff", id="zero width space, byte order mark"),
        pytest.param("refund", "refund\u3164", id="Hangul filler"),
        pytest.param("refund", "refund\U000e0041\ufe0f", id="tag and variation selector"),
        pytest.param("refund", "re\u034ffund", id="combining grapheme joiner"),
        pytest.param("refund", "re\x00fund", id="control"),
        pytest.param("ｒefund", "refund", id="full width"),
        pytest.param("ﬁle", "file", id="ligature"),
        pytest.param("ſend", "fend", id="long s, as it looks"),
        pytest.param("ſend", "send", id="long s, as it reads"),
        pytest.param("аpple", "apple", id="Cyrillic a"),
        pytest.param("Аpple", "apple", id="Cyrillic capital a and Latin small a"),
        pytest.param("НELLO", "HELLO", id="Cyrillic capital en"),
        pytest.param("e\u0301t\u00e9", "\u00e9te\u0301", id="composed and decomposed"),
        pytest.param("각", "\u1100\u1161\u11a8", id="Hangul syllable and its letters"),
        pytest.param('say "no"', "say “no”", id="quotes"),
        pytest.param("100%", "100٪", id="per cent signs"),
    ],
)
def test_these_are_alike(first: str, second: str) -> None:
    assert lookalikes([first, second]) == [(first, second)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("term", "tern"),
        ("a_1", "a_i"),
        ("XI", "XL"),
        ("size-L", "size-1"),
        ("size-L", "size-I"),
        ("M-1", "RN-1"),
        ("i", "l"),
        ("v1.0", "v10"),
        ("a-b", "ab"),
        ("a b", "ab"),
        ("case-10", "case-01"),
        ("5", "S"),
        ("B", "8"),
        ("u", "v"),
        ("vv", "w"),
        ("cl", "d"),
        ("c", "e"),
        ("résumé", "resume"),
        ("CASE-1", "case-l"),
        ("一", "-"),
        ("👍🏽", "👍"),
    ],
)
def test_these_are_not_alike(first: str, second: str) -> None:
    assert lookalikes([first, second]) == []


def test_a_later_id_is_paired_once_with_the_first_seen_and_repeats_are_not() -> None:
    ids = ["case-1", "x", "case-l", "case-1", "CASE-L", "case-I", "Case-1", "case-I"]
    assert lookalikes(iter(ids)) == [
        ("case-1", "case-l"),
        ("case-l", "CASE-L"),
        ("case-1", "case-I"),
        ("case-1", "Case-1"),
    ]


def test_the_empty_id_is_alike_to_an_invisible_one_only() -> None:
    assert lookalikes(["", "a", "\u200b"]) == [("", "\u200b")]
    assert lookalikes([]) == []


@given(st.lists(st.text("aAiIlL1mrnRN0oO|\"'`% -\n\u0430\u0406\u200b", max_size=4), max_size=8))
def test_pairs_are_those_of_comparing_every_id_with_every_other(ids: list[str]) -> None:
    distinct = list(dict.fromkeys(ids))
    expected: dict[str, str] = {}
    for first, second in combinations(distinct, 2):
        if any(a == b for a, b in zip(skeletons(first), skeletons(second), strict=True)):
            expected.setdefault(second, first)
    assert sorted(lookalikes(ids)) == sorted((one, other) for other, one in expected.items())


@given(texts)
@example("\u1fb3\uff9e")
@example("\u03b1\u0345\u0301")
@example('"%')
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold_input(fold_input(text)) == fold_input(text)
    assert skeleton(skeleton(text)) == skeleton(text)


def test_every_character_of_the_tables_comes_to_rest() -> None:
    for char in TABLE_CHARACTERS:
        assert fold_input(fold_input(char)) == fold_input(char)
        assert skeleton(skeleton(char)) == skeleton(char)


def known(text: str) -> bool:
    """Whether this Python's Unicode is old enough to agree with the table on these characters."""
    return all(unicodedata.category(char) != "Cn" for char in text)


@given(texts.filter(known))
@example("\u1fb3\uff9e")
def test_compatible_texts_read_alike(text: str) -> None:
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert fold_input(unicodedata.normalize(form, text)) == fold_input(text)


@given(texts.filter(known))
@example("\u03b1\u0345\u0301")
def test_canonically_equivalent_texts_look_alike(text: str) -> None:
    for form in ("NFC", "NFD"):
        assert skeleton(unicodedata.normalize(form, text)) == skeleton(text)


@given(texts.filter(known))
def test_texts_that_differ_in_case_read_alike(text: str) -> None:
    text = unicodedata.normalize("NFD", text)  # as toNFKC_Casefold asks, because of U+0345
    assert fold_input(text.casefold()) == fold_input(text)


@given(ascii_texts)
def test_ascii_folds_the_same_with_and_without_the_table(text: str) -> None:
    tables = _tables()
    assert _ascii_fold(text, _READS) == _table_fold(text, tables.compatible, tables.reads, tables)
    looks = _table_fold(text, tables.canonical, tables.looks, tables)
    assert _ascii_fold(text, _LOOKS).replace("m", "rn") == looks


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20))
def test_the_coarse_class_joins_whatever_either_folding_joins(text: str) -> None:
    assert _coarse([text]) == _coarse([fold_input(text)]) == _coarse([skeleton(text)])


def test_ascii_needs_neither_the_table_nor_unicodedata() -> None:
    program = (
        "import sys; from contractlab.lookalike import *; lookalikes(['a', 'A']); fold_input('a');"
        "has_control('a'); is_invisible_only('a');"
        "sys.exit('contractlab.lookalike_data' in sys.modules or 'unicodedata' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    "text",
    ["", " ", "\t\n", "\x00\x1f\x7f", "\u200b", "\u2800", "\u3164\u00a0", "\u0301", "\U000e0041"],
    ids=ascii,
)
def test_nothing_of_this_is_visible(text: str) -> None:
    assert is_invisible_only(text)


@pytest.mark.parametrize(
    "text",
    ["a", "-", "\x00a", "e\u0301", "👩\u200d💻", "می\u200cخواهم", "\ue000", "\ud800", "\u0600"],
    ids=ascii,
)
def test_something_of_this_is_visible(text: str) -> None:
    assert not is_invisible_only(text)


@pytest.mark.parametrize("code", [0, 9, 10, 0x1B, 0x7F, 0x85, 0x9B, 0x2028, 0x2029, 0xD800, 0xDFFF])
def test_controls_separators_and_surrogates_are_controls(code: int) -> None:
    assert has_control(f"a{chr(code)}b")
    assert has_control(f"é{chr(code)}b")


@pytest.mark.parametrize("code", [*range(0x202A, 0x202F), *range(0x2066, 0x206A)], ids=hex)
def test_characters_that_reorder_text_on_screen_are_controls(code: int) -> None:
    assert has_control(f"a{chr(code)}b")


@pytest.mark.parametrize(
    "text", ["", "a b~", "é", "👩\u200d💻", "می\u200cخواهم", "א\u200fב", "\u3000"], ids=ascii
)
def test_visible_text_with_joiners_and_marks_has_no_control(text: str) -> None:
    assert not has_control(text)


def test_the_table_says_which_unicode_it_is_and_carries_its_notice() -> None:
    assert lookalike_data.UNICODE_VERSION == "17.0.0"
    assert len(lookalike_data.CONFUSABLES.split("\n")) == 6565
