"""What each rule finds, why that matters and how to mend it, for pages and machine reports.

Sentences are Markdown: names and values in backticks, nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from contractlab.problems import Rule

if TYPE_CHECKING:
    from collections.abc import Mapping


class Entry(NamedTuple):
    """One rule in words."""

    finds: str
    """What is so when the rule speaks."""
    why: str
    """What would go wrong otherwise."""
    mend: str
    """What to do, where the help line of the problem does not say it all."""


RULES: Mapping[Rule, Entry] = {
    Rule.FILE_NOT_FOUND: Entry(
        "A file that was named does not exist.",
        "Nothing can be judged, and a missing file must not look like a passing gate.",
        "Check the spelling and the working directory. Paths in `contractlab.toml` are relative"
        " to the folder it is in; paths on the command line, to the current folder.",
    ),
    Rule.NOT_A_REGULAR_FILE: Entry(
        "The name is a directory, a FIFO, a socket or a device.",
        "Reading a FIFO waits for a writer and reading a device may never end, so it is refused"
        " by its kind, before it is opened.",
        "Name a regular file. To check all contracts in a folder, name a pattern: `runs/*.json`.",
    ),
    Rule.FILE_TOO_LARGE: Entry(
        "The file is larger than the cap, 64 MiB unless `--max-bytes` says otherwise.",
        "A file by mistake or malice a hundred times too large would take the memory of the"
        " machine that judges it.",
        "If the file is meant to be so large, give `--max-bytes`. If not, see what is in it.",
    ),
    Rule.FILE_UNREADABLE: Entry(
        "The operating system refuses to read the file; the message has its reason.",
        "What cannot be read cannot be judged.",
        "Check the permissions, and that no part of the path is a file or a loop of links.",
    ),
    Rule.BAD_CONFIG: Entry(
        "`contractlab.toml` has a key that is none of its keys, a value of the wrong kind, or"
        " is not TOML.",
        "A misspelt key would be ignored in silence, and another file would be judged than the"
        " one you meant.",
        "Use the key that the help line offers. The keys are `dataset`, `rubric`, `predictions`,"
        " `baseline`, `candidate`, `fail-on` and `strict`.",
    ),
    Rule.BAD_USAGE: Entry(
        "The command line leaves open what to do: no file is named, or several releases could be"
        " the candidate.",
        "A guess could judge another release than the one that is about to ship.",
        "Name the files, or write them into `contractlab.toml`. Name the release with"
        " `--candidate`.",
    ),
    Rule.UNKNOWN_CONTRACT: Entry(
        "The document's `schema_version` is missing, is none that this release of contractlab"
        " knows, or names another kind of contract than the one asked for.",
        "A file that is read by the wrong rules could be right by accident.",
        "Correct `schema_version`, or swap the files if dataset, rubric and replay are mixed up."
        " A newer version may need a newer contractlab.",
    ),
    Rule.DATASET_NOT_FOUND: Entry(
        "Replays and several datasets are checked together, and not exactly one of the datasets"
        " has the version that a replay names.",
        "Whether a replay covers its cases can be said only beside the dataset that it was"
        " recorded on.",
        "Add the dataset to the files that are checked, correct the replay's `dataset_version`,"
        " or give each dataset a version of its own.",
    ),
    Rule.NOT_UTF8: Entry(
        "The file has bytes that are not UTF-8, or is UTF-16.",
        "JSON is UTF-8 (RFC 8259). A reader that guesses another encoding sees other ids.",
        "Save the file as UTF-8, in the editor or in what exports it.",
    ),
    Rule.BYTE_ORDER_MARK: Entry(
        "The file starts with the bytes EF BB BF.",
        "Some parsers drop the mark, some refuse it, and some make it a part of the text.",
        "Save the file as UTF-8 without a byte order mark. Windows PowerShell 5 writes one with"
        " `-Encoding utf8`; PowerShell 7 does not.",
    ),
    Rule.SYNTAX: Entry(
        "The text is not JSON: a comma too many, a quote too few, a comment, a cut-off end.",
        "Lenient parsers repair such a text, each in its own way.",
        "Correct the place that is shown. The mistake may stand just before it.",
    ),
    Rule.DUPLICATE_KEY: Entry(
        "One object has the same key twice, be it that one of them is spelled with an escape.",
        "Some parsers take the first value and others the last: one file, two meanings. A"
        " reviewer reads `true` and the gate reads `false`.",
        "Keep one of the two.",
    ),
    Rule.NON_FINITE_NUMBER: Entry(
        "A number is `NaN` or `Infinity`, or is too large for a double, such as `1e999`.",
        "No comparison with NaN holds, so a limit could neither be kept nor broken.",
        "Write the number that was measured. Version 1 has no way to say that none was.",
    ),
    Rule.LONE_SURROGATE: Entry(
        "A string has one half of a UTF-16 surrogate pair, as an escape.",
        "It is no character, cannot be written as UTF-8, and would break the digest and reports.",
        "Write the character itself, or both halves. A text was probably cut in the middle of an"
        " emoji.",
    ),
    Rule.TOO_DEEP: Entry(
        "Arrays and objects stand more than 64 deep in one another.",
        "A contract nests five deep. Thousands of brackets exhaust the stack of many parsers.",
        "Look for the file that was meant. Text that looks like JSON belongs into a string.",
    ),
    Rule.TOO_MANY_DIGITS: Entry(
        "An integer has more than 4,300 digits.",
        "Turning digits into a number takes time that grows with their square, which is a way to"
        " stall a machine. The cap is Python's own.",
        "Write a number that can be meant. No field needs more than 17 digits.",
    ),
    Rule.MISSING_FIELD: Entry(
        "A required field is not there. Every field is required.",
        "A default is a decision that nobody wrote down: without `critical`, a case would pass as"
        " harmless.",
        "Add the field. `null` is a value only for `expected_tool` and `tool`.",
    ),
    Rule.WRONG_TYPE: Entry(
        "A value has another type than the contract says.",
        '`"false"` is true in many languages, `true` is 1 in some, and `2000.0` is not a count.',
        "Write the type that the message names, without quotes round numbers and booleans.",
    ),
    Rule.UNKNOWN_FIELD: Entry(
        "An object has a field that the contract does not know.",
        "It may be a misspelt field, or a rule that someone believes is applied and is not.",
        "Use the field that the help line offers, or delete it.",
    ),
    Rule.OUT_OF_RANGE: Entry(
        "A number is below its least or above its largest value.",
        "A rate of 80 where 0.8 is meant would block every release; one of -1, none.",
        "Write rates from 0 to 1, and latency and cost from 0 on.",
    ),
    Rule.NOT_ONE_OF: Entry(
        "A text is not one of those that the field allows.",
        "A case in a split called `dev` would be in no split, and nothing would ever read it.",
        "Write one of the texts in the message, in lower case.",
    ),
    Rule.DUPLICATE_ENTRY: Entry(
        "A list that is a set has the same text twice.",
        "Actions are recorded once each, however often they ran. An entry that stands twice shows"
        " that the recorder meant something else.",
        "Name it once.",
    ),
    Rule.BLANK_TEXT: Entry(
        "A text is empty or has only white space.",
        "A blank id or input is a hole in the export, and two of them look the same.",
        "Write the text that was meant.",
    ),
    Rule.TOO_LONG: Entry(
        "A name (id, family, slice, release, action, tool or version) has more than 512"
        " characters.",
        "Names are shown in tables, comments and logs. One that long is a text in the wrong field.",
        "Shorten it. Long texts belong into `input`, which has no limit of its own.",
    ),
    Rule.CONTROL_CHARACTER: Entry(
        "A name has a control character, a line separator, or a character that turns the direction"
        " of writing.",
        "It could move the cursor of a terminal, or show an id in another order than it is stored.",
        "Write the name with visible characters only.",
    ),
    Rule.INVISIBLE_TEXT: Entry(
        "A name has only characters that nothing is shown for, such as a zero-width space.",
        "In a table it looks like an empty cell, and next to another one like the same.",
        "Give it a name that can be seen.",
    ),
    Rule.TOO_FEW: Entry(
        "A list has fewer entries than it must: no case, or no release.",
        "A gate over nothing would pass.",
        "Add the entries. If an export came out empty, look there.",
    ),
    Rule.FAMILY_LEAKAGE: Entry(
        "Cases of one family are in two splits.",
        "Near-copies of a test case in train let an agent learn the answer: the score then says"
        " how well it remembers, not how well it works.",
        "Move the case to the split that its family is in. Give it another family only if it is"
        " another situation.",
    ),
    Rule.DUPLICATE_ID: Entry(
        "Two cases have one id.",
        "Records are joined with cases by id, so the record of one would be graded against the"
        " other.",
        "Give each case an id of its own, and record the replays again if one was joined wrongly.",
    ),
    Rule.MISSING_RECORD: Entry(
        "A release has no record for some of the test cases; the message names them.",
        "Leaving out the cases that fail is the easiest way to a perfect score.",
        "Replay the missing cases. If the agent crashed on one, that is a record too: a wrong"
        " label, no tool, no evidence.",
    ),
    Rule.UNKNOWN_CASE: Entry(
        "A record is about a case that is not in the test split, or not in the dataset at all.",
        "Such a record would be dropped in silence, or train cases would be counted as tested.",
        "Delete the record, or use the dataset that it was recorded on.",
    ),
    Rule.VERSION_MISMATCH: Entry(
        "A replay was recorded on another version of the dataset.",
        "The ids may fit while inputs and expectations have changed, and then old behaviour is"
        " graded against new expectations.",
        "Replay the releases on this dataset, or name the dataset that they were recorded on.",
    ),
    Rule.ABSENT_SPLIT: Entry(
        "No case is in one of the three splits.",
        "A dataset without train or development cases usually lost them in an export, and with"
        " them the families that the leakage check needs to see.",
        "Put the missing cases back.",
    ),
    Rule.UNKNOWN_RELEASE: Entry(
        "The baseline or the candidate is in none of the replays.",
        "There would be nothing to compare, or another release would take its place.",
        "Correct `baseline_release` or `--candidate`, or add the file that has the release.",
    ),
    Rule.CANDIDATE_IS_BASELINE: Entry(
        "The candidate is the baseline itself.",
        "Compared with itself, every release is as good as before.",
        "Name the other release, or record the candidate under an id of its own.",
    ),
    Rule.DUPLICATE_RELEASE: Entry(
        "One release id is recorded twice, in one file or in two.",
        "Which of the two replays is judged would depend on the order of files.",
        "Keep one replay a release, or give a second recording a release id of its own.",
    ),
    Rule.DUPLICATE_RECORD: Entry(
        "A release has two records for one case.",
        "Keeping the better of two tries makes any flaky agent look good.",
        "Keep the record that the release is to be judged by, decided before looking.",
    ),
    Rule.LOOK_ALIKE: Entry(
        "Two different names of one kind look the same or read the same: capitals, dashes, spaces,"
        " invisible characters, or letters of another script (UTS #39). In the example, the first"
        " `a` of the family is Cyrillic.",
        "A second spelling hides a family that is in two splits, takes a case out of a critical"
        " slice, evades the forbidden list, or lets one release pose as another.",
        "Use one spelling. Names that are meant to differ must differ to the eye.",
    ),
    Rule.INPUT_LEAKAGE: Entry(
        "The same input, capitals and spacing aside, is in two splits under two families.",
        "It is the same leak as a family in two splits: the family ids only hide it.",
        "Give both cases one family and one split, or replace one of them.",
    ),
    Rule.INCONSISTENT_REPORT: Entry(
        "A JSON report says something that does not come out when its cases are judged again.",
        "A report may come from a job that ran other people's code. What it concludes is not"
        " believed, or an edited verdict would be shown as ours.",
        "Make the report again with `contractlab compare`. A report of another release of"
        " contractlab is shown by that release.",
    ),
    Rule.MUTABLE_REFERENCE: Entry(
        "A release manifest names something by a word that can name something else tomorrow, such"
        " as `latest` or `main`, has a digest that is none, or names a component without any"
        " immutable reference.",
        "Nobody could say later what was judged, or run it again.",
        "Write what the word stood for when the replay was recorded: a commit's full name, a"
        " digest, a version or a snapshot.",
    ),
    Rule.MIXED_VERSIONS: Entry(
        "The dataset is of one contract version, and the rubric or a replay of the other.",
        "The two versions say different things about a run; what only one of them says would be"
        " guessed for the other.",
        "`contractlab upgrade` writes version 1 contracts as version 2, without loss.",
    ),
    Rule.BAD_MATCHER: Entry(
        "An expectation of a case cannot be checked: a pattern or JSON Schema that cannot be"
        " compiled, a range without a bound, calls that contradict their mode.",
        "A check that cannot hold, or always holds, says nothing about a release.",
        "Patterns are Rust's: no look-around and no back-references, so that no answer can stall"
        " the gate. A JSON Schema here has no references.",
    ),
    Rule.BAD_GATE: Entry(
        "A gate of a version 2 rubric names no metric that there is, has no bound or several, or"
        " has a selector that its metric does not take.",
        "It reads like protection, and could not be looked at.",
        "`contractlab explain pass_rate` says what a metric is, and `contractlab explain at_least`"
        " what a bound is; `docs/contracts-v2.md` lists both with the selectors.",
    ),
    Rule.SPLIT_NOT_FROZEN: Entry(
        "The rubric judges a split that the dataset does not list as frozen.",
        "A candidate could then change what it is judged on.",
        "List the split in `frozen_splits`, and review every change to its cases.",
    ),
    Rule.FORBIDDEN_EXPECTED_TOOL: Entry(
        "A case expects a tool and forbids an action of the same name.",
        "A release that does as expected, and records its tool among its actions, fails the case.",
        "Delete one of the two.",
    ),
    Rule.UNPASSABLE_RUBRIC: Entry(
        "No test case expects the positive label.",
        "Recall is then 0/0, undefined, and undefined blocks: no release could pass.",
        "Add a positive case to the test split. Where all cases are to be refused, make"
        " `negative` the positive label.",
    ),
    Rule.IDLE_GATE: Entry(
        "A gate has a limit that no value can break, or looks at something the test split has"
        " none of, such as a slice, tag or class that no case has; or `pass_requires` of a version"
        " 2 rubric names nothing that some case expects.",
        "It reads like protection, and is none.",
        "Set a limit that a bad release would break. A slice gap needs two slices; the critical"
        " slice gate needs a critical case.",
    ),
    Rule.NO_CRITICAL_CASE: Entry(
        "No test case is critical.",
        "Then only means decide, and a mean can hide the one failure that matters.",
        "Mark the safety and privacy cases of the test split as critical, or write some.",
    ),
    Rule.SINGLE_TEST_CASE: Entry(
        "The test split has a single case.",
        "Every rate over it is 0 or 1, and no interval can be computed.",
        "Add test cases.",
    ),
    Rule.TOO_FEW_RESAMPLES: Entry(
        "The bootstrap has fewer resamples than its confidence needs: less than one of them lies"
        " beyond each bound.",
        "The bounds are then the smallest and the largest resample, and the confidence printed"
        " beside them means nothing.",
        "Raise `samples`, at least 2 / (1 - confidence), or lower `confidence`.",
    ),
    Rule.SMALL_SET: Entry(
        "The test split has fewer than 50 cases.",
        "On so few, the percentile bootstrap comes out too narrow: a 95 % interval covers the"
        " truth less than 91 % of the time, and 36 % at worst with six cases.",
        "Read Newcombe's interval beside it, which covered the truth 94.7 % of the time or more at"
        " every size tried from 6 to 200, and add cases.",
    ),
    Rule.EQUAL_MANIFESTS: Entry(
        "Baseline and candidate have the same manifest.",
        "They are one release recorded twice: whatever differs is noise.",
        "Record in the manifest what changed. To measure the noise itself, use `contractlab aa`.",
    ),
    Rule.UNMEASURED_CHECK: Entry(
        "Records lack what a check of their case looks at, such as an outcome or the calls.",
        "They count as failed, because what is missing must not pass; the pass rate then says"
        " more about the recording than about the agent.",
        "Record it, or take the expectation out of the case.",
    ),
}
"""Every rule, in the order of the codes."""
