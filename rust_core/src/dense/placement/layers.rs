//! Placements, breadth first by depth: a row of bits for each set of first marks, up to symmetry.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! The next depth is pulled: each of its rows collects its states from the current depth. If the last move to a state
//! puts a second mark, the state before it is in the same row of the current depth. If the move puts a first mark, the
//! state before it is in one of the few rows with one first mark less. So a thread writes only its own rows, and a row
//! stays in the first-level cache while it is filled.

use std::ops::Range;
use std::sync::Arc;

use super::cell_sets::{LineSets, SetImages};
use super::fill::{FillRows, RowFiller, RowTables};
use super::layer::{LayerCount, PlacementLayer};
use super::shape::PlacementShape;
use crate::compile::cpu;
use crate::dense::dense_shape::{DenseShape, DepthStates, Place, StorageNeeds};
use crate::dense::driver::{DenseStorage, DepthBits, FoundDepth, RestoredPart};
use crate::dense::pages::{Pages, words_at};
use crate::error::{Error, Result};
use crate::index::{Cells, Index, PlacementIndex, subsets};
use crate::job::{Job, needs_files};
use crate::rules::{Rules, Symbol};
use crate::run::{Monitor, parallel};
use crate::sorting;

/// Two depths of placements.
pub(in crate::dense) struct PlacementLayers {
    shape: Arc<PlacementShape>,
    rules: Arc<Rules>,
    images: SetImages,
    /// For each player, the ends that a move of this player can complete. Each has its outcome, and a table of the sets
    /// of cells that contain one of the end's lines.
    lines: Vec<Vec<(usize, Arc<LineSets>)>>,
    /// The number of first marks in the rows that were listed last, and these rows. Depths that differ only in the
    /// number of second marks have the same rows. `None` if no rows were listed yet.
    rows: Option<(usize, Arc<Vec<Cells>>)>,
    /// `true` if states in which play is over stay in a depth until the job has kept it. If `false`, they are dropped
    /// at once.
    keeps_ended: bool,
    /// The states of the current depth; `None` if no depth is held, as before a search begins.
    current: Option<PlacementLayer>,
    /// The number of the current depth.
    depth: u64,
    /// The number of open states of the current depth.
    open: u64,
    next: Option<NextLayer>,
}

/// The depth that is being found.
struct NextLayer {
    layer: PlacementLayer,
    tables: RowTables,
    /// The rows filled so far.
    filled: Range<usize>,
    /// The counts of these rows.
    count: LayerCount,
}

impl PlacementLayers {
    /// Storage that holds no depth yet. `keeps_ended` is `true` if there is a job.
    pub fn new(shape: Arc<PlacementShape>, rules: &Arc<Rules>, keeps_ended: bool) -> Self {
        Self {
            rules: Arc::clone(rules),
            images: SetImages::new(&shape.symmetries),
            lines: lines_of_players(&shape.index),
            shape,
            rows: None,
            keeps_ended,
            current: None,
            depth: 0,
            open: 0,
            next: None,
        }
    }

    /// An empty layer (the states of one depth). The board must have room for the marks of that many moves.
    fn layer(&mut self, depth: u64) -> Result<PlacementLayer> {
        let cells = self.shape.index.cells;
        let counts = self.shape.index.counts(depth);
        let rows = match &self.rows {
            Some((count, rows)) if *count == counts[0] => Arc::clone(rows),
            _ => Arc::new(self.images.canonical(cells, counts[0])),
        };
        self.rows = Some((counts[0], Arc::clone(&rows)));
        let columns = Arc::new(subsets(cells - counts[0], counts[1]));
        let stride = columns.len().div_ceil(64);
        let bits = Pages::new::<u64>(rows.len() * stride)?;
        Ok(PlacementLayer { counts, live: vec![false; rows.len()], rows, columns, stride, bits })
    }

    /// Tables for filling the rows of a depth from the layer before it; or, if `before` is `None`, for counting them.
    /// The depth must not be 0.
    fn tables(&self, depth: u64, before: Option<&PlacementLayer>, layer: &PlacementLayer) -> RowTables {
        let index = &self.shape.index;
        let player = ((depth - 1) % index.marks.len() as u64) as usize;
        let is_full = layer.counts[0] + layer.counts[1] == index.cells;
        let stuck = is_full.then(|| self.rules.stuck_outcome(self.rules.next_player(player), false));
        RowTables::new(before, layer, index.cells, player, index.marks[player], stuck)
    }

    /// Puts the start into its layer.
    fn put_start(&self, layer: &mut PlacementLayer) -> LayerCount {
        let index = &self.shape.index;
        let [first, second] = index.start;
        let cells = index.cells;
        let place = |set: Cells, cell: usize| (!set & ((1 << cell) - 1)).count_ones();
        let spread =
            (0..cells).filter(|cell| second >> cell & 1 != 0).fold(0, |set, cell| set | 1 << place(first, cell));
        // Symmetries carry the start onto itself. So its first marks have only one image, which is the smallest and has
        // a row.
        let row = layer.rows.binary_search(&first).expect("the start is its only image");
        let column = layer.columns.binary_search(&spread).expect("every set has a column");
        layer.bits.get_mut::<u64>()[row * layer.stride + column / 64] = 1 << (column % 64);
        layer.live[row] = true;
        let mut count = LayerCount { states: 1, raw_states: 1, open: 1, ..LayerCount::none(self.rules.outcomes.len()) };
        let outcome = start_outcome(index, &self.rules);
        if let Some(outcome) = outcome {
            count.open = 0;
            count.ended[outcome] = 1;
        }
        count
    }

    /// Fills rows of a layer, a few at a time. If the filler has no layer before this one, the rows are only counted.
    /// After each few rows, `done` is called with the number of the first of them and the number of the row after the
    /// last.
    fn pass(
        &self,
        filler: &RowFiller,
        layer: &mut PlacementLayer,
        rows: Range<usize>,
        stopped: impl Fn() -> bool + Sync,
        done: impl Fn(usize, usize) + Sync,
    ) -> LayerCount {
        let (outcomes, at_a_time) = (self.rules.outcomes.len(), self.shape.rows_at_a_time);
        let bits = &mut layer.bits.get_mut::<u64>()[rows.start * layer.stride..rows.end * layer.stride];
        let bits = bits.chunks_mut((layer.stride * at_a_time).max(1));
        let parts = bits.zip(layer.live[rows.clone()].chunks_mut(at_a_time));
        let mut parts: Vec<_> = parts.map(|part| (part, LayerCount::none(outcomes))).collect();
        parallel::each_mut(&mut parts, |number, ((bits, live), count)| {
            if !stopped() {
                let first = rows.start + number * at_a_time;
                let last = first + live.len();
                cpu::run(FillRows { filler, first, bits, live, count });
                done(first, last);
            }
        });
        let mut sum = LayerCount::none(outcomes);
        for (_, count) in &parts {
            sum.add(count);
        }
        sum
    }

    /// A filler of rows with the given tables; without a layer `before`, it only counts. `drops_ended` is `true` if
    /// states in which play is over are dropped.
    fn filler<'b>(
        &'b self,
        before: Option<&'b PlacementLayer>,
        tables: &'b RowTables,
        drops_ended: bool,
    ) -> RowFiller<'b> {
        RowFiller {
            images: &self.images,
            before,
            tables,
            lines: &self.lines[tables.player],
            cells: self.shape.index.cells,
            drops_ended,
        }
    }

    /// Counts rows of the layer of a depth, which must not be 0.
    fn count(
        &self,
        tables: &RowTables,
        layer: &mut PlacementLayer,
        rows: Range<usize>,
        drops_ended: bool,
    ) -> LayerCount {
        self.pass(&self.filler(None, tables, drops_ended), layer, rows, || false, |_, _| ())
    }

    /// The number of states of the current depth that the progress report counts as expanded once `rows` of the `all`
    /// rows of the next depth are filled.
    fn share(&self, rows: usize, all: usize) -> u64 {
        (u128::from(self.open) * rows as u128 / all.max(1) as u128) as u64
    }

    /// Sums up a depth that was found, from the counts of its states.
    fn found_depth(&self, depth: u64, count: LayerCount) -> FoundDepth {
        let empty = self.shape.index.last_depth() - depth;
        FoundDepth { moves: count.open * empty, report: count.report(depth), fixed: None }
    }

    fn next(&self) -> &NextLayer {
        self.next.as_ref().expect("there is room for the next depth")
    }
}

impl DenseShape for PlacementShape {
    fn index(&self) -> &dyn Index {
        &self.index
    }

    fn bytes(&self, max_depth: Option<u64>, _kept: bool) -> u64 {
        self.bytes(max_depth)
    }

    fn doubtful(&self, _max_depth: Option<u64>) -> u64 {
        0 // only two depths take memory, and only states that were reached take time
    }

    fn reading(&self, depth: u64) -> Box<dyn DepthStates + '_> {
        let (cells, [first, second]) = (self.index.cells, self.index.counts(depth));
        let rows = SetImages::new(&self.symmetries).canonical(cells, first);
        Box::new(PlacementStates { shape: self, rows, columns: subsets(cells - first, second) })
    }

    fn storage(self: Arc<Self>, rules: &Arc<Rules>, needs: StorageNeeds) -> Result<Box<dyn DenseStorage>> {
        Ok(Box::new(PlacementLayers::new(self, rules, needs.kept)))
    }

    fn placement(&self) -> Option<&PlacementShape> {
        Some(self)
    }
}

/// Reads the states of one depth from a job.
struct PlacementStates<'a> {
    shape: &'a PlacementShape,
    /// For each row, the cells that hold the first mark.
    rows: Vec<Cells>,
    /// For each column, the set of the places of the second mark: its cells, numbered among the cells without the first
    /// mark.
    columns: Vec<Cells>,
}

impl DepthStates for PlacementStates<'_> {
    fn is_raw(&self) -> bool {
        false
    }

    fn bytes(&self) -> usize {
        self.rows.len() * self.columns.len().div_ceil(64) * 8
    }

    fn place(&self, bit: usize) -> Option<Place> {
        let stride = self.columns.len().div_ceil(64) * 64;
        Some(Place { block: bit / stride, within: bit % stride }).filter(|place| place.within < self.columns.len())
    }

    fn bit(&self, _state: &[Symbol]) -> Option<u64> {
        None
    }

    fn state(&self, Place { block: row, within: column }: Place) -> Vec<Symbol> {
        self.shape.index.write_within(self.rows[row], self.columns[column])
    }
}

impl DenseStorage for PlacementLayers {
    fn is_raw(&self) -> bool {
        false
    }

    fn symmetry_order(&self) -> usize {
        self.images.elements.len()
    }

    fn begin(&mut self) -> Result<FoundDepth> {
        let mut layer = self.layer(0)?;
        let count = self.put_start(&mut layer);
        (self.current, self.open) = (Some(layer), count.open);
        Ok(self.found_depth(0, count))
    }

    /// The marks on a board determine the depth, so no state comes again, and only the last depth must be read.
    fn first_read(&self, depths: usize) -> usize {
        depths - 1
    }

    fn read_depth(&mut self, bits: DepthBits, depth: usize) -> Result<FoundDepth> {
        if let DepthBits::Kept(job) = bits
            && depth as u64 > self.shape.index.last_depth()
        {
            return Err(job.lacks(depth));
        }
        // The memory of the previous layer is given back before the next layer takes as much.
        self.current = None;
        let mut layer = self.layer(depth as u64)?;
        let words = layer.bits.get_mut::<u64>();
        let (columns, stride) = (layer.columns.len(), layer.stride);
        let bytes = size_of_val(&words[..]);
        bits.read(depth, bytes, &mut |begin, bytes| take_words(words, begin, bytes, columns, stride))?;
        let count = if depth > 0 {
            let (tables, rows) = (self.tables(depth as u64, None, &layer), 0..layer.rows.len());
            self.count(&tables, &mut layer, rows, true)
        } else {
            layer.bits.get_mut::<u64>().fill(0);
            self.put_start(&mut layer)
        };
        (self.current, self.depth, self.open) = (Some(layer), depth as u64, count.open);
        Ok(self.found_depth(self.depth, count))
    }

    fn is_read(&mut self) {}

    fn make_room(&mut self, depth: u64) -> Result<u64> {
        if depth > self.shape.index.last_depth() {
            let last = self.shape.index.last_depth();
            return Err(Error::Corrupt(format!(
                "the board is full at depth {last}, and the job goes on; it is damaged"
            )));
        }
        let layer = self.layer(depth)?;
        let tables = self.tables(depth, self.current.as_ref(), &layer);
        let bytes = self.current.iter().chain([&layer]).map(|layer| layer.bits.bytes() as u64).sum();
        let count = LayerCount::none(self.rules.outcomes.len());
        self.next = Some(NextLayer { layer, tables, filled: 0..0, count });
        Ok(bytes)
    }

    fn read_part(&mut self, job: &Job) -> Result<RestoredPart> {
        needs_files!();
        let (rows, number) = (job.partial().expanded as usize, job.manifest().depths.len());
        let mut next = self.next.take().expect("there is room for the next depth");
        let NextLayer { layer, tables, count, filled } = &mut next;
        if rows > layer.rows.len() {
            return Err(job.lacks(number));
        }
        let (columns, stride) = (layer.columns.len(), layer.stride);
        let words = &mut layer.bits.get_mut::<u64>()[..rows * stride];
        job.read_part(size_of_val(&words[..]), &mut |begin, bytes| {
            take_words(words, begin, bytes, columns, stride).ok_or_else(|| job.lacks(number))
        })?;
        (*count, *filled) = (self.count(tables, layer, 0..rows, false), 0..rows);
        let expanded = self.share(rows, layer.rows.len());
        self.next = Some(next);
        Ok(RestoredPart { pieces: rows, expanded })
    }

    fn pieces(&self) -> usize {
        self.next().layer.rows.len()
    }

    fn part_pieces(&self) -> usize {
        self.shape.part_rows
    }

    fn fill(&mut self, pieces: Range<usize>, monitor: &Monitor) {
        let mut next = self.next.take().expect("there is room for the next depth");
        let all = next.layer.rows.len();
        let filler = self.filler(self.current.as_ref(), &next.tables, !self.keeps_ended);
        let expanded = |first: usize, last: usize| monitor.add(self.share(last, all) - self.share(first, all));
        let begin = if next.filled.is_empty() { pieces.start } else { next.filled.start };
        next.filled = begin..pieces.end;
        let count = self.pass(&filler, &mut next.layer, pieces, || monitor.stopped(), expanded);
        next.count.add(&count);
        self.next = Some(next);
    }

    fn part(&self, pieces: usize) -> (&[u8], usize) {
        let layer = &self.next().layer;
        (bytemuck::cast_slice(&layer.bits.get::<u64>()[..pieces * layer.stride]), pieces)
    }

    fn found(&mut self) -> FoundDepth {
        self.found_depth(self.depth + 1, self.next().count.clone())
    }

    fn current_bits(&self) -> &[u8] {
        self.current.as_ref().expect("a search has begun").bits.get()
    }

    fn next_bits(&self) -> &[u8] {
        self.next().layer.bits.get()
    }

    fn advance(&mut self) {
        let next = self.next.take().expect("there is room for the next depth");
        let NextLayer { mut layer, tables, filled, count } = next;
        if self.keeps_ended {
            self.count(&tables, &mut layer, filled, true);
        }
        (self.current, self.depth, self.open) = (Some(layer), self.depth + 1, count.open);
    }

    fn borrow(&mut self, begin: usize, bytes: &[u8]) -> Option<()> {
        let PlacementLayer { columns, stride, bits, live, .. } = self.current.as_mut()?;
        let words = bits.get_mut::<u64>();
        let all = words.len();
        for (at, word) in words_at::<u64>(begin, bytes) {
            if word != 0 {
                let filled = columns.len() - at % *stride * 64;
                if at >= all || (filled < 64 && word >> filled != 0) {
                    return None;
                }
                words[at] |= word;
                live[at / *stride] = true;
            }
        }
        self.open += cpu::count_ones(bytes);
        Some(())
    }

    /// Does nothing, because a row that is filled again keeps the states that it has.
    fn set_aside(&mut self, _own: &Range<usize>) {}

    fn rejoin(&mut self, _own: &Range<usize>) {
        let mut next = self.next.take().expect("there is room for the next depth");
        next.count = self.count(&next.tables, &mut next.layer, next.filled.clone(), false);
        self.next = Some(next);
    }

    fn give_back(&mut self, own: &Range<usize>) {
        if let Some(PlacementLayer { live, stride, bits, .. }) = &mut self.current {
            let (all, row) = (bits.bytes(), (*stride).max(1) * 8);
            bits.clear(0..own.start.min(all));
            bits.clear(own.end.min(all)..all);
            let others = live.iter_mut().enumerate().filter(|(at, _)| !own.contains(&(at * row)));
            others.for_each(|(_, live)| *live = false);
        }
    }
}

/// The outcome of the start, if play is over there.
pub(super) fn start_outcome(index: &PlacementIndex, rules: &Rules) -> Option<usize> {
    // No one has moved yet. The last player counts as the one who moved last.
    let mover = index.marks.len() - 1;
    let mut ends: Vec<usize> = (0..rules.ends.len()).collect();
    sorting::sort_by_key(&mut ends, |&end| rules.precedence(rules.ends[end].outcome, mover));
    let over = ends.iter().map(|&end| &rules.ends[end]).find(|end| end.when.holds(&rules.start));
    let full = index.last_depth() == 0;
    over.map(|end| end.outcome).or_else(|| full.then(|| rules.stuck_outcome(0, false)))
}

/// For each player, the ends that a move of this player can complete: for each end its outcome, and the table of the
/// sets of cells that contain one of its lines. Ends with the same lines share one table.
fn lines_of_players(index: &PlacementIndex) -> Vec<Vec<(usize, Arc<LineSets>)>> {
    let mut known: Vec<(Vec<Cells>, Arc<LineSets>)> = Vec::new();
    let mut lines_of = |sets: &[Cells]| {
        let mut sets = sets.to_vec();
        sorting::sort(&mut sets);
        if let Some((_, lines)) = known.iter().find(|(given, _)| *given == sets) {
            return Arc::clone(lines);
        }
        let lines = Arc::new(LineSets::new(index.cells, &sets));
        known.push((sets, Arc::clone(&lines)));
        lines
    };
    let mut of_player = |ends: &Vec<(usize, Vec<Cells>)>| {
        ends.iter().map(|(outcome, sets)| (*outcome, lines_of(sets))).collect::<Vec<_>>()
    };
    index.ends.iter().map(&mut of_player).collect()
}

/// Adds the words of a file, from its byte `begin` on, to the words of rows. `None` if a bit is set that belongs to no
/// column, or that is set already.
fn take_words(words: &mut [u64], begin: usize, bytes: &[u8], columns: usize, stride: usize) -> Option<()> {
    for (at, word) in words_at::<u64>(begin, bytes) {
        let filled = columns - at % stride * 64;
        // The states of several shards may be in one stretch, but no state is in two.
        if (filled < 64 && word >> filled != 0) || words[at] & word != 0 {
            return None;
        }
        words[at] |= word;
    }
    Some(())
}
