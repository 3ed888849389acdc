//! Placements, breadth first by depth: a row of bits for each set of first marks, up to symmetry.
//!
//! The next depth is pulled: each of its rows collects what comes to it. Where the second mark is put, that is its own row; where
//! the first is, it is the few rows with one first mark less. So a thread writes its own rows alone, and a row stays in the
//! first-level cache while it is made.

use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;

use super::masks::{Images, Lines};
use crate::compile::cpu;
use crate::error::Result;
use crate::rank::{BitMap, Cells, Numbers, Placements, choose, subsets};
use crate::rules::{Rules, Symmetry};
use crate::search::monitor::Monitor;
use crate::search::{DepthReport, Options, Progress, Report, Stop, Store, Watch};
use crate::store::Pages;

/// The most symmetries: all their products are listed.
const MOST_SYMMETRIES: usize = 1024;

/// How many rows a thread makes at a time.
const ROWS: usize = 64;

/// Rules whose moves put marks into empty cells, and the symmetries to count by.
#[derive(Debug)]
pub struct Placed {
    placements: Placements,
    symmetries: Vec<Symmetry>,
}

impl Placed {
    /// The index of some rules, where their moves do nothing but put marks into empty cells.
    pub fn new(rules: &Rules, symmetries: &[Symmetry]) -> Option<Self> {
        let placements = Placements::of_rules(rules)?;
        if symmetries.len() > MOST_SYMMETRIES {
            return None;
        }
        let kept = symmetries.iter().all(|symmetry| placements.keeps(&symmetry.symbols));
        kept.then(|| Self { placements, symmetries: symmetries.to_vec() })
    }

    /// The bytes of memory that a run takes at the most: two depths, and the tables for lines and for numbers of sets.
    pub fn bytes(&self, max_depth: Option<u64>) -> u64 {
        let cells = self.placements.cells;
        let [first, second] = self.placements.counts(0);
        let last = (cells - first - second) as u64;
        let depths = 0..=max_depth.unwrap_or(last).min(last);
        let layer = |depth: u64| {
            let [first, second] = self.placements.counts(depth);
            // Rows with symmetries of their own make the classes more than one in so many; not by much where there are many.
            let rows = choose(cells, first) as u64 / self.symmetries.len() as u64 * 11 / 10 + 64;
            rows * (columns(cells, first, second).div_ceil(64) * 8 + 13) as u64
        };
        let most = depths.map(|depth| layer(depth) + layer((depth + 1).min(last))).max().unwrap_or(0);
        most + (1u64 << cells) / 4 + (32 << 20).min(1 << cells)
    }

    /// Enumerates all states that play can reach, by depth.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Memory`] where the system does not give so much.
    pub fn enumerate(&self, rules: &Rules, options: &Options, watch: Watch) -> Result<Report> {
        Filling::new(self, rules).run(options, watch)
    }
}

/// How many sets of second marks a row has.
fn columns(cells: usize, first: usize, second: usize) -> usize {
    choose(cells - first, second)
}

/// The states of one depth.
struct Layer {
    /// How many cells hold each mark.
    counts: [usize; 2],
    /// The sets of first marks, each the smallest of its images, in order.
    rows: Arc<Vec<Cells>>,
    /// The sets of second marks among the cells of a row that are not first marks, as bits of their places there.
    columns: Vec<Cells>,
    /// How many words a row has, and the rows: a bit for each column.
    stride: usize,
    bits: Pages,
    /// Which rows have open states.
    live: Vec<bool>,
}

/// What was found of a depth.
#[derive(Clone, Default)]
struct Tally {
    states: u64,
    raw_states: u64,
    open: u64,
    ended: Vec<u64>,
}

struct Filling<'a> {
    rules: &'a Rules,
    placements: &'a Placements,
    images: Images,
    /// For each player, the ends that their moves complete: the outcome, and the sets that hold one of its lines.
    lines: Vec<Vec<(usize, Arc<Lines>)>>,
    /// The rows of the number of first marks at hand.
    rows: Option<(usize, Arc<Vec<Cells>>)>,
}

impl<'a> Filling<'a> {
    fn new(placed: &'a Placed, rules: &'a Rules) -> Self {
        let placements = &placed.placements;
        let mut known: Vec<(Vec<Cells>, Arc<Lines>)> = Vec::new();
        let mut lines_of = |sets: &[Cells]| {
            let mut sets = sets.to_vec();
            sets.sort_unstable();
            if let Some((_, lines)) = known.iter().find(|(given, _)| *given == sets) {
                return Arc::clone(lines);
            }
            let lines = Arc::new(Lines::new(placements.cells, &sets));
            known.push((sets, Arc::clone(&lines)));
            lines
        };
        let lines = placements
            .ends
            .iter()
            .map(|ends| ends.iter().map(|(outcome, sets)| (*outcome, lines_of(sets))).collect())
            .collect();
        Self { rules, placements, images: Images::new(&placed.symmetries), lines, rows: None }
    }

    /// An empty layer for the depth after so many moves.
    fn layer(&mut self, depth: u64) -> Result<Layer> {
        let cells = self.placements.cells;
        let counts = self.placements.counts(depth);
        let rows = match &self.rows {
            Some((count, rows)) if *count == counts[0] => Arc::clone(rows),
            _ => Arc::new(self.images.canonical(cells, counts[0])),
        };
        self.rows = Some((counts[0], Arc::clone(&rows)));
        let columns = subsets(cells - counts[0], counts[1]);
        let stride = columns.len().div_ceil(64);
        let bits = Pages::new::<u64>(rows.len() * stride)?;
        Ok(Layer { counts, live: vec![false; rows.len()], rows, columns, stride, bits })
    }

    fn run(mut self, options: &Options, watch: Watch) -> Result<Report> {
        let begun = Instant::now();
        let mut current = self.layer(0)?;
        let mut tally = self.begin(&mut current);
        let (mut depths, mut generated, mut total) = (Vec::new(), 0, 0);
        let stop = loop {
            let depth = depths.len() as u64;
            total += tally.states;
            let Tally { states, raw_states, open, ended } = tally;
            depths.push(DepthReport { depth, states, raw_states, open, ended });
            if open == 0 {
                break None;
            }
            if options.max_depth == Some(depth) {
                break Some(Stop::MaxDepth);
            }
            let mut next = self.layer(depth + 1)?;
            let progress = Progress {
                depth,
                frontier: open,
                states: total,
                store_bytes: (current.bits.bytes() + next.bits.bytes()) as u64,
                ..Progress::default()
            };
            let Some(found) = self.expand(depth, &current, &mut next, &Monitor::new(watch, begun, progress)) else {
                break Some(Stop::Watch);
            };
            generated += open * (self.placements.cells - current.counts[0] - current.counts[1]) as u64;
            (tally, current) = (found, next);
        };
        Ok(Report {
            depths,
            stop,
            store: Store::Dense,
            reason: String::new(),
            symmetry_order: self.images.elements.len(),
            generated,
            seconds: begun.elapsed().as_secs_f64(),
        })
    }

    /// Puts the start into its layer.
    fn begin(&self, layer: &mut Layer) -> Tally {
        let [first, second] = self.placements.start;
        let cells = self.placements.cells;
        let place = |set: Cells, cell: usize| (!set & ((1 << cell) - 1)).count_ones();
        let spread =
            (0..cells).filter(|cell| second >> cell & 1 != 0).fold(0, |set, cell| set | 1 << place(first, cell));
        // Symmetries carry the start onto itself, so it is the smallest of its images: the only one.
        let row = layer.rows.binary_search(&first).expect("the start is its only image");
        let column = layer.columns.binary_search(&spread).expect("every set has a column");
        layer.bits.get_mut::<u64>()[row * layer.stride + column / 64] = 1 << (column % 64);
        layer.live[row] = true;
        let mut tally = Tally { states: 1, raw_states: 1, open: 1, ended: vec![0; self.rules.outcomes.len()] };
        // Whoever would have moved last.
        let mover = self.placements.marks.len() - 1;
        let mut ends: Vec<usize> = (0..self.rules.ends.len()).collect();
        ends.sort_by_key(|&end| self.rules.precedence(self.rules.ends[end].outcome, mover));
        let over = ends.iter().map(|&end| &self.rules.ends[end]).find(|end| end.when.holds(&self.rules.start));
        let full = layer.counts[0] + layer.counts[1] == cells;
        let outcome = over.map(|end| end.outcome).or_else(|| full.then(|| self.rules.stuck_outcome(0, false)));
        if let Some(outcome) = outcome {
            tally.open = 0;
            tally.ended[outcome] = 1;
        }
        tally
    }

    /// Fills the layer of the next depth, and tells what is in it; `None` where the watch stopped the search.
    fn expand(&self, depth: u64, current: &Layer, next: &mut Layer, monitor: &Monitor) -> Option<Tally> {
        let player = (depth % self.placements.marks.len() as u64) as usize;
        let (cells, counts) = (self.placements.cells, next.counts);
        let full = counts[0] + counts[1] == cells;
        let stuck = full.then(|| self.rules.stuck_outcome(self.rules.next_player(player), false));
        let fill = Fill {
            images: &self.images,
            current,
            rows: &next.rows,
            columns: &next.columns,
            numbers: Numbers::new(cells - counts[0]),
            without: without(&current.columns, cells - current.counts[0], current.stride),
            lines: &self.lines[player],
            mark: self.placements.marks[player],
            cells,
            stuck,
            outcomes: self.rules.outcomes.len(),
        };
        let stride = next.stride;
        let expanded = monitor.frontier();
        let share = |rows: usize| (u128::from(expanded) * rows as u128 / fill.rows.len().max(1) as u128) as u64;
        let tallies: Vec<Tally> = next
            .bits
            .get_mut::<u64>()
            .par_chunks_mut(stride * ROWS)
            .zip(next.live.par_chunks_mut(ROWS))
            .enumerate()
            .map(|(number, (bits, live))| {
                let mut tally = Tally { ended: vec![0; fill.outcomes], ..Tally::default() };
                if !monitor.stopped() {
                    let first = number * ROWS;
                    let count = live.len();
                    cpu::run(FillRows { fill: &fill, first, bits, live, tally: &mut tally });
                    monitor.add(share(first + count) - share(first));
                }
                tally
            })
            .collect();
        if monitor.stopped() {
            return None;
        }
        let mut sum = Tally { ended: vec![0; fill.outcomes], ..Tally::default() };
        for tally in tallies {
            sum.states += tally.states;
            sum.raw_states += tally.raw_states;
            sum.open += tally.open;
            sum.ended.iter_mut().zip(tally.ended).for_each(|(sum, count)| *sum += count);
        }
        Some(sum)
    }
}

/// For each place, which columns have nothing there: words of bits, as rows have them.
fn without(columns: &[Cells], places: usize, stride: usize) -> Vec<u64> {
    let mut bits = vec![0; places * stride];
    for (at, &column) in columns.iter().enumerate() {
        for place in (0..places).filter(|place| column >> place & 1 == 0) {
            bits[place * stride + at / 64] |= 1 << (at % 64);
        }
    }
    bits
}

/// What is needed to fill the rows of a depth.
struct Fill<'a> {
    images: &'a Images,
    current: &'a Layer,
    rows: &'a [Cells],
    columns: &'a [Cells],
    /// The numbers of columns.
    numbers: Numbers,
    /// For each place of the current depth, the columns without it.
    without: Vec<u64>,
    lines: &'a [(usize, Arc<Lines>)],
    /// The mark that is put.
    mark: usize,
    cells: usize,
    /// The outcome of a full board.
    stuck: Option<usize>,
    outcomes: usize,
}

/// Fills some neighbouring rows.
struct FillRows<'a> {
    fill: &'a Fill<'a>,
    first: usize,
    bits: &'a mut [u64],
    live: &'a mut [bool],
    tally: &'a mut Tally,
}

impl cpu::Task for FillRows<'_> {
    #[inline(always)]
    fn run(self) {
        if self.fill.numbers.whole() { self.all::<true>() } else { self.all::<false>() }
    }
}

impl FillRows<'_> {
    #[inline(always)]
    fn all<const WHOLE: bool>(self) {
        let Self { fill, first, bits, live, tally } = self;
        let stride = fill.columns.len().div_ceil(64);
        let mut maps = Vec::new();
        for ((at, live), bits) in live.iter_mut().enumerate().zip(bits.chunks_exact_mut(stride)) {
            let row = fill.rows[first + at];
            let stabiliser: Vec<usize> = fill.images.stabiliser(row).collect();
            let any = if fill.mark == 0 {
                fill.put_first::<WHOLE>(row, &stabiliser, bits, &mut maps)
            } else {
                fill.put_second::<WHOLE>(first + at, &stabiliser, bits, &mut maps)
            };
            *live = any && fill.close::<WHOLE>(row, &stabiliser, bits, &mut maps, tally);
        }
    }
}

impl Fill<'_> {
    /// The place of a cell among those that are not in a set.
    #[inline(always)]
    fn place(&self, set: Cells, cell: u8) -> Option<u8> {
        (set >> cell & 1 == 0).then(|| cell - (set & ((1 << cell) - 1)).count_ones() as u8)
    }

    /// Makes maps from the places of one row to those of another, one for each of some elements after a first one.
    #[inline(always)]
    fn maps(&self, from: Cells, element: usize, then: &[usize], to: Cells, maps: &mut Vec<BitMap>) {
        maps.resize_with(then.len(), BitMap::default);
        let mut cells = [0u8; 32];
        let mut count = 0;
        for cell in (0..self.cells as u8).filter(|cell| from >> cell & 1 == 0) {
            cells[count] = self.images.elements[element][cell as usize];
            count += 1;
        }
        for (map, &element) in maps.iter_mut().zip(then) {
            let images = &self.images.elements[element];
            map.set(cells[..count].iter().map(|&cell| self.place(to, images[cell as usize])));
        }
    }

    /// Collects what comes to a row when a first mark is put. Tells whether there was a source.
    #[inline(always)]
    fn put_first<const WHOLE: bool>(
        &self,
        row: Cells,
        stabiliser: &[usize],
        bits: &mut [u64],
        maps: &mut Vec<BitMap>,
    ) -> bool {
        let (stride, columns) = (self.current.stride, &self.current.columns[..]);
        let mut any = false;
        let mut rest = row;
        while rest != 0 {
            let put = rest & rest.wrapping_neg();
            rest ^= put;
            // Marks that the row's own symmetries carry onto each other lead to the same columns.
            if stabiliser[1..].iter().any(|&element| {
                self.images.elements[element][put.trailing_zeros() as usize] < put.trailing_zeros() as u8
            }) {
                continue;
            }
            let (source, back) = self.images.smallest(row ^ put);
            // A source that ended, or cannot be reached, has no open states.
            let Ok(number) = self.current.rows.binary_search(&source) else { continue };
            if !self.current.live[number] {
                continue;
            }
            any = true;
            let words = &self.current.bits.get::<u64>()[number * stride..][..stride];
            // A state stands for all its images under the symmetries of its row.
            for own in self.images.stabiliser(source) {
                let there = self.images.then(own, back);
                let element = &self.images.elements[there];
                let gap = (0..self.cells as u8).find(|&cell| element[cell as usize] as u32 == put.trailing_zeros());
                let gap = self.place(source, gap.unwrap_or(0)).unwrap_or(0) as usize;
                let without = &self.without[gap * stride..][..stride];
                self.maps(source, there, stabiliser, row, maps);
                collect::<WHOLE>(&self.numbers, words, without, columns, maps, bits);
            }
        }
        any
    }

    /// Collects what comes to a row when a second mark is put. Tells whether there was a source.
    #[inline(always)]
    fn put_second<const WHOLE: bool>(
        &self,
        number: usize,
        stabiliser: &[usize],
        bits: &mut [u64],
        maps: &mut Vec<BitMap>,
    ) -> bool {
        if !self.current.live[number] {
            return false;
        }
        let row = self.rows[number];
        let whole = (1u32 << (self.cells - row.count_ones() as usize)).wrapping_sub(1);
        let stride = self.current.stride;
        let words = &self.current.bits.get::<u64>()[number * stride..][..stride];
        let alone = stabiliser.len() == 1;
        if !alone {
            self.maps(row, 0, stabiliser, row, maps);
        }
        each_bit(words, |at| {
            let column = self.current.columns[at];
            let mut free = whole & !column;
            while free != 0 {
                let put = free & free.wrapping_neg();
                free ^= put;
                let set = column | put;
                let set = if alone { set } else { smallest(maps, set) };
                let at = self.numbers.of::<WHOLE>(set);
                bits[at >> 6] |= 1 << (at & 63);
            }
        });
        true
    }

    /// Counts a row, and drops the states that ended. Tells whether any are open.
    #[inline(always)]
    fn close<const WHOLE: bool>(
        &self,
        row: Cells,
        stabiliser: &[usize],
        bits: &mut [u64],
        maps: &mut Vec<BitMap>,
        tally: &mut Tally,
    ) -> bool {
        let states: u64 = bits.iter().map(|word| u64::from(word.count_ones())).sum();
        tally.states += states;
        tally.raw_states += if stabiliser.len() == 1 {
            states * self.images.elements.len() as u64
        } else {
            self.maps(row, 0, stabiliser, row, maps);
            let mut sum = 0;
            each_bit(bits, |at| {
                let column = self.columns[at];
                let fixed = maps.iter().filter(|map| map.apply(column) == column).count();
                sum += (self.images.elements.len() / fixed) as u64;
            });
            sum
        };
        let mut open = states;
        if self.mark == 0 {
            if let Some((outcome, _)) = self.lines.iter().find(|(_, lines)| lines.hold(row)) {
                tally.ended[*outcome] += states;
                bits.fill(0);
                return false;
            }
        } else if let Some(shortest) = self.lines.iter().map(|(_, lines)| lines.shortest).min()
            && self.columns.first().is_some_and(|column| column.count_ones() >= shortest)
        {
            let mut cells = [0u8; 32];
            let mut count = 0;
            for cell in (0..self.cells as u8).filter(|cell| row >> cell & 1 == 0) {
                cells[count] = cell;
                count += 1;
            }
            maps.resize_with(maps.len().max(1), BitMap::default);
            let map = &mut maps[0];
            map.set(cells[..count].iter().map(|&cell| Some(cell)));
            for (word, columns) in bits.iter_mut().zip(self.columns.chunks(64)) {
                let mut rest = *word;
                while rest != 0 {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    let set = map.apply(columns[bit]);
                    if let Some((outcome, _)) = self.lines.iter().find(|(_, lines)| lines.hold(set)) {
                        tally.ended[*outcome] += 1;
                        *word ^= 1 << bit;
                        open -= 1;
                    }
                }
            }
        }
        if let Some(outcome) = self.stuck {
            tally.ended[outcome] += open;
            open = 0;
        }
        tally.open += open;
        open > 0
    }
}

/// Adds the images of columns to a row, each as the smallest of its images under some maps.
#[inline(always)]
fn collect<const WHOLE: bool>(
    numbers: &Numbers,
    words: &[u64],
    without: &[u64],
    columns: &[Cells],
    maps: &[BitMap],
    bits: &mut [u64],
) {
    let (first, others) = maps.split_first().expect("a stabiliser has the identity");
    for ((word, without), columns) in words.iter().zip(without).zip(columns.chunks(64)) {
        let mut rest = word & without;
        while rest != 0 {
            let column = columns[rest.trailing_zeros() as usize];
            rest &= rest - 1;
            let mut set = first.apply(column);
            for map in others {
                set = set.min(map.apply(column));
            }
            let at = numbers.of::<WHOLE>(set);
            bits[at >> 6] |= 1 << (at & 63);
        }
    }
}

/// The smallest image of a set under some maps.
#[inline(always)]
fn smallest(maps: &[BitMap], set: Cells) -> Cells {
    maps.iter().map(|map| map.apply(set)).min().unwrap_or(set)
}

/// Calls a function with the place of each bit that is set.
#[inline(always)]
fn each_bit(words: &[u64], mut found: impl FnMut(usize)) {
    for (at, &word) in words.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            found(at * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}
