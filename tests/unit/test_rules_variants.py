"""A variant that is switched on holds: another option may refine it, never undo it."""

from __future__ import annotations

import pytest

from solver.errors import RulesError
from solver.rules.loader import load_rules
from solver.rules.presets import preset_names, read_preset
from solver.rules.settings import expand

UNDONE = [
    ("liverpool", {"jokers_only": True, "wild_ranks": ["2"]}),
    ("liverpool", {"jokers_only": True, "wild_schedule": {"10": "T", "12": "Q"}}),
    ("liverpool", {"kept_wilds": True, "wilds_after_down": "played"}),
    ("shanghai-10", {"twos_wild": True, "wild_ranks": ["3"]}),
    ("kalooki-51", {"kalooki_40": True, "initial_meld_min": 51}),
    ("indian-13", {"one_run": True, "hand_require": [2, 1]}),
]
REFINED = [
    ("liverpool", {"pip_values": True, "joker_points": 15}),
    ("liverpool", {"pip_values": True, "points": {"A": 20}}),
    ("three-thirteen", {"speed": True, "max_players": 5}),
    ("liverpool", {"jokers_only": True, "wild_ranks": "none"}),
]


@pytest.mark.parametrize(("name", "options"), UNDONE)
def test_an_option_that_undoes_a_variant_is_refused(name, options):
    with pytest.raises(RulesError) as caught:
        load_rules(name, **options)
    fault = caught.value.faults[0]
    assert fault.code == "rules.conflict"
    assert fault.where.removeprefix("/options/") in options
    assert next(iter(options)) in fault.message


@pytest.mark.parametrize(("name", "options"), REFINED)
def test_an_option_that_refines_a_variant_or_agrees_is_taken(name, options):
    assert load_rules(name, **options) != load_rules(name)


@pytest.mark.parametrize("name", preset_names())
def test_every_variant_stands_alone_and_beside_its_own_values(name):
    preset = read_preset(name)
    for variant, told in preset.variants.items():
        alone = load_rules(name, **{variant: True})
        values = {key: dict(v) if key == "points" else v for key, v in told.layer.values.items()}
        assert load_rules(name, **{variant: True}, **values).meld == alone.meld
        assert expand(told.layer.values)
