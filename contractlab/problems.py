"""What can be wrong with a contract: permanent rule codes, and problems at a place in a file."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

Path = tuple[str | int, ...]
"""Keys and indexes from the top of a JSON document down to a value; `()` is the document."""


class Rule(Enum):
    """Every rule: its permanent code, its name, and whether it warns or refuses.

    A code is never reused and never renamed. CL0xx files and usage, CL1xx JSON text,
    CL2xx shape, CL3xx across records, CL4xx warnings (problems only under `--strict`).
    """

    FILE_NOT_FOUND = "CL001", "file-not-found"
    NOT_A_REGULAR_FILE = "CL002", "not-a-regular-file"
    FILE_TOO_LARGE = "CL003", "file-too-large"
    FILE_UNREADABLE = "CL004", "file-unreadable"
    BAD_CONFIG = "CL005", "bad-config"
    BAD_USAGE = "CL006", "bad-usage"
    UNKNOWN_CONTRACT = "CL007", "unknown-contract"
    DATASET_NOT_FOUND = "CL008", "dataset-not-found"

    NOT_UTF8 = "CL101", "not-utf-8"
    BYTE_ORDER_MARK = "CL102", "byte-order-mark"
    SYNTAX = "CL103", "json-syntax"
    DUPLICATE_KEY = "CL104", "duplicate-key"
    NON_FINITE_NUMBER = "CL105", "non-finite-number"
    LONE_SURROGATE = "CL106", "lone-surrogate"
    TOO_DEEP = "CL107", "nested-too-deep"
    TOO_MANY_DIGITS = "CL108", "too-many-digits"

    MISSING_FIELD = "CL201", "missing-field"
    WRONG_TYPE = "CL202", "wrong-type"
    UNKNOWN_FIELD = "CL203", "unknown-field"
    OUT_OF_RANGE = "CL204", "out-of-range"
    NOT_ONE_OF = "CL205", "not-one-of"
    DUPLICATE_ENTRY = "CL206", "duplicate-entry"
    BLANK_TEXT = "CL207", "blank-text"
    TOO_LONG = "CL208", "id-too-long"
    CONTROL_CHARACTER = "CL209", "control-character"
    INVISIBLE_TEXT = "CL210", "invisible-text"
    TOO_FEW = "CL211", "too-few-entries"

    FAMILY_LEAKAGE = "CL301", "family-leakage"
    DUPLICATE_ID = "CL302", "duplicate-id"
    MISSING_RECORD = "CL303", "missing-record"
    UNKNOWN_CASE = "CL304", "unknown-case"
    VERSION_MISMATCH = "CL305", "version-mismatch"
    ABSENT_SPLIT = "CL306", "absent-split"
    UNKNOWN_RELEASE = "CL307", "unknown-release"
    CANDIDATE_IS_BASELINE = "CL308", "candidate-is-baseline"
    DUPLICATE_RELEASE = "CL309", "duplicate-release"
    DUPLICATE_RECORD = "CL310", "duplicate-record"
    LOOK_ALIKE = "CL311", "look-alike"
    INPUT_LEAKAGE = "CL312", "input-leakage"
    INCONSISTENT_REPORT = "CL313", "inconsistent-report"
    MUTABLE_REFERENCE = "CL314", "mutable-reference"
    MIXED_VERSIONS = "CL315", "mixed-versions"
    BAD_MATCHER = "CL316", "bad-matcher"
    BAD_GATE = "CL317", "bad-gate"
    SPLIT_NOT_FROZEN = "CL318", "split-not-frozen"

    FORBIDDEN_EXPECTED_TOOL = "CL401", "forbidden-expected-tool"
    UNPASSABLE_RUBRIC = "CL402", "unpassable-rubric"
    IDLE_GATE = "CL403", "idle-gate"
    NO_CRITICAL_CASE = "CL404", "no-critical-case"
    SINGLE_TEST_CASE = "CL405", "single-test-case"
    TOO_FEW_RESAMPLES = "CL406", "too-few-resamples"
    SMALL_SET = "CL407", "small-set"
    EQUAL_MANIFESTS = "CL408", "equal-manifests"
    UNMEASURED_CHECK = "CL409", "unmeasured-check"

    code: str
    title: str

    def __new__(cls, code: str, title: str) -> Rule:
        """The code is the member's value, so `Rule("CL301")` finds it."""
        member = object.__new__(cls)
        member._value_ = code
        member.code = code
        member.title = title
        return member

    @property
    def warns(self) -> bool:
        """Whether it leaves the exit code as it is (unless `--strict`)."""
        return self.code.startswith("CL4")


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a text file."""

    line: int
    """From 1."""
    column: int
    """From 1, in Unicode code points (not bytes, not UTF-16 units)."""
    excerpt: str = ""
    """The line, or the part of a very long line around the place; raw, so escape it."""
    excerpt_column: int = 1
    """Where the place stands in the excerpt, from 1."""


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that a problem speaks of."""

    file: str
    path: Path
    note: str
    position: Position | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, where, and the way out."""

    rule: Rule
    message: str
    """Names the value and what is wrong with it. Values in it are raw, so escape it."""
    hint: str = ""
    """What to do, one line."""
    file: str = ""
    path: Path = ()
    on_key: bool = False
    """Whether the place is the last step's key, and not its value."""
    position: Position | None = None
    """Unknown until `positions.place` (a walk through the text costs time only once wrong)."""
    related: tuple[Related, ...] = ()


class ContractError(Exception):
    """Nothing was judged: the problems, in file order. Raised only at a boundary."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(f"{len(problems)} problem(s)")
        self.problems = problems
