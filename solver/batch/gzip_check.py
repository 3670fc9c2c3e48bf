"""How far a gzip file is whole, known before a row of it is believed."""

from __future__ import annotations

import zlib
from typing import Any, Final

from solver.batch.hands import Bad

_CHUNK: Final = 1 << 18
_MOST_UNPACKED: Final = 1 << 20
"""Most bytes unpacked at once: a megabyte of file may hold a gigabyte of text."""
_GZIP_ONLY: Final = 16 + zlib.MAX_WBITS


def damage_of(file: Any) -> tuple[int, Bad] | None:  # noqa: ANN401 - a binary file
    """Return the unpacked bytes in front of the first gzip member that is damaged, and why.

    Text of a member is worth no more than its checksum, which stands behind it: what was changed
    on the way unpacks to other cards as readily as to nothing. So all of the file is unpacked
    once, in bounded memory, and thrown away.

    Args:
        file: stands at its beginning; read to its end, or to the damage.

    Returns:
        None for a file whose members all pass. One that merely ends early passes too: its last
        member has no checksum to fail, and whoever reads it on finds the end.
    """
    n_whole = 0
    data = file.read(_CHUNK)
    at = 0
    while data:
        member = zlib.decompressobj(_GZIP_ONLY)
        n_text = 0
        began = at
        try:
            while not member.eof:
                n_text += len(member.decompress(data, _MOST_UNPACKED))
                rest = member.unused_data if member.eof else member.unconsumed_tail
                at += len(data) - len(rest)
                data = rest or file.read(_CHUNK)
                if not data and not member.eof:
                    return None
        except zlib.error as error:
            message = (
                f"expected the gzip data from byte {began} on to pass its checksum,"
                f" got damage ({error}); none of its rows is used"
            )
            return n_whole, Bad("file.corrupt", message)
        n_whole += n_text
        while data and not data.lstrip(b"\0"):  # writers may fill up with zeros
            at += len(data)
            data = file.read(_CHUNK)
        at += len(data) - len(data.lstrip(b"\0"))
        data = data.lstrip(b"\0")
    return None
