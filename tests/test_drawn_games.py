"""Random games for the campaign: each shape is counted and valued like a plain search, and every shape comes up."""

import json
import random
from collections import Counter

import pytest

from puzzlekit.describe.kept_rules import rules_of_data
from puzzlekit.proof.player import Player
from tests import test_oracle, worth
from tests.campaign import features, in_memory, rules_of
from tests.drawn_games import (
    discs_rules,
    march_rules,
    marks_rules,
    rings_rules,
    sowing_rules,
    stones_rules,
    with_conditions,
    with_two_passes,
)
from tests.naive import Naive
from tests.profiles import cases

SHAPES = {
    "stones": stones_rules,
    "rings": rings_rules,
    "marks": marks_rules,
    "march": march_rules,
    "sowing": sowing_rules,
    "discs": discs_rules,
    "two passes": lambda rng: with_two_passes(rings_rules(rng), rng),
    "conditions": lambda rng: with_conditions(stones_rules(rng), rng),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_games_of_each_shape(shape):
    rng, kept = random.Random(shape), 0
    while kept < cases(4):
        rules = SHAPES[shape](rng)
        try:
            test_oracle.Engine(rules)
        except test_oracle.RulesError as error:
            assert "never holds" in str(error)  # noqa: PT017 - all other rules are right
            continue
        kept += 1
        test_oracle.compare(rules, [rng.choice(test_oracle.WIDTHS)])
        if kept % 2:
            rules = worth.for_points(rules, rng)
        worth.compare(rules)


@pytest.mark.slow
def test_the_campaign_draws_every_shape():
    found: Counter[str] = Counter()
    for seed in range(60):
        found.update(features(rules_of(seed, games=True)[0]))
    assert len(found) == 31
    assert min(found.values()) > 0, found


@pytest.mark.parametrize("games", [True, False])
def test_the_campaign_finds_no_fault_in_its_first_rules(games):
    for seed in range(cases(4)):
        in_memory(rules_of(seed, games=games)[0], seed)


def test_random_games_come_back_from_their_data_and_the_proof_plays_them_alike():
    """What rules can say is in their data, in the plain search and in the player of the proof alike."""
    for seed in range(cases(4)):
        data = json.loads(json.dumps(rules_of(seed, games=True)[0].to_data()))
        again = json.loads(json.dumps(rules_of_data(data, None, None).to_data()))
        assert {**again, "columns": None} == {**data, "columns": None}
        naive, player = Naive(data), Player(data)
        for cells, turn in (state for layer in naive.layers() for state in layer.raw):
            state = (bytes(map(naive.symbols.index, cells)), turn)
            after = [(bytes(map(naive.symbols.index, each)), who) for _, (each, who) in naive.successors((cells, turn))]
            assert player.after(state) == after
            assert player.outcome(state, after) == naive.outcome((cells, turn))
