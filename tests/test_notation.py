"""The notation reads what people write and writes one form only."""

from __future__ import annotations

import copy
import pickle
from contextlib import suppress
from itertools import combinations_with_replacement, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paohuzi_env.errors import (
    GameOverError,
    IllegalActionError,
    NotationError,
    PaohuziError,
    RecordError,
    RuleSetError,
    StateError,
)
from paohuzi_env.notation import (
    CHOICE_VERBS,
    DOOR_KINDS,
    GLYPHS,
    HIDDEN,
    LETTERS,
    MELD_KINDS,
    WILD,
    Choice,
    Meld,
    format_choice,
    format_group,
    format_meld,
    format_tiles,
    group_name,
    is_large,
    is_red,
    parse_choice,
    parse_door,
    parse_meld,
    parse_tiles,
    rank_of,
    tile_glyph,
    tile_letter,
)

KINDS = range(WILD + 1)
REAL_KINDS = range(WILD)
VARIANTS = {
    "b": "二两兩⼆\uf978",
    "a": "一⼀\uff41",
    "d": "四亖",
    "f": "六\uf9d1",
    "h": "八⼋",
    "j": "十⼗\uff4a",
    "A": "壹壱弌\uff21",
    "B": "贰貳貮弐弍",
    "C": "叁參叄参弎\uf96b",
    "D": "肆",
    "E": "伍",
    "F": "陆陸\uf9d3",
    "G": "柒漆",
    "H": "捌",
    "I": "玖",
    "J": "拾\uf973\uff2a",
    "*": "王\uff0a",
}
RUBBISH = [
    "k",
    "K",
    "z",
    "0",
    "1",
    "\u3007",
    "零",
    "?",
    "-1",
    "a,b",
    "百",
    "é",
    "\n",
    "\t",
]
NASTY = ["a\x00b", "\x00", "\ud800", "a\udfff", "\U0001f004", "a\u0301", "\u200b"]

kinds = st.integers(0, WILD)
real = st.integers(0, WILD - 1)


@st.composite
def melds(draw: st.DrawFn) -> Meld:
    """Make any meld that may lie on the table, all of it shown."""
    kind = draw(st.sampled_from(MELD_KINDS))
    if kind == "chi":
        return Meld(kind, draw(st.sampled_from(CHI_GROUPS)))
    return Meld(kind, (draw(real),) * (4 if kind in ("pao", "ti") else 3))


CHI_GROUPS = [
    tiles for tiles in combinations_with_replacement(REAL_KINDS, 3) if group_name(tiles)
]


# --- tiles -----------------------------------------------------------------------


@pytest.mark.rule("1.1", "1.3")
def test_letters_and_characters_stand_for_the_kinds_in_index_order() -> None:
    assert parse_tiles("abcdefghijABCDEFGHIJ*") == list(KINDS)
    assert parse_tiles("一二三四五六七八九十壹贰叁肆伍陆柒捌玖拾王") == list(KINDS)
    assert [tile_letter(kind) for kind in KINDS] == list(LETTERS)
    assert [tile_glyph(kind) for kind in KINDS] == list(GLYPHS)


@pytest.mark.rule("1.1")
def test_ten_ranks_in_two_sizes() -> None:
    assert [rank_of(kind) for kind in REAL_KINDS] == [*range(1, 11)] * 2
    assert [is_large(kind) for kind in REAL_KINDS] == [False] * 10 + [True] * 10


@pytest.mark.rule("1.2")
def test_ranks_2_7_and_10_of_both_sizes_are_red() -> None:
    assert "".join(tile_letter(kind) for kind in KINDS if is_red(kind)) == "bgjBGJ"


@pytest.mark.rule("1.3")
def test_the_wild_has_neither_rank_nor_size() -> None:
    with pytest.raises(NotationError, match="allowed: 0 to 19"):
        rank_of(WILD)
    with pytest.raises(NotationError, match="allowed: 0 to 19"):
        is_large(WILD)
    assert not is_red(WILD)


@pytest.mark.parametrize(
    ("letter", "variant"),
    [(key, char) for key, row in VARIANTS.items() for char in row],
)
def test_each_variant_reads_as_its_kind(letter: str, variant: str) -> None:
    assert parse_tiles(variant) == [LETTERS.index(letter)]


def test_letters_and_characters_mix_and_spaces_are_ignored() -> None:
    assert parse_tiles(" a 二\u3000三A 壹 * ") == [0, 1, 2, 10, 10, 20]
    assert parse_tiles("") == parse_tiles(" \u3000") == []


def test_tiles_keep_their_order_and_groups_are_put_in_order() -> None:
    assert format_tiles([20, 10, 0, 1]) == "*Aab"
    assert format_group([20, 10, 0, 1]) == "abA*"


@pytest.mark.parametrize("text", [*RUBBISH, *NASTY])
def test_any_other_character_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="no tile; allowed"):
        parse_tiles(text)


def test_the_message_names_the_place_the_character_and_what_is_allowed() -> None:
    with pytest.raises(NotationError) as caught:
        parse_tiles("ab 零")
    assert str(caught.value) == (
        "character 4 of tiles 'ab 零' is '零', which is no tile; "
        "allowed: a-j, A-J, * and their Chinese characters"
    )


@pytest.mark.parametrize("value", [None, 7, 1.5, b"abc", ["a"], {"a": 1}, True])
def test_what_is_no_text_is_a_notation_error_too(value: object) -> None:
    for parse in (parse_tiles, parse_meld, parse_door, parse_choice):
        with pytest.raises(NotationError, match="allowed: a text"):
            parse(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [-1, -21, 21, 2**70])
def test_a_number_that_is_no_kind_is_refused(kind: int) -> None:
    for use in (tile_letter, tile_glyph, rank_of, is_large, is_red):
        with pytest.raises(NotationError, match="allowed: 0 to"):
            use(kind)
    with pytest.raises(NotationError):
        format_tiles([0, kind])


def test_a_very_long_text_is_read_and_its_error_stays_short() -> None:
    text = "aA" * 500_000
    assert len(parse_tiles(text)) == 1_000_000
    for parse in (parse_tiles, parse_meld, parse_door, parse_choice):
        with pytest.raises(NotationError) as caught:
            parse(text + "?")
        assert len(str(caught.value)) < 250
    with pytest.raises(NotationError) as caught:
        parse_meld("peng:" + text)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("text", NASTY)
def test_an_error_message_can_always_be_printed(text: str) -> None:
    for parse in (parse_tiles, parse_meld, parse_door, parse_choice):
        with pytest.raises(NotationError) as caught:
            parse(text)
        assert "\x00" not in str(caught.value)
        str(caught.value).encode()


@given(st.lists(kinds))
def test_written_tiles_read_back(tiles: list[int]) -> None:
    assert parse_tiles(format_tiles(tiles)) == tiles
    assert parse_tiles("".join(map(tile_glyph, tiles))) == tiles


@given(st.lists(kinds).flatmap(lambda ks: st.tuples(st.just(ks), st.permutations(ks))))
def test_a_group_is_written_alike_whatever_its_order(
    pair: tuple[list[int], list[int]],
) -> None:
    assert format_group(pair[0]) == format_group(pair[1])
    assert parse_tiles(format_group(pair[0])) == sorted(pair[0])


@given(st.text() | st.text(alphabet=LETTERS + GLYPHS + ": ?\u3000pass chi peng"))
def test_rubbish_raises_notation_error_and_nothing_else(text: str) -> None:
    for parse in (parse_tiles, parse_meld, parse_door, parse_choice):
        with suppress(NotationError):
            parse(text)


@given(st.text())
def test_what_is_read_is_read_from_its_own_written_form(text: str) -> None:
    try:
        tiles = parse_tiles(text)
    except NotationError:
        return
    assert parse_tiles(format_tiles(tiles)) == tiles


# --- groups and melds ------------------------------------------------------------


@pytest.mark.rule("3.1")
def test_every_three_in_a_row_and_2_7_10_of_one_size_is_a_ju() -> None:
    assert [
        format_group(group) for group in CHI_GROUPS if group_name(group) == "ju"
    ] == [
        *("abc", "bcd", "bgj", "cde", "def", "efg", "fgh", "ghi", "hij"),
        *("ABC", "BCD", "BGJ", "CDE", "DEF", "EFG", "FGH", "GHI", "HIJ"),
    ]


@pytest.mark.rule("3.1")
def test_two_of_one_size_and_one_of_the_other_of_a_rank_is_a_jiao() -> None:
    jiao = [format_group(group) for group in CHI_GROUPS if group_name(group) == "jiao"]
    assert sorted(jiao) == sorted(
        text
        for small in "abcdefghij"
        for text in (small * 2 + small.upper(), small + small.upper() * 2)
    )


@pytest.mark.parametrize(
    "text", ["", "ab", "aaa", "abC", "ijA", "abd", "aaB", "ab*", "aa*", "abcd", "iJA"]
)
def test_anything_else_is_no_group(text: str) -> None:
    assert group_name(parse_tiles(text)) is None


@pytest.mark.parametrize(
    ("text", "kind", "tiles"),
    [
        ("peng:ccc", "peng", (2, 2, 2)),
        ("wei:JJJ", "wei", (19, 19, 19)),
        ("chouwei:aaa", "chouwei", (0, 0, 0)),
        ("pao:EEEE", "pao", (14, 14, 14, 14)),
        ("ti:aaaa", "ti", (0, 0, 0, 0)),
        ("chi:bgj", "chi", (1, 6, 9)),
        ("chi:aAA", "chi", (0, 10, 10)),
    ],
)
def test_a_meld_reads_and_writes(text: str, kind: str, tiles: tuple[int, ...]) -> None:
    meld = parse_meld(text)
    assert (meld.kind, meld.tiles) == (kind, tiles)
    assert format_meld(meld) == text


def test_a_meld_is_read_in_any_form_and_written_in_one() -> None:
    for text in ("chi:AaA", "chi:壹一壹", " chi : A 壹\u3000一 "):
        assert format_meld(parse_meld(text)) == "chi:aAA"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            ":",
            "peng",
            "peng:",
            ":ccc",
            "kan:ccc",
            "ju:abc",
            "Peng:ccc",
            "peng ccc",
        ),
        *("peng:cc", "peng:cccc", "peng:ccC", "peng:abc", "wei:cccc", "chouwei:cc"),
        *("pao:ccc", "pao:cccC", "ti:ccc", "ti:ccccc", "chi:ccc", "chi:abd", "chi:abC"),
        *("chi:ab", "chi:abcd", "chi:ijA", "peng:cc*", "ti:ccc*", "wei:c**", "chi:ab*"),
        *("peng:ccc:", "peng:ccc peng:ddd", "peng:???", "ti:????", "wei:cc?", "wei:??"),
        "peng\x00:ccc",
    ],
)
def test_a_text_that_is_no_meld_is_refused(text: str) -> None:
    for hidden in (False, True):
        with pytest.raises(NotationError):
            parse_meld(text, hidden=hidden)


@pytest.mark.rule("3.4")
def test_a_hidden_wei_is_read_in_a_view_only() -> None:
    meld = parse_meld("wei:???", hidden=True)
    assert meld.is_hidden
    assert meld.tiles == (HIDDEN,) * 3
    assert format_meld(meld) == "wei:???"
    with pytest.raises(NotationError, match="never hides"):
        parse_meld("wei:???")
    with pytest.raises(NotationError):
        parse_door("wei:???")
    for kind in ("chouwei", "peng", "chi"):
        with pytest.raises(NotationError):
            Meld(kind, (HIDDEN,) * 3)


@given(melds())
def test_written_melds_read_back(meld: Meld) -> None:
    assert parse_meld(format_meld(meld)) == meld
    assert parse_door(format_meld(meld)) == meld
    assert pickle.loads(pickle.dumps(meld)) == copy.deepcopy(meld) == meld


@given(melds())
def test_the_order_of_a_melds_tiles_never_matters(meld: Meld) -> None:
    for tiles in permutations(meld.tiles):
        same = Meld(meld.kind, tiles)
        assert (same, hash(same)) == (meld, hash(meld))
        assert parse_meld(f"{meld.kind}:{format_tiles(tiles)}") == meld


@given(st.sampled_from(DOOR_KINDS), st.lists(kinds, max_size=5))
def test_any_tiles_make_a_door_that_reads_back_or_a_notation_error(
    kind: str, tiles: list[int]
) -> None:
    try:
        door = Meld(kind, tuple(tiles))
    except NotationError:
        return
    assert parse_door(format_meld(door)) == door


@pytest.mark.parametrize(
    "text",
    [
        *("kan:CCC", "ju:abc", "jiao:aaA", "jiang:ii", "chi:bgj", "chouwei:aaa"),
        *("ju:gj*", "ju:J**", "jiao:jJ*", "jiao:jj*", "jiao:j**"),
        *("jiang:b*", "jiang:**", "wei:jj*", "wei:A**", "ti:ggg*", "ti:gg**"),
    ],
)
def test_a_door_of_a_won_hand_reads_and_writes(text: str) -> None:
    assert format_meld(parse_door(text)) == text


@pytest.mark.rule("10.5")
@pytest.mark.parametrize(
    "text",
    [
        *("kan:CC*", "peng:CC*", "chouwei:CC*", "pao:CCC*", "chi:ab*", "ju:***"),
        *("wei:***", "ti:****", "jiao:***", "ju:ad*", "ju:aa*", "jiao:aB*", "jiang:ab"),
        *("wei:ab*", "jiang:***", "jiang:a", "ju:ab", "ju:aaA", "jiao:abc"),
    ],
)
def test_a_wild_fills_only_what_it_can(text: str) -> None:
    with pytest.raises(NotationError):
        parse_door(text)


# --- choices ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        *("discard a", "discard J", "hu e", "hu *", "pass hu", "pass peng", "pass chi"),
        *("pass pao", "peng aaa", "pao aaaa", "chi abc", "chi aAA", "bi bBB", "bi bgj"),
    ],
)
def test_a_choice_reads_and_writes(text: str) -> None:
    assert format_choice(parse_choice(text)) == text


def test_a_choice_is_read_in_any_form_and_written_in_one() -> None:
    for text in ("bi BbB", "bi 贰二贰", "\u3000bi  B b\u3000B "):
        assert format_choice(parse_choice(text)) == "bi bBB"
    assert format_choice(parse_choice(" pass\u3000 chi ")) == "pass chi"


def test_choices_sort_by_code_point_as_records_list_them() -> None:
    texts = ["pass chi", "discard a", "discard A", "chi aAA", "chi abc", "chi ABC"]
    choices = sorted(map(parse_choice, texts), key=format_choice)
    assert [format_choice(choice) for choice in choices] == [
        *("chi ABC", "chi aAA", "chi abc", "discard A", "discard a", "pass chi")
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("", "pass", "pass wei", "pass hu a", "hu", "hu ab", "discard", "discard aa"),
        *("discard *", "peng aa", "peng aab", "peng aa*", "pao aaa", "pao aaa*"),
        *("chi aaa", "chi abd", "chi ab*", "chi", "bi ccc", "wei aaa", "ti aaaa"),
        *("0 discard a", "DISCARD a", "discarda", "nodiscard", "draw a", "hu a\x00"),
    ],
)
def test_a_text_that_is_no_choice_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        parse_choice(text)


@given(st.sampled_from(CHOICE_VERBS), st.lists(kinds, max_size=4))
def test_any_tiles_make_a_choice_that_reads_back_or_a_notation_error(
    verb: str, tiles: list[int]
) -> None:
    try:
        choice = Choice(verb, tuple(tiles))
    except NotationError:
        return
    assert parse_choice(format_choice(choice)) == choice
    assert {Choice(verb, order) for order in permutations(tiles)} == {choice}


# --- errors ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (NotationError, ValueError),
        (RuleSetError, ValueError),
        (IllegalActionError, ValueError),
        (GameOverError, RuntimeError),
        (RecordError, ValueError),
        (StateError, ValueError),
    ],
)
def test_each_error_is_the_packages_and_a_builtin(
    error: type[PaohuziError], builtin: type[Exception]
) -> None:
    assert issubclass(error, PaohuziError)
    assert issubclass(error, builtin)
    assert str(error("reason")) == "reason"


@pytest.mark.parametrize(
    ("file", "line", "event", "message"),
    [
        ("a.phz.jsonl", 3, 7, "a.phz.jsonl:3: event 7: reason"),
        ("a.phz.jsonl", 3, None, "a.phz.jsonl:3: reason"),
        ("a.phz.jsonl", None, None, "a.phz.jsonl: reason"),
        (None, 3, 0, "line 3: event 0: reason"),
        (None, None, 0, "event 0: reason"),
    ],
)
def test_a_record_error_says_where(
    file: str | None, line: int | None, event: int | None, message: str
) -> None:
    error = RecordError("reason", file=file, line=line, event=event)
    assert str(error) == message
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (twin.reason, twin.file, twin.line, twin.event) == (
            *("reason", file, line, event),
        )
        assert str(twin) == message
