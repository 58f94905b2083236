"""Raw files of any size: opened with care, read in pieces, hashed on the way.

A JSON Lines file is decoded line by line, a JSON document as a whole. Whatever is not JSON
is a problem at its line and column.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import stat
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import jiter

from contractlab.limits import MAX_DEPTH
from contractlab.problems import ContractError, Position, Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 4 * 1024**3
"""Size cap of one raw file; `--max-bytes` changes it."""
MAX_DOCUMENT_BYTES = 512 * 1024**2
"""Size cap of what is decoded in one go: a JSON document, or one line."""
_HEAD = 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_PIECE = 1024 * 1024
_VISIBLE = re.compile(r"\S")
_MORE = "text after the end of the document"
_HINTS = {
    _MORE: "one JSON document a file, or one value a line (JSON Lines)",
    "the file is empty": "name the file that holds the runs",
    f"nested more than {MAX_DEPTH} deep": "is it really a log?",
}


@dataclass(slots=True)
class Entry:
    """A JSON value of a source."""

    value: Any
    line: int | None
    """None where the source is one document."""


@dataclass(slots=True)
class Source:
    """One raw file."""

    name: str
    max_bytes: int = MAX_BYTES
    sha256: str | None = None
    """Known once the file has been read to its end."""
    _documents: list[Entry] = field(default_factory=list)

    def head(self) -> bytes:
        """Its first bytes, at most a mebibyte."""
        with self._open() as file:
            return _without_bom(file.read(_HEAD))

    def is_lines(self) -> bool:
        """Whether it is JSON Lines: a whole value on its first line, and more after it."""
        with self._open() as file:
            line = b""
            while not line.strip():
                line = file.readline(_HEAD)
                if not line:
                    return False
            if not line.endswith(b"\n"):
                return self.name.endswith((".jsonl", ".ndjson"))
            rest = file.read(_HEAD)
        if not rest.strip():
            return self.name.endswith((".jsonl", ".ndjson"))
        try:
            jiter.from_json(_without_bom(line), allow_inf_nan=True)
        except ValueError:
            return self.name.endswith((".jsonl", ".ndjson"))
        return True

    def entries(self) -> Iterator[Entry]:
        """Its JSON values, one a line or the one document.

        Raises:
            ContractError: the file can't be read, or is not JSON at some place.
        """
        if self._documents or not self.is_lines():
            documents, self._documents = self._documents or self._whole(), []
            yield from documents
            return
        for number, line in self.lines():
            if line and not line.isspace():
                yield Entry(self._decoded(line, number), number)

    def first(self) -> Any:
        """The first JSON value; a document is kept, so that it is decoded once."""
        if not self.is_lines():
            self._documents = self._whole()
            return self._documents[0].value
        return next((entry.value for entry in self.entries()), None)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Its lines, numbered from 1, without a byte order mark."""
        hashed = hashlib.sha256()
        left = self.max_bytes
        with self._open() as file:
            # A line of a small file is small; of a large one it is read up to the cap.
            whole = os.fstat(file.fileno()).st_size <= MAX_DOCUMENT_BYTES
            for number, line in enumerate(file if whole else self._capped(file), 1):
                hashed.update(line)
                left -= len(line)
                if left < 0:
                    raise ContractError([self._too_large(self.max_bytes)])
                yield number, line if number > 1 else _without_bom(line)
        self.sha256 = hashed.hexdigest()

    def read_all(self) -> bytes:
        """All its bytes, without a byte order mark."""
        most = min(self.max_bytes, MAX_DOCUMENT_BYTES)
        with self._open() as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise ContractError([self._too_large(most)])
        self.sha256 = hashlib.sha256(data).hexdigest()
        return _without_bom(data)

    def size(self) -> int:
        """Its bytes."""
        with self._open() as file:
            return os.fstat(file.fileno()).st_size

    def hash(self) -> str:
        """The SHA-256 of its bytes, read now where they were not yet."""
        if self.sha256 is None:
            hashed = hashlib.sha256()
            with self._open() as file:
                while piece := file.read(_PIECE):
                    hashed.update(piece)
            self.sha256 = hashed.hexdigest()
        return self.sha256

    def problem(self, message: str, hint: str, line: int | None = None) -> Problem:
        """A problem of this file."""
        position = None if line is None else Position(line, 1)
        return Problem(Rule.FILE_UNREADABLE, message, hint, self.name, position=position)

    def decode(self, data: bytes, name: str = "") -> Any:
        """The JSON value of bytes that are not the file's own text, such as an archive's."""
        inner = replace(self, name=f"{self.name}/{name}" if name else self.name)
        return inner._decoded(data, 1)

    def _whole(self) -> list[Entry]:
        """Its document; or several, one after the other, as console exporters write them."""
        data = self.read_all()
        try:
            return [Entry(self._decoded(data, 1), None)]
        except ContractError as error:
            if error.problems[0].message != _MORE:
                raise
        return list(self._several(data.decode()))

    def _several(self, text: str) -> Iterator[Entry]:
        """JSON values that stand one after the other, each with the line that it begins on."""
        scan = json.JSONDecoder().raw_decode
        at, line = 0, 1
        while (begins := _VISIBLE.search(text, at)) is not None:
            line, at = line + text.count("\n", at, begins.start()), begins.start()
            try:
                end = scan(text, at)[1]
            except (ValueError, RecursionError):
                end = len(text)  # the strict parser says what is wrong with it
            yield Entry(self._decoded(text[at:end].encode(), line), line)
            line, at = line + text.count("\n", at, end), end

    def _decoded(self, data: bytes, line: int) -> Any:
        try:
            # Foreign writers spell NaN, which is no measure: it reads as null when written.
            # Texts of transcripts seldom repeat, so only keys are worth remembering.
            return jiter.from_json(
                data, allow_inf_nan=True, catch_duplicate_keys=True, cache_mode="keys"
            )
        except ValueError as refusal:
            problems = self._diagnosed(data, str(refusal), line)
        raise ContractError(problems)

    def _diagnosed(self, data: bytes, refusal: str, line: int) -> list[Problem]:
        from contractlab.diagnose import diagnose  # noqa: PLC0415 (only once something is wrong)

        found = diagnose(data, file=self.name, refusal=refusal)
        told = [each for each in found if each.rule is not Rule.NON_FINITE_NUMBER] or found
        # The hints of a contract's text are no help with a log's.
        told = [replace(each, hint=_HINTS.get(each.message, each.hint)) for each in told]
        return [_moved(each, line - 1) for each in told]

    def _capped(self, file: io.BufferedReader) -> Iterator[bytes]:
        number = 0
        while line := file.readline(MAX_DOCUMENT_BYTES + 1):
            number += 1
            if len(line) > MAX_DOCUMENT_BYTES:
                message = f"line {number} has more than {MAX_DOCUMENT_BYTES:,} bytes"
                raise ContractError([self.problem(message, "is it JSON Lines?", number)])
            yield line

    def _open(self) -> io.BufferedReader:
        try:
            kind = os.stat(self.name)  # noqa: PTH116 (a Path would normalise the name)
            if not stat.S_ISREG(kind.st_mode):
                what = "a directory" if stat.S_ISDIR(kind.st_mode) else "not a regular file"
                hint = f"name files, or a pattern such as '{self.name}/**/*.json'"
                hint = hint if stat.S_ISDIR(kind.st_mode) else "name files"
                raise ContractError(
                    [Problem(Rule.NOT_A_REGULAR_FILE, f"is {what}", hint, self.name)]
                )
            if kind.st_size > self.max_bytes:
                raise ContractError([self._too_large(self.max_bytes)])
            flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
            # Lines of transcripts are longer than Python's own buffer.
            return io.BufferedReader(io.FileIO(os.open(self.name, flags)), _PIECE)
        except FileNotFoundError as error:
            problem = Problem(
                Rule.FILE_NOT_FOUND, "there is no such file", "check the path", self.name
            )
            raise ContractError([problem]) from error
        except (OSError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            raise ContractError(
                [self.problem(f"cannot be read: {reason}", "check the path and its permissions")]
            ) from error

    def _too_large(self, most: int) -> Problem:
        return Problem(
            Rule.FILE_TOO_LARGE,
            f"has more than {most:,} bytes",
            "split it, or write one run a line (JSON Lines), which is read in pieces",
            self.name,
        )


def _moved(problem: Problem, lines: int) -> Problem:
    if problem.position is None or not lines:
        return problem
    position = replace(problem.position, line=problem.position.line + lines)
    return replace(problem, position=position)


def _without_bom(data: bytes) -> bytes:
    return data.removeprefix(_BOM)
