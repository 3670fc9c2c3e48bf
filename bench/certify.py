"""Write the file of optima anew: every hand of the corpora by two engines, a sample by CP-SAT.

``python -m bench.certify`` takes some minutes; it is run when corpora or rules change, not by the
suite. The file is written after each corpus, so that an interrupted run loses little.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench import cases, liverpool, rummikub, service_load, threads
from bench.corpus import GAMES, Corpus, free_left, make_corpus
from bench.tiles import make_okey_racks, make_racks
from bench.truth import OPTIMA, compare_engines, digest, key_of, read_optima
from solver.solve import contract_left

CPSAT_SAMPLE: Final = 100
FOREVER: Final = float("inf")
OTHER_SIZES: Final = {"three-thirteen/random": (service_load.N_HANDS, *threads.HANDS)}
"""Further sizes at which a corpus is used."""


def questions() -> Iterator[tuple[Corpus, bool, tuple[int, ...]]]:
    """Yield each corpus at its full size, whether its contract is asked for, and its sizes."""
    for style in ("random", "dense"):
        yield make_corpus(GAMES["gin"], style, max(cases.GIN_HANDS)), False, cases.GIN_HANDS
        for game in ("three-thirteen", "five-crowns"):
            sizes = (*cases.HANDS, *OTHER_SIZES.get(f"{game}/{style}", ()))
            yield make_corpus(GAMES[game], style, max(sizes)), False, sizes
    for game in cases.OTHERS:
        hands = make_corpus(GAMES[game], "random", max(cases.OTHER_HANDS))
        yield hands, False, cases.OTHER_HANDS
    for deal in liverpool.make_deals(max(liverpool.HANDS)):
        yield deal, True, liverpool.HANDS
    yield make_racks(max(rummikub.RACKS)), False, rummikub.RACKS
    yield make_okey_racks(max(rummikub.OKEY_RACKS)), False, rummikub.OKEY_RACKS


def certify(corpus: Corpus, *, contract: bool) -> tuple[NDArray[np.int32], str]:
    """Return the answers of a corpus, every one told by two engines, and which those were.

    Raises:
        WrongAnswerError: two engines differ.
    """
    answers = (contract_left if contract else free_left)(corpus.counts, corpus.rules)
    engine, n = compare_engines(corpus, answers, contract=contract, budget_s=FOREVER)
    proofs = [f"{engine} {n:,}"]
    if engine != "cpsat":
        sample = corpus.head(CPSAT_SAMPLE)
        _, n = compare_engines(sample, answers, contract=contract, budget_s=FOREVER, engine="cpsat")
        proofs.append(f"cpsat {n:,}")
    return answers, ", ".join(proofs)


def entry_of(corpus: Corpus, answers: NDArray[np.int32], proved_by: str) -> dict[str, Any]:
    """Return what the file keeps of a corpus."""
    return {
        "rules": corpus.rules.fingerprint,
        "hands": digest(corpus.counts),
        "answers": digest(answers),
        "sum": int(answers.sum(dtype=np.int64)),
        "proved_by": proved_by,
    }


def write_optima(entries: dict[str, dict[str, Any]], path: Path = OPTIMA) -> None:
    """Write the file of optima, one corpus a line, sorted."""
    lines = [f"  {json.dumps(key)}: {json.dumps(entries[key])}" for key in sorted(entries)]
    path.parent.mkdir(exist_ok=True)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """Prove and write; corpora whose entry holds for these hands and rules are passed over."""
    parser = argparse.ArgumentParser(prog="bench.certify", description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="corpora whose name holds TEXT")
    parser.add_argument("--anew", action="store_true", help="prove corpora that have an entry too")
    args = parser.parse_args(argv)
    entries = dict(read_optima())
    for corpus, contract, sizes in questions():
        key = key_of(corpus, contract=contract)
        kept = entries.get(key, {})
        holds = kept.get("hands") == digest(corpus.counts)
        holds = holds and kept.get("rules") == corpus.rules.fingerprint
        if args.only not in key or (holds and not args.anew):
            continue
        answers, proved_by = certify(corpus, contract=contract)
        for n in sizes:
            part = corpus.head(n)
            entry = entry_of(part, answers[:n], proved_by)
            entries[key_of(part, contract=contract)] = entry
        write_optima(entries)
        print(f"{key}: {proved_by}", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
