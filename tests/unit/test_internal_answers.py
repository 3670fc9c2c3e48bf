"""A mistake of an engine is an error of its own, with its input, and never a fault of the hand."""

from __future__ import annotations

import json
import logging
import sys

import pytest
from click.testing import CliRunner

from service.app import create_app
from service.config import ServiceConfig
from solver.batch import Job, Question, run_batch
from solver.cli.solve import solve_command
from solver.errors import HandError, InternalError, own_answer
from solver.rules.loader import load_rules
from solver.solve import solve
from solver.solve.choose import Found

HAND = "5S 5H 9D KC"
CLAIMS = {
    "a set of two": Found(19, [(0, 4, 0, 0b10001, 0)], True, 19, "suit"),
    "a price that the melds do not have": Found(12, [], True, 12, "suit"),
}


@pytest.fixture(params=CLAIMS, ids=str)
def wrong_engine(request, monkeypatch):
    found = CLAIMS[request.param]
    module = sys.modules["solver.solve.one"]  # solver.solve is a function at the root, too
    monkeypatch.setattr(module, "find", lambda *_args, **_options: found)


def test_the_library_names_the_question(wrong_engine):
    with pytest.raises(InternalError) as caught:
        solve(HAND, load_rules("gin"))
    assert not isinstance(caught.value, HandError)
    (fault,) = caught.value.faults
    assert (fault.code, fault.where) == ("internal.answer", "")
    assert fault.data["question"].startswith(f"{HAND} under <GameRules gin")


def test_the_service_answers_500_with_the_code(wrong_engine, caplog):
    client = create_app(ServiceConfig(warm_up="off")).test_client()
    with caplog.at_level(logging.ERROR, "service"):
        response = client.post("/v1/solve", json={"hand": HAND, "rules": "gin"})
    document = json.loads(response.data)
    assert (response.status_code, document["code"]) == (500, "internal.answer")
    assert document["type"].endswith("#internal")
    assert HAND in caplog.text


def test_a_batch_gives_the_row_a_status_of_its_own(wrong_engine, tmp_path):
    source = tmp_path / "hands.csv"
    source.write_text(f"hand\n{HAND}\n", "utf-8")
    question = Question(load_rules("gin"), melds=True, any_size=True)
    summary = run_batch(Job((str(source),), str(tmp_path / "out.jsonl"), question))
    assert dict(summary.codes) == {"internal.answer": 1}


def test_the_command_tells_it_with_its_input(wrong_engine):
    told = CliRunner().invoke(solve_command, [HAND, "-r", "gin"])
    assert told.exit_code == 1
    assert "internal.answer" in told.output
    assert HAND in told.output


def test_other_errors_pass_through():
    with pytest.raises(ZeroDivisionError), own_answer(lambda: "a question"):
        raise ZeroDivisionError
