"""A batch in parts: finished ones are kept beside the output, listed in a manifest, and reused.

The folder ``OUT.parts`` holds ``manifest.json``, and for each part its answers and its rejected
rows. A part is listed only once both of its files are durable, so a process may die at any
moment: what is listed is whole, and everything else is done again and comes out the same.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

from solver.batch.identity import changed_error
from solver.batch.job import BatchError
from solver.batch.streams import Position
from solver.batch.write import Form, Output, write_whole
from solver.whole_files import part_of

_FORMAT: Final = "meld-batch/2"
_NAMES: Final = ("manifest.json", "part-*")
"""The files of the folder that are ours."""


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
    """The folder of parts of one output; ``read`` or ``clear`` it before the first write.

    Args:
        output: path of the output.
        identity: what the parts depend on: inputs, rules, question, versions.
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
        self.finished: list[Part] = []
        self._open: tuple[Output, Output] | None = None
        self._under_way = Part(0, Position(), 0, 0, {})

    def read(self) -> int:
        """Find the finished parts that are whole, up to the first that is not.

        Returns:
            Rows of finished parts that cannot be used, since they or one before are damaged.

        Raises:
            BatchError: ``batch.changed`` another job left them; ``batch.manifest`` nobody can
                tell which. They are left as they are.
        """
        before, listed = self._listed()
        if listed:
            n_rows = sum(part.n_rows for part in listed)
            kept = f"{len(listed):,} finished parts ({n_rows:,} rows) in {self.folder}"
            error = changed_error(kept, before, self.identity)
            if error is not None:
                raise error
        self.finished = list(takewhile(self._is_whole, listed))
        return sum(part.n_rows for part in listed[len(self.finished) :])

    def clear(self) -> int:
        """Throw all parts away; return how many rows finished ones held, as far as can be told."""
        try:
            listed = self._listed()[1]
        except BatchError:
            listed = []
        self.remove()
        return sum(part.n_rows for part in listed)

    def _listed(self) -> tuple[dict[str, Any], list[Part]]:
        """Return the identity and the parts of the manifest, nothing where there is none.

        Raises:
            BatchError: ``batch.manifest`` it cannot be read.
        """
        path = self.folder / "manifest.json"
        try:
            data = json.loads(path.read_bytes())
            return data["identity"], [Part.of_json(told) for told in data["parts"]]
        except (FileNotFoundError, NotADirectoryError):
            return {}, []
        except (OSError, ValueError, TypeError, KeyError) as error:
            message = (
                f"{path}: expected the list of finished parts, got a file that cannot be read;"
                " --restart discards them"
            )
            raise BatchError(message, code="batch.manifest") from error

    def _is_whole(self, part: Part) -> bool:
        try:
            return all(_checksum(self.folder / n) == tuple(f) for n, f in part.files.items())
        except OSError:
            return False

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
            self.folder.mkdir(parents=True, exist_ok=True)
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
        for name in _NAMES:
            for half in self.folder.glob(part_of(name)):
                half.unlink(missing_ok=True)
        with suppress(OSError):  # parts are in it
            self.folder.rmdir()

    def join(self, answers: Output, rejected: Output) -> None:
        """Write all finished parts on into whole files."""
        for number in range(len(self.finished)):
            first, second = self.names(number)
            answers.append(first)
            rejected.append(second)

    def remove(self) -> None:
        """Remove all parts, the list of them first, and the folder if nothing else is in it."""
        for name in _NAMES:
            for path in [*self.folder.glob(name), *self.folder.glob(part_of(name))]:
                path.unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()
