"""Moves that are made of other moves, such as products, powers and inverses; and several cycles in one move."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlekit import Copy, Move, Rules, RulesError, anything_but, count, cycle, put, swap, toggle
from tests.naive import Naive
from tests.profiles import cases

SYMBOLS = "abc"
CELLS = 3
STATES = list(itertools.product(SYMBOLS, repeat=CELLS))


def does(move):
    """The effect of a move in every state, by the obvious interpreter: the state after it, or `None`."""
    rules = Rules(symbols=SYMBOLS, start="a" * CELLS, moves=[move])
    naive = Naive(rules.to_data())
    (data,) = naive.data["moves"]
    return {state: naive.apply(data, state) if naive.can(data, state) else None for state in STATES}


def one_after_the_other(first, second):
    first, second = does(first), does(second)
    return {state: None if after is None else second[after] for state, after in first.items()}


held = st.one_of(
    st.sampled_from(SYMBOLS),
    st.sets(st.sampled_from(SYMBOLS), min_size=1, max_size=3),
    st.builds(anything_but, st.sampled_from(SYMBOLS)),
)
copies = st.builds(Copy, st.integers(0, CELLS - 1), st.dictionaries(st.sampled_from(SYMBOLS), st.sampled_from(SYMBOLS)))
turns = st.builds(lambda cell, steps: Copy(cell, advance=steps), st.integers(0, CELLS - 1), st.integers(-4, 4))
permutations = st.permutations(range(CELLS)).map(
    lambda order: {cell: Copy(source) for cell, source in enumerate(order)}
)
twists = st.tuples(st.permutations(range(CELLS)), st.permutations(SYMBOLS)).map(
    lambda both: {cell: Copy(source, dict(zip(SYMBOLS, both[1], strict=True))) for cell, source in enumerate(both[0])}
)
written = st.dictionaries(st.integers(0, CELLS - 1), st.one_of(st.sampled_from(SYMBOLS), copies, turns))


@st.composite
def moves(draw):
    """A move with a guard of any kind, and any sources."""
    move = Move(then=draw(st.one_of(written, permutations, twists)))
    if draw(st.booleans()):
        move = move.when(draw(st.dictionaries(st.integers(0, CELLS - 1), held, max_size=2)))
    for kind in draw(st.lists(st.sampled_from(["equal", "different"]), max_size=1)):
        first, second = draw(st.permutations(range(CELLS)))[:2]
        move = getattr(move, f"when_{kind}")(first, second)
    return move


def made(make):
    """The effect of a move that is made of others; the message of the error if it cannot be made."""
    try:
        return does(make())
    except RulesError as error:
        return str(error)


def is_refused_with_reason(found):
    assert found.endswith(("change a guard", "mend it", "write the product cell by cell, one move for each symbol"))


SETTINGS = settings(max_examples=cases(60))


@SETTINGS
@given(moves(), moves())
def test_a_product_is_one_move_after_the_other(first, second):
    expected, found = one_after_the_other(first, second), made(lambda: first * second)
    if isinstance(found, str):
        is_refused_with_reason(found)
        # A product that has an effect is refused only if cells would have to be compared after they are changed.
        assert not any(expected.values()) or "in different ways" in found
    else:
        assert found == expected


@SETTINGS
@given(moves(), st.integers(1, 5))
def test_a_power_is_the_move_several_times(move, times):
    expected = dict.fromkeys(STATES)
    for state in STATES:
        after = state
        for _ in range(times):
            after = None if after is None else does(move)[after]
        expected[state] = after
    found = made(lambda: move**times)
    if isinstance(found, str):
        is_refused_with_reason(found)
        assert not any(expected.values()) or "in different ways" in found
    else:
        assert found == expected


@SETTINGS
@given(moves())
def test_an_inverse_undoes_the_move_and_nothing_else(move):
    forward, back = does(move), made(lambda: ~move)
    before = {}
    for state, after in forward.items():
        if after is not None:
            before.setdefault(after, []).append(state)
    if isinstance(back, str):
        lost = any(len(states) > 1 for states in before.values())
        assert lost or not before or "no guard of its inverse can say" in back, back
    else:
        assert {state: after for state, after in back.items() if after} == {
            state: states[0] for state, states in before.items()
        }
        assert all(len(states) == 1 for states in before.values())


def test_a_cell_that_another_one_tells_is_not_said_to_be_lost():
    """Cells 0 and 1 hold b and c, or c and b, so cell 1 tells what cell 0 held, and no guard can say so."""
    paint = Move({0: "a"}).when({0: anything_but("a"), 1: anything_but("a")}).when_different(0, 1)
    with pytest.raises(RulesError, match="overwrites cell 0, which it compares, and no guard of its inverse can say"):
        (~paint).over("abc")
    with pytest.raises(RulesError, match="it loses what cell 0 held"):
        (~Move({0: "a"})).over("abc")


def test_a_symbol_that_several_cells_tell_together_is_not_said_to_be_lost():
    """The move leads from aa, bb and cc to ab, bb and ac. No cell alone tells the state before; both together do."""
    spread = Move({0: Copy(0, map={"c": "a"}), 1: Copy(0, map={"a": "b"})}).when_equal(0, 1)
    with pytest.raises(RulesError, match="in each cell that takes it, and no guard of its inverse can say"):
        (~spread).over("abc")


@SETTINGS
@given(st.one_of(permutations, twists).map(Move), moves(), st.integers(1, 4))
def test_moves_that_lose_nothing_are_undone(move, other, times):
    assert made(lambda: ~(move**times)) == made(lambda: (~move) ** times)
    there_and_back = made(lambda: move * ~move)
    assert there_and_back == {state: state for state in STATES}
    conjugate = made(lambda: move * other * ~move)
    if not isinstance(conjugate, str):
        there, between, back = does(move), does(other), does(~move)
        for state in STATES:
            changed = between[there[state]]
            assert conjugate[state] == (None if changed is None else back[changed])


def test_twists_compose():
    turn = Move({0: Copy(1, advance=1), 1: Copy(0, advance=-1)})
    assert does(turn * turn) == {state: state for state in STATES}
    assert does(turn**7) == does(turn)
    data = Rules(symbols=SYMBOLS, start="abc", moves=[(turn * cycle(0, 1, 2)).named("both")]).to_data()
    assert data["moves"] == [
        {
            "name": "both",
            "player": None,
            "when": (),
            "then": [
                (0, {"copy": 2, "map": {}}),
                (1, {"copy": 1, "map": {"a": "b", "b": "c", "c": "a"}}),
                (2, {"copy": 0, "map": {"a": "c", "b": "a", "c": "b"}}),
            ],
        }
    ]


def test_guards_are_pulled_back():
    move = (cycle(0, 1, 2) * put(0, "a").when({1: "b"})).over(SYMBOLS)
    assert move.guard == ((0, ("b",)),)
    # The second move wants "b" in cell 1, which got it from cell 0. So the product knows what cell 0 held.
    assert move.writes == ((0, "a"), (1, "b"), (2, Copy(1)))


def test_a_guard_may_come_after_the_product():
    both = (swap(0, 1) * swap(1, 2)).when({0: "a"}).over(SYMBOLS)
    assert both.guard == ((0, ("a",)),)
    assert does((swap(0, 1) * swap(1, 2)).when({0: "a"}))["a", "b", "c"] == ("b", "c", "a")


def test_names_and_players():
    first, second = put(0, "a").by("X").named("one"), put(1, "b").named("two")
    assert ((first * second).name, (first * second).player) == (None, "X")
    assert ((second * first).player, (~swap(0, 1).named("over")).name) == ("X", None)
    assert ((second * second).player, (first**2).player) == (None, "X")


def test_a_power_may_be_large():
    assert does(cycle(0, 1, 2) ** (3 * 10**30 + 1)) == does(cycle(0, 1, 2))


REFUSED = {
    "another player": (
        lambda: put(0, "a").by("X") * put(0, "b").by("O"),
        'of player "X" is multiplied by one of player',
    ),
    "no move": (lambda: put(0, "a") * 3, "a move is multiplied by 3; give another move, or write \\*\\* to repeat it"),
    "power 0": (
        lambda: swap(0, 1).named("go") ** 0,
        'the move "go" is made 0 times; give a number from 1, or leave it',
    ),
    "negative power": (lambda: swap(0, 1) ** -2, r"made -2 times; .*for its inverse write \(~move\) \*\* 2"),
    "half a power": (lambda: swap(0, 1) ** 0.5, "a move is made 0.5 times; give a whole number from 1"),
    "what is lost": (lambda: ~put(0, "a"), "loses what cell 0 held, so nothing can undo it; say in its guard"),
    "what is lost, with a guard": (lambda: ~put(0, "a").when({0: {"a", "b"}}), "loses what cell 0 held"),
    "what becomes one": (lambda: ~Move({0: Copy(0, {"a": "b", "c": "c"})}), "turns several symbols of cell 0 into one"),
    "what is lost on the way": (lambda: ~(swap(0, 1) * put(1, "b")), "loses what cell 0 held"),
    "cells that overlap": (lambda: cycle([0, 1], [1, 2]), r"cycle names cell 1 twice; .* write cycle\(...\) \* cycle"),
    "a cell and a list": (lambda: cycle([0, 1], 2), "give the cells of one cycle, or one list for each cycle"),
    "nothing but": (anything_but, "anything_but is given no symbol; name those that are left out"),
}


def test_several_conditions_must_all_hold():
    guards = {0: "a"}, count("a", at_least=2), {1: "b"}
    one_by_one = put(2, "b")
    for guard in guards:
        one_by_one = one_by_one.when(guard)
    assert put(2, "b").when(*guards) == one_by_one


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_made_is_refused_at_once(case):
    make, message = REFUSED[case]
    with pytest.raises(RulesError, match=message):
        make()


LATE = {
    "never": (
        put(0, "a") * put(1, "b").when({0: "b"}),
        'the move "0" is made of others: a move and then a move can never',
    ),
    "an advance that is lost": (~Move({0: Copy(1, advance=1)}), "loses what cell 0 held"),
    "a symbol that is unknown": (put(0, "z") * swap(0, 1), 'names the unknown symbol "z"; the symbols are a b c'),
    "a guard with an unknown symbol": (swap(0, 1).when({0: "z"}) ** 2, 'names the unknown symbol "z"'),
    "all but an unknown symbol": (swap(0, 1).when({0: anything_but("z")}), 'names the unknown symbol "z"'),
    "a cell that is none": (swap(0, 7) ** 2, "names cell 7, which is out of range; cells go from 0 to 2"),
    "two writes": (cycle(0, 1, 0) ** 2, "writes cell 0 twice; write each cell once"),
    "a guard that never holds": (swap(0, 1).when({0: "a"}).when({0: "b"}) ** 2, "cell 0 would have to hold several"),
    "cells changed in different ways": (
        Move({0: Copy(0, advance=1)}) * swap(1, 2).when_equal(0, 1),
        "cells 0 and 1 would have to be compared after they are changed in different ways",
    ),
}


@pytest.mark.parametrize("case", LATE)
def test_what_the_rules_cannot_make_is_refused_with_its_name(case):
    move, message = LATE[case]
    with pytest.raises(RulesError, match=message):
        Rules(symbols=SYMBOLS, start="abc", moves=[move]).to_data()


def test_an_inverse_may_hang_on_the_list_of_symbols():
    # If there are two symbols, anything but one of them is the other.
    move = ~put(0, "a").when({0: anything_but("a")})
    assert move.over("ab").writes == ((0, "b"),)
    with pytest.raises(RulesError, match="loses what cell 0 held"):
        move.over("abc")


def test_what_is_copied_is_compared_when_it_is_undone():
    undone = (~Move({1: Copy(0)}).when({1: "c"})).over(SYMBOLS)
    assert (undone.equal, undone.writes) == (((0, 1),), ((1, "c"),))
    take = put(1, "c").when_equal(0, 1).when({0: {"a", "b"}})
    assert (~take).over(SYMBOLS).writes == ((1, Copy(0)),)


def test_several_cycles_are_one_move():
    both = cycle([0, 1, 2], (3, 4), range(5, 8))
    assert both == Move((*cycle(0, 1, 2).writes, *cycle(3, 4).writes, *cycle(5, 6, 7).writes))
    assert cycle([0, 1], [2, 3]).writes == (*swap(0, 1).writes, *swap(2, 3).writes)


def test_toggles_compose():
    assert does(toggle(0, 1) * toggle(1, 2)) == does(Move({0: Copy(0, advance=1), 1: Copy(1, advance=2)}) * toggle(2))


def test_all_but_some_symbols():
    rules = Rules(
        symbols=".xo",
        start="...",
        moves=[put(0, "x").when({1: anything_but("x", {"o"})}).when({2: anything_but("x")})],
        goal=[{0: anything_but(".")}],
    )
    data = rules.to_data()
    assert data["moves"][0]["when"] == ((1, (".",)), (2, (".", "o")))
    assert data["goal"] == [((0, ("x", "o")),)]


def test_the_inverse_is_named_as_it_is_written():
    with pytest.raises(RulesError, match=r"for its inverse write ~move$"):
        swap(0, 1) ** -1
    with pytest.raises(RulesError, match=r"write \(~move\) \*\* 2$"):
        swap(0, 1) ** -2
