"""What a file is packed as, told by its first bytes, so that it can be named."""

from __future__ import annotations

from typing import Final

LONGEST: Final = 10
"""Bytes of the beginning that tell every packing."""
GZIP: Final = "gzip"
_BEGINNINGS: Final = (
    (0, b"\x1f\x8b", GZIP),
    (0, b"\x28\xb5\x2f\xfd", "zstd"),
    (0, b"\xfd7zXZ\x00", "xz"),
    (4, b"1AY&SY", "bzip2"),
    (0, b"\x04\x22\x4d\x18", "lz4"),
    (0, b"PK\x03\x04", "zip"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z"),
)


def packing_of(head: bytes) -> str | None:
    """Return the packing of a file that begins so, None for one that is not packed.

    Example:
        >>> packing_of(bytes.fromhex("28b52ffd24")), packing_of(b"id,hand")
        ('zstd', None)
    """
    for at, beginning, name in _BEGINNINGS:
        if head[at : at + len(beginning)] == beginning:
            return name
    return None
