"""What holds of every check, whatever was recorded."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.v2 import builders

EXPECT: dict[str, Any] = {
    "label": "yes",
    "outcomes": {"done": True, "harm": False},
    "tools": {"mode": "subset", "calls": [{"name": "look"}]},
    "forbidden": [{"name": "drop"}, {"action": "shout"}],
    "evidence": {"ids": ["doc-1"]},
    "answer": {"contains": ["ok"]},
}
FIELDS: dict[str, Any] = {
    "label": st.sampled_from(["yes", "no", None]),
    "outcomes": st.dictionaries(
        st.sampled_from(["done", "harm"]), st.sampled_from([True, False, None])
    ),
    "calls": st.lists(st.sampled_from([{"name": "look"}, {"name": "drop"}])) | st.none(),
    "actions": st.lists(st.sampled_from(["shout", "wait"]), unique=True),
    "evidence": st.booleans() | st.lists(st.sampled_from(["doc-1", "doc-2"]), unique=True),
    "answer": st.sampled_from(["ok", "no", 1, None]),
    "status": st.sampled_from(["ok", "error"]),
}  # fmt: skip


@given(st.fixed_dictionaries({}, optional=FIELDS))
def test_a_check_that_holds_was_measured(fields: dict[str, Any]) -> None:
    checks = builders.expecting(**EXPECT).expect.checks
    record = builders.loaded_record(**fields)
    assert {check.name for check in checks} == set(EXPECT)
    for check in checks:
        assert check.measured(record) or not check.holds(record)
