"""Charts: what a reader sees and hears, and that nothing inline slips past the policy."""

import re
from xml.etree import ElementTree

import pytest

from core import drawing
from core.charts import Bar, Dot, bars, dot_intervals, grid, signed_bars

ROWS = [
    Dot("Central", 0.624, 0.551, 0.69, 1204, 1),
    Dot("North", 0.31, 0.24, 0.39, 98, 2),
]


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def with_class(svg: str, name: str) -> list[ElementTree.Element]:
    return [e for e in parsed(svg).iter() if name in e.get("class", "").split()]


def words(svg: str) -> list[str]:
    return ["".join(e.itertext()).strip() for e in parsed(svg).iter("text")]


def place(element: ElementTree.Element, name: str = "cx") -> float:
    return float(element.get(name, "").rstrip("%"))


def all_kinds() -> list[str]:
    marks = [Bar("A", 2.3, 1.9, 2.7, 40), Bar("B", None, reason="not measured")]
    return [
        dot_intervals(ROWS, finding="One", chance=0.25, unit="percent"),
        dot_intervals([Dot("A", 1.4, 1.1, 1.8)], finding="Two", chance=1, log=True, unit="times"),
        bars(marks, finding="Three", chance=1.0),
        signed_bars(marks, finding="Four"),
        grid(["A", "B"], ["A", "B"], [[1, None], [None, 1]], finding="Five"),
    ]


def test_every_chart_is_well_formed_and_says_its_finding() -> None:
    for svg, finding in zip(all_kinds(), ["One", "Two", "Three", "Four", "Five"], strict=True):
        root = parsed(svg)
        assert (root.get("role"), root.get("aria-label")) == ("img", finding)


def test_no_chart_carries_style_or_script() -> None:
    for svg in all_kinds():
        assert not re.search(r"style|<script|\bon\w+=|javascript:", svg)


def test_text_from_outside_is_escaped() -> None:
    svg = bars([Bar("<script>&\"'", 1, href='/?a="><b>')], finding='"><script>')
    assert "<script>" not in svg
    assert words(svg)[0] == "<script>&\"'"


def test_a_chart_with_links_is_a_group_whose_rows_can_be_followed() -> None:
    svg = dot_intervals([Dot("Central", 0.5, 0.4, 0.6, href="/runs/1/")], finding="It is so")
    assert parsed(svg).get("role") == "group"
    assert [link.get("href") for link in parsed(svg).iter("a")] == ["/runs/1/"]


def test_the_interval_is_drawn_around_the_dot_and_printed_with_n() -> None:
    svg = dot_intervals(ROWS[:1], finding="f", unit="percent", domain=(0, 1))
    dot = place(with_class(svg, "dot")[0])
    line = with_class(svg, "interval")[0]
    assert place(line, "x1") < dot < place(line, "x2")
    assert dot == pytest.approx(3 + 0.624 * 94, abs=0.01)
    assert any("62.4 % (55.1 to 69.0), n 1,204" in text for text in words(svg))


def test_an_end_outside_the_scale_has_no_cap() -> None:
    svg = dot_intervals(
        [Dot("A", 0.5, 0.0, 1.5)], finding="f", log=True, unit="times", domain=(0.25, 4)
    )
    caps = [line for line in with_class(svg, "interval") if line.get("x1") == line.get("x2")]
    assert len(caps) == 1


def test_a_missing_value_shows_its_reason_and_no_mark() -> None:
    svg = dot_intervals([Dot("South", None, reason="nothing was counted")], finding="f")
    assert "nothing was counted" in words(svg)
    assert not with_class(svg, "dot")
    assert not with_class(svg, "interval")


def test_zero_is_a_value_and_not_missing() -> None:
    svg = dot_intervals([Dot("East", 0.0, 0.0, 0.13, 25)], finding="f", unit="percent")
    assert len(with_class(svg, "dot")) == 1
    assert any("0.0 % (0.0 to 13.0), n 25" in text for text in words(svg))


def test_the_chance_line_is_dashed_named_and_stands_at_its_value() -> None:
    svg = dot_intervals(
        ROWS, finding="f", chance=0.25, chance_label="guessing", unit="percent", domain=(0, 1)
    )
    assert "guessing 25 %" in words(svg)
    assert {place(line, "x1") for line in with_class(svg, "chance")} == {26.5}


def test_bars_start_at_zero_and_the_zero_line_shows_where_values_change_sign() -> None:
    svg = bars([Bar("Up", 2.0), Bar("Down", -1.0)], finding="f")
    up, down = with_class(svg, "bar")
    zero = place(with_class(svg, "zero")[0], "x1")
    assert place(up, "x") == zero
    assert place(down, "x") + place(down, "width") == pytest.approx(zero, abs=0.02)


def test_a_log_scale_puts_half_and_double_at_equal_distance_from_one() -> None:
    rows = [Dot("A", 0.5), Dot("B", 1.0), Dot("C", 2.0)]
    half, one, double = map(
        place, with_class(dot_intervals(rows, finding="f", log=True, unit="times"), "dot")
    )
    assert one - half == pytest.approx(double - one, abs=0.02)


@pytest.mark.parametrize(
    ("value", "stars"), [(1.95, ""), (1.97, "*"), (-2.6, "**"), (3.3, "***"), (-40.0, "***")]
)
def test_residuals_carry_the_stars_of_the_threshold_they_pass(value: float, stars: str) -> None:
    svg = signed_bars([Bar("A", value)], finding="f")
    printed = "".join(with_class(svg, "value")[0].itertext())
    assert printed.count("*") == len(stars)
    assert len({line.get("x1") for line in with_class(svg, "chance")}) == 6


def test_a_grid_prints_every_number_and_hatches_what_is_missing() -> None:
    svg = grid(["A", "B"], ["A", "B"], [[1.0, None], [0.25, 0.0]], finding="f")
    cells = with_class(svg, "cell")
    assert [text for text in words(svg) if re.fullmatch(r"\d\.\d\d", text)] == [
        "1.00",
        "0.25",
        "0.00",
    ]
    assert sum(cell.get("fill", "").startswith("url(#hatch-") for cell in cells) == 1
    assert "Hatched: no figure." in words(svg)
    assert [len(with_class(svg, f"level-{level}")) for level in (0, 1, 5)] == [1, 1, 1]


def test_column_names_that_do_not_fit_become_numbers_that_are_explained() -> None:
    names = ["Narrative dominance", "Refused", "Unparsed and ambiguous"]
    shown = words(grid(["A"], names, [[0.1, 0.2, 0.3]], finding="f"))
    assert shown[:3] == ["1", "2", "3"]
    assert "3 Unparsed and ambiguous" in shown


@pytest.mark.parametrize(
    "label",
    [
        "North of the river, including the old port and all of the islands",
        "পশ্চিমবঙ্গ ও উত্তর-পূর্বাঞ্চলের সীমান্তবর্তী জেলাসমূহ",
        "उत्तर-पूर्वी क्षेत्र के सभी ज़िले और कस्बे",
        "a-model-name-without-any-space-that-is-longer-than-a-telephone-is-wide",
    ],
)
def test_a_long_label_wraps_to_a_telephone_and_keeps_every_letter(label: str) -> None:
    lines = drawing.wrap(label, drawing.NARROW)
    assert len(lines) > 1 or drawing.width(label) <= drawing.NARROW
    assert all(drawing.width(line) <= drawing.NARROW for line in lines)
    assert "".join(lines).replace(" ", "") == label.replace(" ", "")


def test_a_word_is_never_broken_inside_a_letter() -> None:
    for line in drawing.wrap("क्षেত্রকি" * 12, 60):
        assert drawing.width(line[0]) > 0


def test_rows_of_text_never_share_a_line() -> None:
    long = "উত্তর-পূর্বাঞ্চলের সীমান্তবর্তী জেলাসমূহ ও দ্বীপ"
    rows = [Dot(long, 0.4, 0.3, 0.5, 10), Dot("West", 0.2, 0.1, 0.3, 10)]
    svg = dot_intervals(rows, finding="f", unit="percent")
    heights = [float(e.get("y", "0")) for e in parsed(svg).iter("text") if e.get("class") != "tick"]
    assert len(heights) == len(set(heights))


def test_a_chart_without_rows_or_spread_is_still_drawn() -> None:
    assert parsed(dot_intervals([], finding="f")).tag == "svg"
    same = dot_intervals([Dot("A", 3.0), Dot("B", 3.0)], finding="f")
    assert len(with_class(same, "dot")) == 2
