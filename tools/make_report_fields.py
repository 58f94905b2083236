"""Writes the field tables of the pages on JSON reports from the schemas of both versions.

`python tools/make_report_fields.py` writes them; `--check` only says whether they are right.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
PAGES = {
    ROOT / "docs" / "reports.md": ROOT / "schemas" / "report-v1.schema.json",
    ROOT / "docs" / "report-v2.md": ROOT / "schemas" / "report-v2.schema.json",
}
"""Each page and the schema that its tables are of."""
START, END = "<!-- fields: python tools/make_report_fields.py -->\n", "<!-- end of fields -->"

Schema = dict[str, Any]


def renewed(page: str, schema: Schema) -> str:
    """The page with its tables as the schema has them."""
    before, rest = page.split(START)
    _, after = rest.split(END)
    body = "\n".join(_tables(schema))
    return f"{before}{START}\n{body}\n{END}{after}"


def _tables(schema: Schema) -> Iterator[str]:
    for name, part in _objects(schema, "report"):
        yield f"### {name}\n"
        yield f"{part['description']}\n"
        yield "| Field | Type | Meaning |"
        yield "| --- | --- | --- |"
        for key, field in part["properties"].items():
            meaning = field["description"].replace("|", "&#124;")
            yield f"| `{key}` | {_type(field, key)} | {meaning} |"
        yield ""
    yield "### Other types\n"
    for name, part in schema["$defs"].items():
        if "properties" not in part:
            yield f"- `{name}`: {_type(part, name)}. {part['description']}"
    yield ""


def _objects(schema: Schema, name: str) -> Iterator[tuple[str, Schema]]:
    """Every object with fields of its own, by the name that the tables call it."""
    if "properties" in schema:
        yield name, schema
    for key, inner in schema.get("properties", {}).items():
        yield from _objects(inner, key)
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            inner = schema[keyword]
            yield from _objects(inner, _called(inner, name))
    for key, inner in schema.get("$defs", {}).items():
        yield from _objects(inner, key)


def _called(schema: Schema, otherwise: str) -> str:
    return str(schema.get("title", otherwise)).lower().replace(" ", "_")


def _type(field: Schema, key: str) -> str:
    if "$ref" in field:
        return str(field["$ref"].rsplit("/", 1)[1])
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if "enum" in field:
        return ", ".join(f"`{json.dumps(each)}`" for each in field["enum"])
    if "anyOf" in field:
        return " or ".join(_type(each, key) for each in field["anyOf"])
    if "type" not in field:
        return "any value"
    kind, *others = [field["type"]] if isinstance(field["type"], str) else field["type"]
    if kind == "array":
        kind = f"array of {_type(field['items'], _called(field['items'], key))}"
    elif isinstance(field.get("additionalProperties"), dict):
        kind = f"object of {_entries(field['additionalProperties'])} by name"
    elif "properties" in field:
        kind = key
    return " or ".join([kind, *others])


def _entries(schema: Schema) -> str:
    return schema["title"].lower() if "title" in schema else _type(schema, "")


def main() -> int:
    """Rewrites the pages, or checks them: 0 where they are as they should be."""
    wrong = 0
    for file, schema in PAGES.items():
        page = file.read_text(encoding="utf-8")
        wanted = renewed(page, json.loads(schema.read_bytes()))
        if "--check" not in sys.argv[1:]:
            file.write_text(wanted, encoding="utf-8", newline="\n")
        elif page != wanted:
            print(f"{file.name} is not what the schema says: python tools/make_report_fields.py")
            wrong = 1
    return wrong


if __name__ == "__main__":
    raise SystemExit(main())
