"""Golden playthroughs: a recorded game of every preset the referee plays, replayed to the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from solver.engine.archive import read_records
from solver.engine.record import read_record
from solver.engine.replay import replay
from solver.engine.selfplay import SimplePlayer, play_game
from solver.rules.loader import load_rules
from solver.rules.presets import preset_names

GOLDEN = Path(__file__).parents[1] / "golden" / "playthroughs.jsonl"
LINES = list(read_records(GOLDEN))
NOT_PLAYED = {
    "indian-13": "its wild rank is that of a card turned at the deal, and players may drop",
    "rum-500": "any card of the discard pile may be taken",
    "rummikub": "the whole table may be rearranged in a turn",
}


def test_every_preset_has_a_playthrough_or_a_reason():
    played = {line.record.rules for line in LINES if line.record is not None}
    assert played | set(NOT_PLAYED) == set(preset_names())
    assert not played & set(NOT_PLAYED)


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.name)
def test_playthrough_replays_to_its_results(line):
    assert line.faults == ()
    played = replay(line.record)
    assert [f.to_json() for f in played.faults] == []
    assert played.state.is_over
    assert read_record(line.record.to_line()) == line.record


@pytest.mark.parametrize("name", ["three-thirteen", "speed-three-thirteen"])
def test_the_same_seed_plays_the_same_game_again(name):
    (line,) = [x for x in LINES if x.record.rules == name]
    record = line.record
    rules = load_rules(name, **record.options)
    again = play_game(rules, [SimplePlayer()] * len(record.seats), record.seed)
    assert [r.moves for r in again.rounds] == [r.moves for r in record.rounds]
    assert again.result == record.result
