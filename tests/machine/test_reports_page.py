from __future__ import annotations

import json
import re

import pytest
from jsonschema import Draft202012Validator

from contractlab.choices import RENDER_FORMATS
from contractlab.options import REPORT_FORMATS
from contractlab.render.junit import HOSTNAME, TIMESTAMP
from contractlab.render.sarif import MOST_RESULTS
from tools import make_report_fields

PAGE = make_report_fields.PAGE.read_text(encoding="utf-8")
SCHEMA = json.loads(make_report_fields.SCHEMA.read_bytes())


def test_the_field_tables_are_what_the_schema_says() -> None:
    assert make_report_fields.renewed(PAGE, SCHEMA) == PAGE


@pytest.mark.parametrize("field", SCHEMA["properties"])
def test_every_field_of_a_report_is_in_a_table(field: str) -> None:
    assert f"| `{field}` |" in PAGE


def test_every_type_that_a_table_names_has_a_table_or_is_a_plain_one() -> None:
    headings = set(re.findall(r"^### (.+)$", PAGE, re.MULTILINE))
    named = set(re.findall(r"^\| `\w+` \| (?:array of )?(\w+)", PAGE, re.MULTILINE))
    plain = {"string", "integer", "number", "boolean", "array", "object"}
    said = {name for name, each in SCHEMA["$defs"].items() if "properties" not in each}
    assert named <= headings | plain | said
    for name in said & named:
        assert f"- `{name}`:" in PAGE, name


def test_every_format_and_option_is_named() -> None:
    assert set(REPORT_FORMATS) < set(RENDER_FORMATS)
    for format_ in REPORT_FORMATS:
        assert f"`--report-{format_} FILE`" in PAGE


def test_the_fixed_values_are_those_of_the_code() -> None:
    assert TIMESTAMP in PAGE
    assert f"`{HOSTNAME}`" in PAGE
    assert f"{MOST_RESULTS:,}" in PAGE


def test_the_schema_is_one_that_editors_can_read() -> None:
    Draft202012Validator.check_schema(SCHEMA)
