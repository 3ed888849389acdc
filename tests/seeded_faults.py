"""Puts known faults into the engine, one at a time, and tells whether the tests notice. `make seeded-faults` runs it.

    python -m tests.seeded_faults            tries each fault
    python -m tests.seeded_faults parity     tries the faults whose name has the word
    python -m tests.seeded_faults --check    only checks that each fault still fits the source

A fault is a piece of the source, with a wrong piece to put in its place. The script works in a copy of the tracked
files. There, each piece becomes `if seeded("name") { fault } else { piece }`, so the tests are compiled once for all
faults, and an environment variable says which fault a run has. The script fails if no test notices a fault. It also
fails if a piece is not exactly once in its file: then the code has moved, and the fault has to move with it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = Path("rust_core") / "src"
VARIABLE = "PUZZLEKIT_SEEDED"
MOST_SECONDS = 600
"""A run that takes longer than this counts as hanging, which means that the fault was noticed."""

SEEDED = f"""
#[doc(hidden)]
pub(crate) fn seeded(name: &str) -> bool {{
    static CHOSEN: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    CHOSEN.get_or_init(|| std::env::var("{VARIABLE}").unwrap_or_default()) == name
}}
"""


@dataclass(frozen=True)
class Fault:
    """A piece of a file of the crate, the wrong piece in its place, and the tests that should notice."""

    name: str
    file: str
    piece: str
    fault: str
    tests: str

    @property
    def seeded(self) -> str:
        """An expression with both the piece and the fault. When the tests run, one of them is chosen."""
        chosen = f'if crate::seeded("{self.name}") {{ {self.fault} }} else {{ {self.piece} }}'
        return chosen if self.piece.endswith((";", "}")) else f"({chosen})"


FAULTS = [
    Fault(
        "guard-mask",
        "compile/guards.rs",
        "mask = mask.or(W::at(slot, fixed));",
        "mask = mask.or(W::at(slot, fixed & fixed.wrapping_sub(1)));",
        "compile::guards compile::steps",
    ),
    Fault(
        "guard-set",
        "compile/guards.rs",
        "set.contains(word.bits(*slot, cell_mask) as u8)",
        "true",
        "compile::guards compile::steps tests::oracle::placements",
    ),
    Fault(
        "always-a-move",
        "compile/always.rs",
        "set.is_none_or(|set| set.contains(symbol))",
        "set.is_none_or(|set| !set.is_empty())",
        "compile::always",
    ),
    Fault(
        "ends-a-move-can-complete",
        "compile/completable_ends.rs",
        "!before.within(wanted)",
        "before.and(wanted).is_empty()",
        "tests::tiered::values",
    ),
    Fault(
        "ends-of-new-states",
        "sparse/state_graph.rs",
        "&self.ends[self.player(depth)].ends",
        "&self.ends[self.player(depth + 1)].ends",
        "sparse::tests tests::oracle::placements",
    ),
    Fault(
        "orbit-size",
        "compile/images/orbit_sizes.rs",
        "(self.order / fixed) as u64",
        "(self.order / fixed) as u64 + u64::from(fixed > 2)",
        "compile::images tests::counts::raw_counts",
    ),
    Fault(
        "orbit-size-by-images",
        "compile/images/orbit_sizes.rs",
        "self.orbit_size_of_lanes(same, self.blocks * LANES)",
        "self.orbit_size_of_lanes(same, self.blocks * LANES) + u64::from(same > 1 && self.order > 2)",
        "tests::counts sparse",
    ),
    Fault(
        "stuck-state-when-expanded",
        "sparse/seen.rs",
        "self.stuck[outcome] += 1",
        "self.stuck[outcome] += u64::from(self.stuck[outcome] == 0)",
        "tests::counts sparse",
    ),
    Fault(
        "smaller-of-two-images",
        "compile/many_images.rs",
        "known.into_iter().chain(numbers(batch, found.lanes).map(image)).min()",
        "known.into_iter().chain(numbers(batch, found.lanes).map(image)).max()",
        "compile::images",
    ),
    Fault(
        "wide-words-by-their-hashes",
        "sparse/word_set.rs",
        "slot.may_have(hash) && self.listed[slot.at()].same(word)",
        "slot.may_have(hash)",
        "sparse::word_set",
    ),
    Fault(
        "last-words-that-wait",
        "sparse/word_set.rs",
        "waiting.copy_within(WAITING.., 0)",
        "waiting.copy_within(WAITING - 1.., 0)",
        "sparse::word_set sparse::partition",
    ),
    Fault(
        "parts-smaller-than-a-line",
        "sparse/word_set.rs",
        "within < Lines::<W>::SLOTS",
        "within == 0",
        "sparse::word_set",
    ),
    Fault(
        "words-of-a-full-line",
        "sparse/lines.rs",
        "(begin + Lines::<W>::SLOTS) & mask",
        "(begin + 2 * Lines::<W>::SLOTS) & mask",
        "sparse::lines",
    ),
    Fault(
        "flips-of-the-state-itself",
        "sparse/expand.rs",
        "word.xor(flips[0])",
        "word.xor(flips[1])",
        "sparse tests::oracle",
    ),
    Fault(
        "four-lanes-with-the-identity",
        "compile/images/orbit_sizes.rs",
        "1 + self.lanes - self.order",
        "1 + LANES - self.order.max(LANES / 2 + 1)",
        "compile::images sparse",
    ),
    Fault(
        "pivot-and-a-guard-beside-it",
        "compile/steps_plan.rs",
        "self.rest.0.is_empty()",
        "true",
        "compile::steps compile::move_finder",
    ),
    Fault(
        "pivot-and-cells-without-it",
        "compile/steps_plan.rs",
        "self.without.is_empty()",
        "true",
        "compile::steps compile::move_finder",
    ),
    Fault(
        "pivot-and-conditions",
        "compile/steps_plan.rs",
        "self.conditions.is_empty()",
        "true",
        "compile::steps compile::move_finder",
    ),
    Fault(
        "symmetries-that-fix-a-state",
        "compile/many_images.rs",
        "numbers(batch, lanes).filter(|&at| is_fixed(at)).count()",
        "numbers(batch, lanes).count()",
        "compile::images",
    ),
    Fault(
        "shuffles-for-some-moves-only",
        "compile/image_deltas.rs",
        "all.unwrap_or_else(|| steps.iter().map(|_| ImageDelta::Anything).collect())",
        "steps.iter().map(|step| shuffled(step).unwrap_or(ImageDelta::Anything)).collect()",
        "shuffled_successors",
    ),
    Fault(
        "images-that-are-larger-come-back",
        "compile/image_limbs.rs",
        "is_out[half].or(left[half].greater(smallest))",
        "left[half].greater(smallest)",
        "image_limbs images_side_by_side",
    ),
    Fault(
        "orbit-of-half-limbs",
        "compile/image_limbs.rs",
        "difference == 0",
        "difference as u32 == 0",
        "image_limbs images_side_by_side",
    ),
    Fault(
        "no-goal-but-the-first-word",
        "engine/goal_roots.rs",
        "compiled.solved(word)",
        "compiled.solved(word) && word == words[0]",
        "counted_values several_goals",
    ),
    Fault(
        "goals-that-are-bits-of-the-last-place",
        "engine/goal_roots.rs",
        "goals[at] |= 1 << bit",
        "goals[at] = 1 << bit",
        "counted_values several_goals",
    ),
    Fault(
        "images-with-one-prefix",
        "compile/shuffled_images.rs",
        "image[differs] > known[differs]",
        "image[differs] < known[differs]",
        "compile::images",
    ),
    Fault(
        "last-end-of-a-screen",
        "compile/end_screen.rs",
        "word.and(row.masks[at]).same(row.values[at])",
        "at < AT_ONCE - 1 && word.and(row.masks[at]).same(row.values[at])",
        "compile::end_screen",
    ),
    Fault(
        "walks-that-end-one-step-too-soon",
        "compile/move_walks.rs",
        "builder.steps -= 1",
        "builder.steps -= 2.min(builder.steps)",
        "compile::planted_steps",
    ),
    Fault(
        "walks-that-begin-at-different-cells",
        "compile/move_walks.rs",
        "cells.all(|cell| cell == Some(first))",
        "true",
        "compile::planted_steps",
    ),
    Fault(
        "groups-of-moves-that-do-not-exclude-each-other",
        "compile/move_walks.rs",
        "group.iter().all(|&other| exclude(&given.when, &moves[other].when))",
        "group.iter().any(|&other| exclude(&given.when, &moves[other].when))",
        "compile::planted_steps",
    ),
    Fault(
        "cells-that-a-lane-does-not-have",
        "compile/lanes_of_bytes.rs",
        "bits.or(bits.down(V::new(*fours))).and(V::new(*mask)).up(V::new(*up))",
        "bits.or(bits.down(V::new(*fours))).up(V::new(*up))",
        "compile::shuffled_images",
    ),
    Fault(
        "symmetric-image",
        "compile/images/mod.rs",
        "one.min(other)",
        "one",
        "compile::images",
    ),
    Fault(
        "window",
        "structure/window.rs",
        "rules.ends.is_empty() && rules.all_undone()",
        "rules.ends.is_empty()",
        "structure::window tests::counts::slides",
    ),
    Fault(
        "tier-order",
        "structure/tiers.rs",
        "composition.iter().zip(needs).any(|(has, needs)| has < needs)",
        "composition.iter().zip(needs).any(|(has, needs)| has <= needs)",
        "structure::tiers tests::tiers",
    ),
    Fault(
        "least-raise",
        "structure/potential.rs",
        "term.iter().min_by_key(|sum| value(sum))",
        "term.iter().max_by_key(|sum| value(sum))",
        "structure::potential tests::tiered::play",
    ),
    Fault(
        "start-of-a-symmetry",
        "rules/symmetry.rs",
        "symmetry.apply(&rules.start) != rules.start",
        "false",
        "structure:: tests::brute",
    ),
    Fault(
        "end-of-a-symmetry",
        "rules/symmetry.rs",
        "!self.ends.contains(&(outcome, &when, &conditions, points))",
        "false",
        "structure:: tests::brute",
    ),
    Fault(
        "inverse-of-the-other-player",
        "rules/inverse.rs",
        "rules.next_player(mover) == player",
        "true",
        "rules::inverse",
    ),
    Fault(
        "worth-of-an-outcome",
        "run/values.rs",
        "winner == player",
        "winner != player",
        "tests::tiered",
    ),
    Fault(
        "lost-successor",
        "sparse/expand.rs",
        "open[0].raw.push(smallest)",
        "if place != 3 { open[0].raw.push(smallest) }",
        "tests::oracle::placements",
    ),
    Fault(
        "wrong-outcome",
        "sparse/expand.rs",
        "ended[outcome].raw.push(smallest)",
        "ended[outcome ^ usize::from(ended.len() > 1)].raw.push(smallest)",
        "tests::oracle::placements",
    ),
    Fault(
        "moves-of-an-earlier-state",
        "graph/kept_moves.rs",
        "end - self.begins[begin]",
        "end - self.begins[0]",
        "graph::explored",
    ),
    Fault(
        "way-that-is-not-shortest",
        "solve/all_solutions.rs",
        "later.contains(&after) && self.leads[after as usize]",
        "later.contains(&after)",
        "tests::answers",
    ),
    Fault(
        "lost-stuck-state",
        "sparse/close.rs",
        "closed.stuck.push(word);",
        "",
        "tests::faults::a_sparse tests::walls::jobs tests::faults::a_job_on_disk",
    ),
    Fault(
        "compared-with-one-depth",
        "sparse/state_graph.rs",
        "(depth.saturating_sub(2)..depth).collect()",
        "(depth.saturating_sub(1)..depth).collect()",
        "sparse:: tests::counts::slides",
    ),
    Fault(
        "start-is-forgotten",
        "sparse/state_graph.rs",
        "(0..depth).filter(|&before| set(before) == set(depth)).collect()",
        "(1..depth).filter(|&before| set(before) == set(depth)).collect()",
        "sparse:: tests::counts::slides",
    ),
    Fault(
        "hash-of-a-shard",
        "sparse/hash.rs",
        "((u128::from(word.hash64()) * u128::from(shards)) >> 64) as usize",
        "(word.hash64() % shards) as usize",
        "sparse::",
    ),
    Fault(
        "rank-of-an-arrangement",
        "index/multinomial.rs",
        "rank += table[composition - self.weights[label]];",
        "rank += table[composition - self.weights[label]] - u64::from(label == 1);",
        "index::",
    ),
    Fault(
        "parity",
        "index/sequence.rs",
        "inversions.count() % 2 == 1",
        "inversions.count() % 4 == 1",
        "index::",
    ),
    Fault(
        "last-twist",
        "index/piece.rs",
        "factors[digit(place)] = count - 1",
        "factors[digit(place)] = 1",
        "tests::oracle::pieces_that_twist",
    ),
    Fault(
        "rank-of-a-set",
        "index/subsets.rs",
        "choose(bit, at + 1)",
        "choose(bit, at)",
        "index::",
    ),
    Fault(
        "sum-of-toggles",
        "structure/span.rs",
        "*target ^= added",
        "*target |= added",
        "structure::span",
    ),
    Fault(
        "some-lamps-in-a-row-are-left-out",
        "structure/dials.rs",
        "vector.chunks(64)",
        "vector.chunks(63)",
        "structure::dials",
    ),
    Fault(
        "no-search-after-cosets-that-count-too-few-moves",
        "solve/by_pieces.rs",
        "matches!(deepened, Deepened::SettledAside | Deepened::TooFar)",
        "matches!(deepened, Deepened::SettledAside)",
        "tests::deep",
    ),
    Fault(
        "a-cell-whose-symbol-stays-is-still",
        "structure/dials.rs",
        "still[cell] = false",
        "still[cell] = circles[cell].len() == 1",
        "solve::algebra",
    ),
    Fault(
        "image-of-a-set",
        "dense/placement/cell_sets.rs",
        "(image, self.inverses[element])",
        "(image, element)",
        "tests::counts::marks tests::counts::raw_counts",
    ),
    Fault(
        "guard-of-labels",
        "dense/multiset/tables.rs",
        "u64::from(labels[place] == label)",
        "u64::from(labels[place] <= label)",
        "tests::counts::both_stores",
    ),
    Fault(
        "depth-limit",
        "dense/driver.rs",
        "options.max_depth.is_some_and(|most| most <= depth)",
        "options.max_depth.is_some_and(|most| most < depth)",
        "tests::faults::a_job_of_snapshots_is",
    ),
    Fault(
        "a-piece-is-left-out",
        "dense/driver.rs",
        "(restored.pieces, storage.pieces())",
        "(restored.pieces + usize::from(restored.pieces > 0), storage.pieces())",
        "tests::faults::a_dense_job_goes",
    ),
    Fault(
        "stale-depths-of-a-snapshot",
        "job/snapshot.rs",
        "manifest.depths.append(&mut depths.clone());",
        "",
        "tests::faults::a_job_of_snapshots",
    ),
    Fault(
        "flipped-byte",
        "job/reader.rs",
        "self.digest.checksum() == self.checksum",
        "true",
        "job::disk",
    ),
    Fault(
        "bound-too-high",
        "solve/patterns/pattern_table.rs",
        "self.values[place] = self.values[place].min(cost);",
        "self.values[place] = self.values[place].min(cost + u8::from(cost > 2));",
        "solve::patterns",
    ),
    Fault(
        "both-orders-are-left-out",
        "solve/move_pruning.rs",
        "next < given && independent(given, next)",
        "next != given && independent(given, next)",
        "solve::patterns solve::cosets",
    ),
    Fault(
        "lower-bound-of-both-ends",
        "solve/answer.rs",
        "depths + 1",
        "depths + 2",
        "solve::bidirectional",
    ),
    Fault(
        "guard-that-is-not-tested",
        "compile/guard_tree.rs",
        "self.tested[place] &= demands.iter().all(|&(cell, _)| seen(cell));",
        "let _ = &seen;",
        "compile::planted_steps tests::many_moves",
    ),
    Fault(
        "pattern-that-is-needed",
        "compile/guard_tree.rs",
        "self.decides &= demands.iter().all(|&(cell, _)| self.decided[cell]);",
        "let _ = demands;",
        "compile::planted_steps tests::many_moves",
    ),
    Fault(
        "moves-beyond-a-node",
        "compile/guard_tree.rs",
        "self.add_node(later, rest)",
        "self.add_node(&later[..later.len().saturating_sub(1)], rest)",
        "compile::guard_tree",
    ),
    Fault(
        "moves-of-the-other-player",
        "compile/move_sets.rs",
        "&self.sets[self.chooser.code(views) as usize]",
        "&self.sets[0 * self.chooser.code(views) as usize]",
        "compile::move_sets",
    ),
    Fault(
        "moves-whose-condition-holds-are-sifted",
        "compile/move_sets.rs",
        "!test.holds(views)",
        "test.holds(views)",
        "compile::move_sets",
    ),
    Fault(
        "two-moves-of-a-word",
        "compile/move_sets.rs",
        "end <= count + AT_ONCE",
        "end <= count + AT_ONCE || true",
        "compile::move_sets",
    ),
    Fault(
        "moves-of-the-second-word",
        "compile/steps.rs",
        "(bits, more, first) = (more, 0, u64::BITS)",
        "(bits, more, first) = (more, 0, first)",
        "compile::steps",
    ),
    Fault(
        "cell-that-passes-the-last-symbol",
        "compile/moves.rs",
        "word.and(self.missing).or(word.or(self.missing).and(sum)).and(self.top)",
        "word.and(self.missing).and(self.top)",
        "compile::steps",
    ),
    Fault(
        "half-an-image-is-remembered",
        "compile/image_tree.rs",
        "search.begin(first, &mut memory.memo)",
        "{ search.whole = whole; search.begin(first, &mut memory.memo) }",
        "compile::image_tree",
    ),
    Fault(
        "circles-beside-copies",
        "compile/moves.rs",
        "copies && !plan.circles.is_empty()",
        "copies && plan.circles.len() == usize::MAX",
        "compile::steps",
    ),
    Fault(
        "image-without-its-end",
        "compile/image_tree.rs",
        "self.whole && self.cell < end",
        "self.whole && self.cell + 1 < end",
        "compile::image_tree",
    ),
    Fault(
        "cut-too-early",
        "solve/cosets/verdicts.rs",
        "if same >= room { keeping.even } else { 0 }",
        "if same.saturating_add(1) >= room { keeping.even } else { 0 }",
        "solve::cosets::tests::moves_that_keep",
    ),
    Fault(
        "parity-of-marks-in-a-row",
        "solve/cosets/fill_row.rs",
        "even << shift | odd << 1 >> shift",
        "even | odd << 1",
        "solve::cosets::tests",
    ),
    Fault(
        "one-state-of-an-entry-is-enough",
        "solve/cosets/fill_row.rs",
        "usize::from(mark != all)",
        "usize::from(mark == 0)",
        "solve::cosets::tests",
    ),
    Fault(
        "guard-with-a-count-covers-states",
        "compile/always.rs",
        "given.compares.is_empty() && given.conditions.is_empty()",
        "given.compares.is_empty()",
        "compile::always",
    ),
    Fault(
        "odd-stays-odd",
        "solve/cosets/bounds.rs",
        "odd ^ self.odd[given]",
        "odd | self.odd[given]",
        "solve::cosets::tests",
    ),
    Fault(
        "codes-of-colours",
        "solve/cosets/colouring.rs",
        "units[to] * u64::from(look)",
        "units[to] * u64::from(look > 0)",
        "solve::cosets::tests",
    ),
    Fault(
        "frontier-before-the-last-depth",
        "sparse/in_memory.rs",
        "self.limits.max_depth.is_some_and(|most| depth >= most)",
        "self.limits.max_depth.is_some_and(|most| depth + 1 >= most)",
        "sparse::tests::a_limit",
    ),
    Fault(
        "one-symmetry-of-each-batch",
        "compile/shuffled_images.rs",
        "of.with_prefix(batch, &prefixes, own.narrowed(own)) & !u64::from(batch == 0)",
        "of.with_prefix(batch, &prefixes, own.narrowed(own)) & !1",
        "compile::shuffled_images",
    ),
    Fault(
        "one-probe-for-all-symmetries",
        "structure/prime_symmetries.rs",
        "primes.iter().any(|prime| known.contains(&does(symmetry, order / prime)))",
        "!probes.is_empty()",
        "structure::prime_symmetries",
    ),
    Fault(
        "only-the-last-probes-are-asked",
        "compile/shuffled_images.rs",
        "found.or(of.prefixes(block, V::new(read(state, block.eight))).equal(own))",
        "of.prefixes(block, V::new(read(state, block.eight))).equal(own)",
        "compile::shuffled_images",
    ),
    Fault(
        "moves-with-guards-never-fail",
        "compile/steps.rs",
        "!self.list.iter().any(CompiledMove::demands)",
        "!self.list.is_empty()",
        "compile::steps",
    ),
    Fault(
        "cells-that-advance-stay",
        "compile/moves.rs",
        "circles.advance_inlined(word)",
        "word",
        "many_moves moves_that_walks",
    ),
    Fault(
        "symmetries-in-another-order-than-their-prefixes",
        "compile/shuffled_images.rs",
        "number / PAIR * PAIR + NARROWED[number % PAIR]",
        "number",
        "compile::shuffled_images",
    ),
    Fault(
        "sixteen-cells-of-one-lane",
        "compile/lanes_of_bytes.rs",
        "8 * (of - lane) + lowest / 8 + byte % 2",
        "lowest / 8 + byte % 2",
        "compile::shuffled_images",
    ),
    Fault(
        "guards-of-listed-moves-are-not-asked",
        "sparse/expand_listed.rs",
        "!step.can(word)",
        "false",
        "sparse::tests::moves_that_walks_list",
    ),
    Fault(
        "a-listed-state-is-never-stuck",
        "sparse/expand_listed.rs",
        "!has_moved",
        "false",
        "sparse::tests::moves_that_walks_list",
    ),
    Fault(
        "the-last-listed-move-is-left-out",
        "compile/move_walks.rs",
        "&self.moves[..self.count]",
        "&self.moves[..self.count.saturating_sub(1)]",
        "sparse::tests::moves_that_walks_list",
    ),
    Fault(
        "one-move-of-a-cell-is-enough",
        "compile/steps.rs",
        "end > begin + 1",
        "false",
        "sparse::tests::other_moves",
    ),
    Fault(
        "guards-beside-the-cell-are-not-asked",
        "compile/steps.rs",
        "self.list[place].guard.is_some()",
        "false",
        "sparse::tests::other_moves",
    ),
    Fault(
        "shared-conditions-beside-the-cell",
        "compile/steps.rs",
        "self.shared.is_empty() && self.pass.is_none()",
        "self.pass.is_none()",
        "sparse::tests::other_moves",
    ),
    Fault(
        "a-pass-beside-the-cell",
        "compile/steps.rs",
        "self.shared.is_empty() && self.pass.is_none()",
        "self.shared.is_empty()",
        "sparse::tests::other_moves",
    ),
    Fault(
        "cells-below-may-be-empty",
        "sparse/expand_cells.rs",
        "given.without.meets(held)",
        "given.without.not().is_zero()",
        "sparse::tests::moves_in_cells",
    ),
    Fault(
        "every-end-is-sure",
        "compile/end_screen.rs",
        "self.ends[end].guard.is_masked() && self.ends[end].outcome == outcome",
        "self.ends[end].outcome == outcome",
        "sparse::tests::moves_in_cells",
    ),
    Fault(
        "one-outcome-is-that-of-all-ends",
        "compile/end_screen.rs",
        "self.ends[end].guard.is_masked() && self.ends[end].outcome == outcome",
        "self.ends[end].guard.is_masked()",
        "sparse::tests::moves_in_cells",
    ),
    Fault(
        "points-are-outcomes",
        "compile/end_screen.rs",
        "self.rules.turn.is_none() && self.scoring.is_none()",
        "self.rules.turn.is_none()",
        "compile::end_screen",
    ),
    Fault(
        "no-screen-rules-out-all",
        "compile/end_screen.rs",
        "Self::new(&[0], &|_| (W::ZERO, W::ZERO), None)",
        "Self::new(&[], &|_| (W::ZERO, W::ZERO), None)",
        "sparse::tests::moves_in_cells",
    ),
    Fault(
        "a-lone-symmetry-has-two-lanes",
        "compile/images/tables.rs",
        "(2..=few).contains(&order)",
        "order <= few",
        "compile::images",
    ),
    Fault(
        "orbits-of-few-lanes",
        "compile/images/orbit_sizes.rs",
        "same + self.order - lanes",
        "same",
        "sparse::tests::moves_in_cells",
    ),
    Fault(
        "cells-that-stay-are-lost",
        "compile/carried_cells.rs",
        "word.and(cells[lane]).carried(up[lane], down[lane])",
        "if up[lane] == down[lane] { W::ZERO } else { word.and(cells[lane]).carried(up[lane], down[lane]) }",
        "compile::images",
    ),
    Fault(
        "moves-of-a-score",
        "solve/games/score.rs",
        "after.signum() - after",
        "-after",
        "solve::games",
    ),
]


def misfits(faults: list[Fault], root: Path = ROOT) -> list[str]:
    """A sentence for each fault whose piece is not exactly once in its file, or has a bracket without its other one."""
    found = []
    for fault in faults:
        path = root / SOURCE / fault.file
        count = path.read_text(encoding="utf-8").count(fault.piece) if path.is_file() else 0
        if count != 1:
            found.append(f"{fault.name}: its piece is {count} times in {fault.file}; let the fault follow the code")
        found += [
            f"{fault.name}: a bracket of {text!r} is alone, so it does not compile in an `if`"
            for text in (fault.piece, fault.fault)
            if any(text.count(opened) != text.count(closed) for opened, closed in ("()", "[]", "{}"))
        ]
    return found


def seed(faults: list[Fault], to: Path) -> None:
    """Copies the tracked files, with every fault beside its piece."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(lambda name: name.startswith(("rust_core/", "Cargo", "tests/counts/")), listed.splitlines()):
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, to / name)
    for fault in faults:
        path = to / SOURCE / fault.file
        path.write_text(path.read_text(encoding="utf-8").replace(fault.piece, fault.seeded), encoding="utf-8")
    lib = to / SOURCE / "lib.rs"
    lib.write_text(lib.read_text(encoding="utf-8") + SEEDED, encoding="utf-8")


def compiled(folder: Path) -> Path:
    """The program of the crate's own tests."""
    command = ["cargo", "test", "--lib", "--no-run", "--locked", "--message-format", "json-render-diagnostics"]
    environment = {"CARGO_TARGET_DIR": str(ROOT / "target")} | os.environ
    done = subprocess.run(
        command, cwd=folder / "rust_core", env=environment, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        raise SystemExit("the faults do not compile; mend them")
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    (program,) = [each["executable"] for each in messages if each.get("executable")]
    return Path(program)


def tested(program: Path, fault: str, tests: str, folder: Path) -> str:
    """Runs tests with a fault. Returns whether they passed, failed, or hung."""
    environment = os.environ | {VARIABLE: fault, "PROPTEST_MAX_SHRINK_ITERS": "0", "TMPDIR": str(folder / "tmp")}
    (folder / "tmp").mkdir(exist_ok=True)
    command = [str(program), *tests.split(), "--quiet"]
    try:
        done = subprocess.run(
            command,
            cwd=folder / "rust_core",
            env=environment,
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "hung"
    ran = sum(map(int, re.findall(r"running (\d+) test", done.stdout)))
    if not ran:
        raise SystemExit(f"no test has a name with one of: {tests}")
    return "passed" if done.returncode == 0 else "failed"


def main() -> None:
    """Tries the faults, and prints a line for each."""
    parser = argparse.ArgumentParser(prog="seeded_faults")
    parser.add_argument(
        "words", nargs="*", help="words that the names of the faults have; all faults if there are none"
    )
    parser.add_argument("--check", action="store_true", help="only look whether each fault fits the source")
    given = parser.parse_args()
    if wrong := misfits(FAULTS):
        raise SystemExit("\n".join(wrong))
    if given.check:
        return
    chosen = [fault for fault in FAULTS if not given.words or any(word in fault.name for word in given.words)]
    with tempfile.TemporaryDirectory(prefix="seeded-faults-") as name:
        folder = Path(name)
        seed(FAULTS, folder)
        program = compiled(folder)
        every = " ".join(sorted({word for fault in chosen for word in fault.tests.split()}))
        if tested(program, "", every, folder) != "passed":
            raise SystemExit("the tests fail without any fault; mend that first")
        missed = []
        for fault in chosen:
            begun = time.monotonic()
            told = tested(program, fault.name, fault.tests, folder)
            print(
                f"{'NOT CAUGHT' if told == 'passed' else 'caught':<10}  {fault.name:<30}"
                f"  {time.monotonic() - begun:5.1f} s  {fault.file}",
                flush=True,
            )
            if told == "passed":
                missed.append(fault.name)
    print(f"{len(chosen) - len(missed)} of {len(chosen)} faults are caught")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
