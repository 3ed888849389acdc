"""Random games for the campaign: each shape is counted and valued like a plain search, and every shape comes up."""

import random
from collections import Counter

import pytest

from tests import test_oracle, test_values
from tests.campaign import in_memory, rules_of
from tests.drawn_games import rings_rules, stones_rules, with_conditions, with_two_passes
from tests.naive import Naive
from tests.profiles import cases

SHAPES = {
    "stones": stones_rules,
    "rings": rings_rules,
    "two passes": lambda rng: with_two_passes(rings_rules(rng), rng),
    "conditions": lambda rng: with_conditions(stones_rules(rng), rng),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_games_of_each_shape(shape):
    rng, kept, scored = random.Random(shape), 0, 0
    while kept < cases(6):
        rules = SHAPES[shape](rng)
        try:
            test_oracle.Engine(rules)
        except test_oracle.RulesError as error:
            assert "never holds" in str(error)  # noqa: PT017 - all other rules are right
            continue
        kept += 1
        test_oracle.compare(rules, [rng.choice(test_oracle.WIDTHS)])
        if rng.random() < 0.5:
            rules, scored = test_values.for_points(rules, rng), scored + 1
        test_values.compare(rules)
    assert 0 < scored < kept


def test_the_campaign_draws_every_shape():
    found: Counter[str] = Counter()
    for seed in range(120):
        rules, _ = rules_of(seed, games=True)
        data = rules.to_data()
        wanted = {place: data[place] for place in ("moves", "ends")}
        for place, given in wanted.items():
            for name in ("counts", "unless", "connected"):
                found[f"{name} in {place}"] += any(each.get(name) for each in given)
        found["again"] += any(move.get("again") for move in data["moves"])
        found["score"] += bool(data.get("score"))
        found["points of an end"] += any(end.get("score") is not None for end in data["ends"])
        found["passes for want of a move"] += rules.stuck == "pass"
        found["two passes"] += {"0", "1", "2"} <= set(data["symbols"])
        found["symmetries"] += bool(rules.symmetries)
        found["many states"] += sum(len(layer.raw) for layer in Naive(data).layers()) > 50
    del found["unless in ends"]
    assert min(found.values()) > 2, found


@pytest.mark.parametrize("games", [True, False])
def test_the_campaign_finds_no_fault_in_its_first_rules(games):
    for seed in range(cases(4)):
        in_memory(rules_of(seed, games=games)[0], seed)
