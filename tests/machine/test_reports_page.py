from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator

from contractlab.choices import RENDER_FORMATS
from contractlab.options import REPORT_FORMATS
from contractlab.render.junit import HOSTNAME, TIMESTAMP
from contractlab.render.sarif import MOST_RESULTS
from tools import make_report_fields

if TYPE_CHECKING:
    from pathlib import Path

SCHEMAS = {
    page: json.loads(schema.read_bytes()) for page, schema in make_report_fields.PAGES.items()
}
TEXTS = {page: page.read_text(encoding="utf-8") for page in SCHEMAS}
PAGE = TEXTS[make_report_fields.ROOT / "docs" / "reports.md"]
each_page = pytest.mark.parametrize("page", SCHEMAS, ids=lambda page: str(page.name))


@each_page
def test_the_field_tables_are_what_the_schema_says(page: Path) -> None:
    assert make_report_fields.renewed(TEXTS[page], SCHEMAS[page]) == TEXTS[page]


@each_page
def test_every_field_of_a_report_is_in_a_table(page: Path) -> None:
    for field in SCHEMAS[page]["properties"]:
        assert f"| `{field}` |" in TEXTS[page], field


@each_page
def test_every_type_that_a_table_names_has_a_table_or_is_a_plain_one(page: Path) -> None:
    headings = re.findall(r"^### (.+)$", TEXTS[page], re.MULTILINE)
    assert len(set(headings)) == len(headings)
    named = set(re.findall(r"^\| `\w+` \| (?:array of )?(\w+)", TEXTS[page], re.MULTILINE))
    plain = {"string", "integer", "number", "boolean", "array", "object"}
    said = {name for name, each in SCHEMAS[page]["$defs"].items() if "properties" not in each}
    assert named <= set(headings) | plain | said
    for name in said & named:
        assert f"- `{name}`:" in TEXTS[page], name


def test_every_format_and_option_is_named() -> None:
    assert set(REPORT_FORMATS) < set(RENDER_FORMATS)
    for format_ in REPORT_FORMATS:
        assert f"`--report-{format_} FILE`" in PAGE


def test_the_fixed_values_are_those_of_the_code() -> None:
    assert TIMESTAMP in PAGE
    assert f"`{HOSTNAME}`" in PAGE
    assert f"{MOST_RESULTS:,}" in PAGE


@each_page
def test_the_schema_is_one_that_editors_can_read(page: Path) -> None:
    Draft202012Validator.check_schema(SCHEMAS[page])
