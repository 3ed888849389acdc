"""Proves what a job says, in plain Python: nothing here or in player.py is shared with the engine.

`prove` is given rules as data (docs/rules.md), and the claims of a job (claims.py). It asks player.py, which plays the
rules, for the states after each state, and derives that each claim is true; docs/proof.md says what that proves, and
what is trusted. It is slow and short on purpose: whoever doubts a count or a value can read it in ten minutes.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Any

from puzzlekit.proof.claims import Ends, Longest, Proven, UnprovenError, WrongError
from puzzlekit.proof.player import Player

if TYPE_CHECKING:
    from collections.abc import Iterable

    from puzzlekit.proof.claims import Claim, Run
    from puzzlekit.proof.player import State


def prove(data: dict[str, Any], run: Run, claims: Iterable[Claim]) -> Proven:
    """Derives that all claims of a job are true.

    Raises:
        WrongError: A claim is false.
        UnprovenError: A claim cannot be proven.
    """
    if run.backward and not run.complete:
        raise UnprovenError("a count backward is proven only when it is complete")
    player = Player(data)
    if not run.symmetry:
        player.group = player.group[:1]
    said: dict[State, Claim] = {}
    for claim in claims:
        turn = claim.depth % 2 if claim.player is None else claim.player
        state = (claim.cells, turn if player.players else 0)
        if state in said:
            raise WrongError(f"{player.text(state)} is there twice")
        said[state] = claim
    found = _Found(player, run, said)
    found.check_states()
    found.check_depths()
    values = found.check_values()
    if run.ends is not None:
        check_ends(run, ends_of(said.values()))
    raw = sum(claim.orbit_size for claim in said.values())
    return Proven(len(said), raw, sum(map(len, found.after.values())), values)


def ends_of(claims: Iterable[Claim]) -> Ends:
    """Counts claims by their moves to the end, or by their points."""
    counts: dict[bool, Counter[int]] = {True: Counter(), False: Counter()}
    first: dict[tuple[bool, int], int] = {}
    for claim in claims:
        number = claim.distance if claim.score is None else abs(claim.score) or None
        if number is None or claim.value not in ("win", "loss", "solvable"):
            continue
        wins = claim.value != "loss"
        counts[wins][number] += 1
        first[wins, number] = min(claim.depth, first.get((wins, number), claim.depth))
    most = max([*counts[True], *counts[False]], default=-1)
    table = {wins: tuple(counts[wins][number] for number in range(most + 1)) for wins in counts}
    return Ends(table[True], table[False], first.get((True, most)), first.get((False, most)))


def check_ends(run: Run, ends: Ends) -> None:
    """Checks what a job tells of all ends together against the counts of its claims, `ends`.

    Raises:
        WrongError: It is false.
    """
    if run.ends != tuple(zip(ends.wins, ends.losses, strict=True)):
        raise WrongError("the job tells other numbers of states for the moves to the end than it has")
    first = [(ends.longest_win, True), (ends.longest_loss, False)]
    least = min((depth for depth, _ in first if depth is not None), default=None)
    longest = [
        Longest(depth, wins, len(ends.wins) - 1) for depth, wins in first if depth == least and depth is not None
    ]
    if run.longest not in longest and (longest or run.longest is not None):
        raise WrongError("the job names another state as the one with the longest way to the end")


class _Found:
    """The states of a job, and what follows from the rules."""

    def __init__(self, player: Player, run: Run, said: dict[State, Claim]) -> None:
        self.player, self.run, self.said = player, run, said
        self.after: dict[State, set[State]] = {}
        """For each state, the orbits that its moves lead to. The smallest state of each orbit stands for it."""

    def wrong(self, state: State, what: str) -> WrongError:
        """Makes the error for a false claim about a state. `what` completes the sentence that begins with the state."""
        return WrongError(f"{self.player.text(state)} {what}")

    def check_states(self) -> None:
        """Checks that each state is the smallest of its orbit, and its orbit size and outcome. Fills `after`."""
        if len(set(self.player.images(self.player.start))) > 1:
            raise UnprovenError("a symmetry moves the start")
        from_goal = self.run.backward and self.run.unsolvable is None
        # A job that counts backward lacks the states that cannot be solved. They are reached and checked, too.
        queued = {*self.said, self.player.start} if self.run.backward else set(self.said)
        new = deque(queued)
        while new:
            state = new.popleft()
            claim, images, after = self.said.get(state), self.player.images(state), self.player.after(state)
            outcome, solved = self.player.outcome(state, after), self.player.solved(state)
            if claim is not None and state != min(images):
                raise self.wrong(state, "does not stand for its orbit: an image of it is smaller")
            if claim is not None and claim.orbit_size != len(set(images)):
                raise self.wrong(state, f"stands for {len(set(images))} states, not for {claim.orbit_size}")
            if claim is not None and claim.outcome != (told := None if from_goal else outcome):
                raise self.wrong(state, f"has the outcome {told}, not {claim.outcome}")
            # A state can stand for its images only if they play as it does. So their outcome must be the same, and
            # their successors must be the images of its successors.
            moved = [set(column) for column in zip(*map(self.player.images, after), strict=True)] or [set()] * len(
                images
            )
            for image, expected in zip(images, moved, strict=True):
                theirs = self.player.after(image)
                same = self.player.outcome(image, theirs) == outcome and self.player.solved(image) == solved
                if set(theirs) != expected or not same:
                    raise self.wrong(state, "has an image that does not play as it does: a symmetry is none")
            self.after[state] = {min(self.player.images(each)) for each in after}
            if self.run.backward:
                new.extend(self.after[state] - queued)
                queued |= self.after[state]

    def check_depths(self) -> None:
        """Checks that depths are the fewest moves from the start (backward: to the goal), that all states are there."""
        counts = Counter(claim.depth for claim in self.said.values())
        raw: Counter[int] = Counter()
        for claim in self.said.values():
            raw[claim.depth] += claim.orbit_size
        numbers = [(counts[depth], raw[depth]) for depth in range(len(counts))]
        if self.run.backward and not numbers:
            numbers = [(0, 0)]  # nothing can be solved: depth 0 has no state
        if numbers != list(self.run.counts):
            raise WrongError("the job tells other numbers of states for its depths than it has")
        if self.run.backward:
            self._check_distances_as_depths()
            return
        if [state for state, claim in self.said.items() if claim.depth == 0] != [self.player.start]:
            raise WrongError(f"depth 0 must have the start {self.player.text(self.player.start)}, and nothing else")
        last, reached = len(counts) - 1, {self.player.start}
        for state, claim in self.said.items():
            for each in self.after[state]:
                there = self.said.get(each)
                if there is None and (self.run.complete or claim.depth < last):
                    raise self.wrong(each, f"is missing: a move leads there from {self.player.text(state)}")
                if there is not None and there.depth > claim.depth + 1:
                    raise self.wrong(each, f"has the depth {claim.depth + 1} or less, not {there.depth}")
                if there is not None and there.depth == claim.depth + 1:
                    reached.add(each)
        for state, claim in self.said.items():
            if state not in reached:
                raise self.wrong(
                    state, f"is not reached in {claim.depth} moves: no move leads there from the depth before"
                )

    def _check_distances_as_depths(self) -> None:
        for state, claim in self.said.items():
            self._check_distance(state, claim.depth)
        others = self.after.keys() - self.said.keys()
        for state in others:
            if self.player.solved(state) or self.after[state] & self.said.keys():
                raise self.wrong(state, "is missing: it can be solved")
        if self.run.unsolvable is None:
            return
        states, raw = len(others), sum(len(set(self.player.images(state))) for state in others)
        if self.run.unsolvable != (states, raw):
            claimed, claimed_raw = self.run.unsolvable
            raise WrongError(f"{states} states ({raw} raw) cannot be solved, not {claimed} ({claimed_raw} raw)")
        reached = {self.player.start}
        new = [self.player.start]
        while new:
            after = self.after[new.pop()] - reached
            reached |= after
            new.extend(after)
        for state in self.said.keys() - reached:
            raise self.wrong(state, "is not reached from the start")

    def _check_distance(self, state: State, distance: int) -> None:
        """Checks that a distance is 0 in a solved state, and else one more than the smallest of the states after it."""
        near = [self._distance(each) for each in self.after[state]]
        least = 0 if self.player.solved(state) else 1 + min((each for each in near if each is not None), default=-2)
        if distance != least:
            raise self.wrong(state, f"needs {least if least >= 0 else 'no number of'} moves, not {distance}")

    def _distance(self, state: State) -> int | None:
        claim = self.said.get(state)
        if claim is None or self.run.backward:
            return None if claim is None else claim.depth
        return claim.distance if claim.value == "solvable" else None

    def check_values(self) -> int:
        """Checks that each value follows from the values of the states after it. Returns how many values were checked.

        This is not circular: a distance falls with every move that proves a value, or else play never comes back, or
        points are forced.
        """
        valued = {state: claim for state, claim in self.said.items() if claim.value is not None}
        if not valued or self.run.backward:
            return 0
        if len(valued) < len(self.said):
            raise WrongError("some states have a value, and others have none")
        if not self.run.complete:
            raise UnprovenError("values are proven only when the job has all states")
        if self.player.score:
            for state, claim in valued.items():
                self._check_points(state, claim)
            for forcer in (0, 1):
                self._check_forced(forcer)
            return len(valued)
        # Values without distances are proven only if play never comes back to a state. A draw and an unsolvable state
        # need no distance.
        needy = (claim for claim in valued.values() if claim.value not in ("draw", "unsolvable"))
        if any(claim.distance is None for claim in needy) and self._never_settled(self.after):
            raise UnprovenError("the job keeps no distances, and play can come back to a state")
        for state, claim in valued.items():
            (self._check_position if self.player.players else self._check_solvable)(state, claim)
        return len(valued)

    def _check_solvable(self, state: State, claim: Claim) -> None:
        can = self.player.solved(state) or any(self.said[each].value == "solvable" for each in self.after[state])
        if claim.value != ("solvable" if can else "unsolvable"):
            raise self.wrong(state, f"is {'solvable' if can else 'unsolvable'}, not {claim.value}")
        if claim.distance is not None and can:
            self._check_distance(state, claim.distance)

    def _check_position(self, state: State, claim: Claim) -> None:
        after = [(self.said[each], {"win": "loss", "loss": "win"}) for each in self.after[state] if each[1] != state[1]]
        after += [
            (self.said[each], {"win": "win", "loss": "loss"}) for each in self.after[state] if each[1] == state[1]
        ]
        mine, theirs = self.player.players[state[1]], self.player.players[1 - state[1]]
        # A value is that of the player to move. After a move that keeps the turn, this is still the same player.
        lost = [each.distance for each, for_mover in after if for_mover.get(str(each.value)) == "win"]
        won = [each.distance for each, for_mover in after if for_mover.get(str(each.value)) == "loss"]
        if not after:
            value, distance = {mine: "win", theirs: "loss"}.get(claim.outcome or "", "draw"), 0
        elif lost:
            value, distance = "win", 1 + min(each or 0 for each in lost)
        else:
            value = "loss" if len(won) == len(after) else "draw"
            distance = 1 + max((each or 0 for each in won), default=0)
        if claim.value != value:
            raise self.wrong(state, f"is a {value} for {mine}, not a {claim.value}")
        if value != "draw" and claim.distance not in (None, distance):
            raise self.wrong(state, f"is a {value} in {distance} moves, not in {claim.distance}")

    def _check_points(self, state: State, claim: Claim) -> None:
        scores = [(each[1], self.said[each].score or 0) for each in self.after[state]]
        after = [score if player == state[1] else -score for player, score in scores]
        own = self.player.points(state)
        points = max(after) if after else own if state[1] == 0 else -own
        if claim.score != points:
            raise self.wrong(state, f"is worth {points} points to {self.player.players[state[1]]}, not {claim.score}")

    def _check_forced(self, forcer: int) -> None:
        """Checks that a player can force what each state is worth, if this is more than play that never ends.

        Points that agree with those around them may be wrong in a circle, where each state leads to another one that is
        worth as much. So a state is settled by one successor of the same worth if the player moves, and by all such
        successors if the opponent does. Successors that are worth more are settled by themselves.
        """
        worth = {state: (claim.score or 0) * (1 if state[1] == forcer else -1) for state, claim in self.said.items()}
        endless = (self.player.score or {}).get("endless")
        floor = -endless if endless and forcer == 1 else endless
        same = {
            state: {each for each in self.after[state] if worth[each] == points}
            for state, points in worth.items()
            if floor is None or points > floor
        }
        for state in self._never_settled(same, forcer):
            points, name = worth[state], self.player.players[forcer]
            what = f"is not worth {points} points to {name}, who cannot force them: play may never end"
            raise self.wrong(state, what)

    def _never_settled(self, after: dict[State, set[State]], one: int | None = None) -> set[State]:
        """The states that never are. A state is settled by all states of `after`, or by one if player `one` moves."""
        before: dict[State, list[State]] = {state: [] for state in self.after}
        left: dict[State, int] = {}
        for state, needed in after.items():
            left[state] = min(1, len(needed)) if state[1] == one else len(needed)
            for each in needed:
                before[each].append(state)
        settled = [state for state in left if not left[state]]
        for state in settled:
            for each in before[state]:
                left[each] -= 1
                settled += [] if left[each] else [each]
        return left.keys() - set(settled)
