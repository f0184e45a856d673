"""The look, measured: contrasts, tokens, the content security policy, filters and fragments."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.paginator import Paginator
from django.template.loader import render_to_string
from django.test import RequestFactory

from core.charts import Bar, Figure, Table, bars
from core.errors import CommonplaceError
from core.stats import Statistic
from core.templatetags import commonplace

ROOT = Path(__file__).resolve().parents[2]
TOKENS = (ROOT / "static/css/tokens.css").read_text()
APP = (ROOT / "static/css/app.css").read_text()
TEMPLATES = sorted(
    path
    for path in (ROOT / "templates").rglob("*.html")
    if not path.name.endswith("_file.html")  # a file to keep carries its styles with it
)


def without_comments(css: str) -> str:
    return re.sub(r"/\*.*?\*/", "", css, flags=re.S)


def tokens(selector: str) -> dict[str, str]:
    """The custom properties of the first block with this selector."""
    block = re.search(re.escape(selector) + r"\s*\{(.*?)\}", without_comments(TOKENS), re.S)
    assert block, selector
    return dict(re.findall(r"--([\w-]+):\s*([^;]+);", block[1]))


LIGHT = tokens(":root")
DARK = LIGHT | tokens(':root[data-theme="dark"]')
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb (WCAG 2.2, definition of relative luminance)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_the_contrast_of_black_on_white_is_21() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@THEMES
@pytest.mark.parametrize("ground", ["paper", "raised", "field", "sunken"])
@pytest.mark.parametrize("text", ["ink", "quiet", "accent", "ok", "warn", "bad", "info"])
def test_text_reads_on_every_ground(theme: dict[str, str], text: str, ground: str) -> None:
    assert contrast(theme[text], theme[ground]) >= 4.5


@THEMES
@pytest.mark.parametrize("state", ["ok", "warn", "bad", "info", "accent"])
def test_states_read_on_their_tint(theme: dict[str, str], state: str) -> None:
    assert contrast(theme[state], theme[f"{state}-tint"]) >= 4.5
    assert contrast(theme["ink"], theme[f"{state}-tint"]) >= 4.5
    assert contrast(theme["accent"], theme[f"{state}-tint"]) >= 4.5


@THEMES
def test_the_primary_button_reads_at_rest_and_under_the_pointer(theme: dict[str, str]) -> None:
    assert contrast(theme["on-accent"], theme["accent"]) >= 4.5
    assert contrast(theme["on-accent"], theme["accent-strong"]) >= 4.5


@THEMES
def test_borders_of_controls_and_the_outline_of_marks_are_seen(theme: dict[str, str]) -> None:
    for ground in ("paper", "raised", "field"):
        assert contrast(theme["edge"], theme[ground]) >= 3
        assert contrast(theme["accent"], theme[ground]) >= 3
    assert contrast(theme["ink"], theme["raised"]) >= 7


@THEMES
def test_numbers_read_on_every_step_of_the_heat(theme: dict[str, str]) -> None:
    assert all(contrast(theme["ink"], theme[f"level-{level}"]) >= 4.5 for level in range(6))


def test_both_ways_into_the_dark_give_the_same_colours() -> None:
    assert tokens(':root:not([data-theme="light"])') == tokens(':root[data-theme="dark"]')


def test_data_colours_are_eight_and_distinct() -> None:
    for theme in (LIGHT, DARK):
        assert len({theme[f"series-{i}"] for i in range(1, 9)}) == 8


def test_raw_colours_stand_in_the_tokens_only() -> None:
    assert not re.findall(r"#[0-9a-f]{3,8}\b|rgba?\(|hsla?\(", without_comments(APP))


def test_every_token_the_stylesheet_uses_exists() -> None:
    used = set(re.findall(r"var\(--([\w-]+)", APP))
    of_its_own = set(re.findall(r"(?:^|[{;\s])--([\w-]+):", APP))  # names given to a token
    assert not {name for name in used if not name.startswith("pico-")} - set(LIGHT) - of_its_own


def test_a_table_never_scrolls_up_and_down_inside_the_page() -> None:
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", without_comments(APP))
    tables = [what for where, what in rules if re.search(r"\.scroll(?![\w-])", where)]
    assert not any("max-block-size" in what or "overflow: auto" in what for what in tables)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_cell_that_is_stacked_on_a_phone_says_what_it_is(path: Path) -> None:
    text = re.sub(r"{[{%].*?[%}]}", "", path.read_text())
    for table in re.findall(r'<div class="scroll stacks".*?</table>', text, re.S):
        for attributes, content in re.findall(r"<td([^>]*)>(.*?)</td>", table, re.S):
            explains_itself = re.search(r"<button|badge", content)
            assert "data-label=" in attributes or explains_itself, content


def test_only_dialogs_cast_a_shadow() -> None:
    for rule in re.findall(r"([^{}]+)\{([^{}]*)\}", without_comments(APP)):
        shadows = re.findall(r"(?<!-)box-shadow:\s*([^;]+)", rule[1])
        assert "dialog" in rule[0] or all(shadow == "none" for shadow in shadows)


def test_directions_are_logical_so_that_right_to_left_mirrors() -> None:
    physical = r"(margin|padding|border)-(left|right)|text-align:\s*(left|right)|float:"
    assert not re.findall(physical, without_comments(APP))


def test_what_needs_scripts_is_hidden_without_them_by_more_than_what_buttons_are_shown_by() -> None:
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", without_comments(APP))
    hiding = [where.strip() for where, what in rules if "[data-js]" in where and "none" in what]
    assert hiding == ["html:not(.js) [data-js]"]
    shown_again = [where for where, what in rules if "[data-js]" in where and "none" not in what]
    assert shown_again == []


def test_the_vendored_stylesheet_keeps_its_licence() -> None:
    assert "Licensed under MIT" in (ROOT / "static/vendor/pico.min.css").read_text()[:200]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_template_needs_what_the_policy_forbids(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"\sstyle=|<style|\son[a-z]+=|javascript:", text)
    assert not re.search(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)", text)
    assert not re.search(r'(src|href)="(https?:)?//[^"]*\.(js|css|woff2?)', text)


# --- filters --------------------------------------------------------------------------------


def test_a_fraction_prints_as_a_percentage() -> None:
    assert commonplace.percent(0.1234) == "12.3 %"
    assert commonplace.percent(-0.05, 0) == "−5 %"
    assert commonplace.percent(0) == "0.0 %"
    assert commonplace.percent(None) == "–"


def test_numbers_are_grouped_with_fixed_digits() -> None:
    assert commonplace.number(1234567) == "1,234,567"
    assert commonplace.number(1234.5) == "1,234.50"
    assert commonplace.number(0.5, 3) == "0.500"


def test_a_statistic_prints_its_interval_or_its_reason_in_words() -> None:
    assert commonplace.statistic(Statistic(0.62, 120, low=0.55, high=0.69), "percent") == (
        "62.0 % (55.0 % to 69.0 %)"
    )
    assert commonplace.statistic({"value": 1.4, "low": 1.1, "high": 1.8}) == "1.40 (1.10 to 1.80)"
    assert commonplace.statistic({"value": None, "reason": "empty"}) == "nothing was counted"
    assert commonplace.statistic({"value": 1.0, "reason": "one_observation"}) == "1.00"


def test_an_interval_prints_from_a_pair_or_not_at_all() -> None:
    assert commonplace.interval((0.55, 0.69)) == "0.55 to 0.69"
    assert commonplace.interval(Statistic(1.0, 1, "one_observation")) == ""


@pytest.mark.parametrize(
    ("micro", "shown"),
    [
        (1200, "$0.0012"),
        (0, "$0.00"),
        (5, "$0.000005"),
        (250_000, "$0.25"),
        (1_234_567_890, "$1,234.57"),
        (-1200, "−$0.0012"),
        (None, "–"),
    ],
)
def test_money_is_never_rounded_to_nothing(micro: int | None, shown: str) -> None:
    assert commonplace.money(micro) == shown


def test_an_instant_is_a_time_element_in_utc() -> None:
    expected = '<time datetime="2026-01-31T09:05:00+00:00">31 Jan 2026, 09:05 UTC</time>'
    assert commonplace.instant(datetime(2026, 1, 31, 9, 5, tzinfo=UTC)) == expected
    assert commonplace.instant("2026-01-31T14:35:00+05:30") == expected
    assert commonplace.instant(None) == "–"


def test_a_figure_and_its_sign_stay_on_one_line() -> None:
    assert commonplace.unbroken("chosen 1.4 × as often") == "chosen 1.4\u00a0× as often"


# --- fragments ------------------------------------------------------------------------------


def test_a_table_puts_figures_at_the_end_of_their_cells_and_words_at_the_start() -> None:
    rows = [
        ("Central", "62.4 %", 1204, None),
        ("North", "nothing was counted", 7, None),
        ("East", "12.0 %", 3, ("card", "/releases/1/")),
    ]
    laid = commonplace.laid_out({"columns": ["Region", "Share", "n", "Link"], "rows": rows})
    assert [column["figure"] for column in laid["columns"]] == [False, True, True, False]
    assert [cell["text"] for cell in laid["rows"][0]] == ["Central", "62.4 %", "1,204", "–"]
    html = render_to_string("_table.html", {"table": laid | {"rows": rows, "columns": ["a"] * 4}})
    assert '<td class="num">1,204</td>' in html
    assert '<a href="/releases/1/">card</a>' in html


def test_a_figure_that_there_is_none_of_stands_where_figures_do() -> None:
    rows = [("Central", "62.4 %"), ("North", "NA, only one turn"), ("East", "NA, only one turn")]
    laid = commonplace.laid_out({"columns": ["Region", "Guess 2"], "rows": rows})
    assert [column["figure"] for column in laid["columns"]] == [False, True]


@pytest.mark.parametrize("rows", [[("Central", 1)], [("Central",), ("North", 1)]])
def test_a_row_of_the_wrong_length_is_an_error(rows: list[tuple]) -> None:
    with pytest.raises(ValueError, match="zip"):
        commonplace.laid_out({"columns": ["Region"], "rows": rows})


def test_a_table_without_rows_says_so() -> None:
    html = render_to_string("_table.html", {"table": Table(["Region", "n"], [])})
    assert "There is nothing here yet." in html


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "500", "error"])
def test_error_pages_need_neither_request_nor_database(name: str) -> None:
    error = CommonplaceError("release.name_taken", "Choose another <name>.")
    html = render_to_string(f"{name}.html", {"error": error} if name == "error" else {})
    assert html.count("<h1>") == 1
    assert "saved before" in html or "Nothing was changed" in html
    assert name != "error" or "Choose another &lt;name&gt;." in html


def test_a_simulated_figure_says_so_before_its_finding_and_folds_its_numbers() -> None:
    figure = Figure(
        title="Central <leads>",
        chart=bars([Bar("Central", 0.6)], finding="Central leads"),
        caption="n 12",
        table=Table(["Region", "Share"], [("Central", 0.6)]),
        downloads=[("CSV", "/x.csv")],
        simulated=True,
    )
    html = render_to_string("_figure.html", {"figure": figure})
    assert html.index("Simulated:") < html.index("Central &lt;leads&gt;") < html.index("<svg")
    assert "<summary>Show the numbers</summary>" in html
    assert '<a href="/x.csv">CSV</a>' in html


def test_pages_keep_the_filters_of_the_address(rf: RequestFactory) -> None:
    page = Paginator(range(90), 30).page(2)
    request = rf.get("/runs/", {"model": "a", "page": "2"})
    html = render_to_string("_pagination.html", {"page": page, "things": "runs"}, request=request)
    assert "31 to 60 of 90 runs" in html
    assert "?model=a&amp;page=3" in html
