"""Zip archives of unknown origin: read in memory, never unpacked, and never more than a cap.

A member's size in the directory is the archive's own claim, so what is inflated is counted.
Member names are keys only: nothing is written, so that a name such as `../x` leads nowhere.
"""

from __future__ import annotations

import io
import sys
import zlib
from typing import TYPE_CHECKING

from contractlab.importers.source import MAX_DOCUMENT_BYTES
from contractlab.problems import ContractError

# Inspect packs its logs with Zstandard, which the standard library knows from 3.14 on.
if sys.version_info >= (3, 14):
    import zipfile

    from compression.zstd import ZstdError
else:
    from backports.zstd import ZstdError, zipfile

if TYPE_CHECKING:
    from collections.abc import Callable

    from contractlab.importers.source import Source

MOST_MEMBERS = 200_000
MOST_INFLATED = 4 * 1024**3
"""Bytes of all members that are read, together."""
PACKED = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, 93}
"""Ways in which members may be packed; 93 is Zstandard."""
MOST_RATIO = 200
"""How many times its packed size a member of more than a mebibyte may be."""


def members(source: Source, wanted: Callable[[str], bool]) -> dict[str, Callable[[], bytes]]:
    """The archive's members by name, each with the way to its bytes.

    Raises:
        ContractError: it is no readable zip, or a member is larger than it may be. Reading
            a member raises it too.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(source.read_all()))
        listed = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise ContractError(
            [source.problem(f"is no readable zip: {error}", "export the log again")]
        ) from error
    if len(listed) > MOST_MEMBERS:
        raise ContractError(
            [source.problem(f"has {len(listed):,} members; at most {MOST_MEMBERS:,}", "split it")]
        )
    left = [MOST_INFLATED]

    def reader(info: zipfile.ZipInfo) -> Callable[[], bytes]:
        return lambda: _inflated(source, archive, info, left)

    # The last of several members of one name is the one that an append replaced it with.
    return {info.filename: reader(info) for info in listed if wanted(info.filename)}


def _inflated(
    source: Source, archive: zipfile.ZipFile, info: zipfile.ZipInfo, left: list[int]
) -> bytes:
    if info.compress_type not in PACKED:
        message = f"member {info.filename!r} is packed in a way that logs are not"
        raise ContractError([source.problem(message, "export the log again")])
    most = min(MAX_DOCUMENT_BYTES, left[0], max(1024**2, info.compress_size * MOST_RATIO))
    try:
        with archive.open(info) as member:
            data = member.read(most + 1)
    except (
        zipfile.BadZipFile,
        zlib.error,
        ZstdError,
        OSError,
        EOFError,
        RuntimeError,
        NotImplementedError,
        ValueError,
    ) as error:
        raise ContractError(
            [source.problem(f"member {info.filename!r} cannot be read: {error}", "export it again")]
        ) from error
    if len(data) > most:
        message = f"member {info.filename!r} inflates to more than {most:,} bytes"
        raise ContractError([source.problem(message, "is it really a log?")])
    left[0] -= len(data)
    return data
