"""A batch in parts: finished ones are kept beside the output, listed in a manifest, and reused.

The folder ``OUT.parts`` holds ``manifest.json``, and for each part its answers and its rejected
rows. A part is listed only once both of its files are durable, so a process may die at any
moment: what is listed is whole, and everything else is done again and comes out the same.
"""

from __future__ import annotations

import json
import shutil
import zlib
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from solver.batch.streams import Position
from solver.batch.write import Form, Output, write_whole

_FORMAT: Final = "meld-batch/1"


@dataclass
class Part:
    """One finished part.

    Attributes:
        source: number of the input it comes from.
        after: position in that input behind it.
        n_rows: its rows.
        n_rejected: those of them without an answer.
        codes: rejected rows by code.
        files: name -> (size, CRC-32) of its files.
    """

    source: int
    after: Position
    n_rows: int
    n_rejected: int
    codes: dict[str, int]
    files: dict[str, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of_json(cls, data: dict[str, Any]) -> Part:
        """Return a part as the manifest tells it."""
        files = {name: (size, crc) for name, (size, crc) in data["files"].items()}
        return cls(**{**data, "after": Position(**data["after"]), "files": files})


def _checksum(path: Path) -> tuple[int, int]:
    size, crc = 0, 0
    with path.open("rb") as file:
        while data := file.read(1 << 20):
            size += len(data)
            crc = zlib.crc32(data, crc)
    return size, crc


class PartsFolder:
    """The folder of parts of one output.

    Args:
        output: path of the output.
        identity: what the parts depend on: inputs, rules, question, versions. Parts of another
            identity are thrown away.
        answers: form of the answers.
        rejected: form of the rejected rows.
    """

    def __init__(
        self, output: str, identity: dict[str, Any], answers: Form, rejected: Form
    ) -> None:
        self.folder = Path(f"{output}.parts")
        self.identity = {"format": _FORMAT, **identity}
        self.answers = answers
        self.rejected = rejected
        self.finished = self._read()
        self._open: tuple[Output, Output] | None = None
        self._under_way = Part(0, Position(), 0, 0, {})

    def _read(self) -> list[Part]:
        """Return the finished parts that are whole, up to the first that is not."""
        try:
            data = json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            data = {}
        if data.get("identity") != self.identity:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True, exist_ok=True)
            return []
        finished = []
        for told in data["parts"]:
            part = Part.of_json(told)
            try:
                whole = all(_checksum(self.folder / n) == tuple(f) for n, f in part.files.items())
            except OSError:
                whole = False
            if not whole:
                break
            finished.append(part)
        return finished

    def names(self, number: int) -> tuple[Path, Path]:
        """Return the files of a part: answers, rejected rows."""
        stem = f"part-{number:06d}"
        return (
            self.folder / f"{stem}{self.answers.suffix}",
            self.folder / f"{stem}.rejects{self.rejected.suffix}",
        )

    def write(self, answers: Any, rejected: Any, codes: Counter[str], part: Part) -> None:  # noqa: ANN401
        """Write a block into the part under way.

        Args:
            answers: encoded answers.
            rejected: encoded rejected rows, None without any.
            codes: rejected rows of the block by code.
            part: source, position and numbers of rows of the block.
        """
        if self._open is None:
            first, second = self.names(len(self.finished))
            self._open = (
                Output(str(first), self.answers, with_header=False),
                Output(str(second), self.rejected, with_header=False),
            )
            self._under_way = Part(part.source, part.after, 0, 0, {})
        self._open[0].write(answers)
        if rejected is not None:
            self._open[1].write(rejected)
        now = self._under_way
        now.after = part.after
        now.n_rows += part.n_rows
        now.n_rejected += part.n_rejected
        now.codes = dict(Counter(now.codes) + codes)

    def finish_part(self) -> None:
        """Make the part under way durable and list it; do nothing without one."""
        if self._open is None:
            return
        for output in self._open:
            output.commit()
            path = Path(output.path)
            self._under_way.files[path.name] = _checksum(path)
        self._open = None
        self.finished.append(self._under_way)
        told = {"identity": self.identity, "parts": [asdict(part) for part in self.finished]}
        write_whole(self.folder / "manifest.json", json.dumps(told).encode())

    def discard_part(self) -> None:
        """Leave the part under way unfinished; finished ones stay."""
        if self._open is not None:
            for output in self._open:
                output.discard()
            self._open = None

    def join(self, answers: Output, rejected: Output) -> None:
        """Write all finished parts on into whole files."""
        for number in range(len(self.finished)):
            first, second = self.names(number)
            answers.append(first)
            rejected.append(second)

    def remove(self) -> None:
        """Remove the folder; the whole output stands."""
        shutil.rmtree(self.folder, ignore_errors=True)
