//! An order in which symbols can be brought home and then left alone: one or two at a time, from the far end of the
//! board.
//!
//! The order is found from the rules, backward. A region of cells begins around the pivot's home (the cell of the blank
//! in the goal) and grows by one cell or two neighbours at a time. It may grow by these cells if their symbols can be
//! brought home from everywhere in the grown region, by moves that stay inside it. A search over the cells of these
//! symbols and the pivot decides that. Solving goes the other way: the cells that joined last are filled first, and are
//! then left alone.
//!
//! For example, the last two cells of a row of a sliding puzzle join together: if one cell were filled before the
//! other, the last symbol could often not be brought home any more.

use crate::rules::Symbol;
use crate::solve::clock::Clock;
use crate::solve::patterns::{PermutationMove, PermutationRules};
use crate::sorting;

/// The number of cells of the region before it grows. The symbols that belong there are brought home last, all
/// together.
const FIRST_CELLS: usize = 12;

/// The region has the cells that are solved last. To make it grow, this many cells outside it are tried, and each pair
/// of such a cell and a neighbour.
const TRIED: usize = 4;

/// The number of moves that stands for "the symbols cannot come home from there".
const NEVER: u8 = u8::MAX;

/// A stage of solving: one or two symbols that are brought home together, and a table with the fewest moves for that.
#[derive(Debug)]
pub struct Stage {
    /// The symbols that are brought home in this stage: one or two.
    pub symbols: Vec<Symbol>,
    /// For each move, `true` if it leaves alone the symbols that earlier stages brought home.
    pub allowed: Vec<bool>,
    values: Vec<u8>,
    cells: usize,
}

impl Stage {
    /// The fewest moves that bring the symbols home, from the cells that hold them and the cell of the pivot.
    #[inline(always)]
    pub fn moves(&self, held: [u8; 2], pivot: u8) -> u8 {
        let second = if self.symbols.len() > 1 { held[1] as usize * self.cells } else { 0 };
        let pivot = pivot as usize * self.cells.pow(self.symbols.len() as u32);
        self.values[held[0] as usize + second + pivot]
    }

    /// The cells that hold the symbols in a state.
    pub fn held(&self, state: &[Symbol]) -> [u8; 2] {
        let mut held = [0; 2];
        for (symbol, held) in self.symbols.iter().zip(&mut held) {
            *held = state.iter().position(|found| found == symbol).unwrap_or(0) as u8;
        }
        held
    }
}

/// The stages in the order in which a board is solved.
#[derive(Debug)]
pub struct Subgoals {
    /// The stages, in the order in which their symbols are brought home.
    pub list: Vec<Stage>,
    /// The estimated cost of each later stage: more moves than any stage takes.
    pub each: u32,
}

impl Subgoals {
    /// Finds the stages. `None` if there is no such order, if the tables of moves would take more than `bytes` bytes,
    /// or if the watch stops the search.
    pub fn new(rules: &PermutationRules, bytes: u64, clock: &mut Clock) -> Option<Self> {
        let cells = rules.cells;
        let pivots = if rules.pivot.is_some() { cells } else { 1 };
        let most = (cells * cells * pivots) as u64 * (cells as u64).div_ceil(2);
        if cells <= FIRST_CELLS || most > bytes {
            return None;
        }
        let neighbours = neighbours(rules);
        let home = rules.pivot.map_or(0, |_| rules.pivot_cell(&rules.goal));
        let near = distances(&neighbours, home);
        let mut inside = vec![false; cells];
        inside[home] = true;
        // The cells outside the region. Cells with the most neighbours inside come first, so that the region stays
        // round.
        let outside = |inside: &[bool]| -> Vec<usize> {
            let touching = |cell: usize| neighbours[cell].iter().filter(|&&other| inside[other]).count();
            let mut outside: Vec<usize> = (0..cells).filter(|&cell| !inside[cell]).collect();
            sorting::sort_by_key(&mut outside, |&cell| (usize::MAX - touching(cell), near[cell], cell));
            outside
        };
        for _ in 1..FIRST_CELLS {
            let next = outside(&inside)[0];
            inside[next] = true;
        }
        let mut list = Vec::new();
        while inside.contains(&false) {
            let ways = outside(&inside);
            let grown = ways.iter().take(TRIED).find_map(|&cell| {
                let seconds = ways.iter().filter(|second| neighbours[cell].contains(second));
                let pairs = seconds.map(|&second| vec![cell, second]);
                pairs.chain([vec![cell]]).find_map(|new| {
                    let mut grown = inside.clone();
                    for &cell in &new {
                        grown[cell] = true;
                    }
                    stage(rules, &new, &grown, clock).map(|stage| (stage, grown))
                })
            });
            let (stage, grown) = grown?;
            list.push(stage);
            inside = grown;
        }
        list.reverse();
        let largest = list.iter().flat_map(|stage: &Stage| &stage.values).filter(|&&value| value != NEVER).max();
        Some(Self { each: u32::from(*largest?) * 5 / 4 + 8, list })
    }
}

/// For each cell, the neighbours: the cells that some move displaces together with it.
fn neighbours(rules: &PermutationRules) -> Vec<Vec<usize>> {
    let mut neighbours = vec![Vec::new(); rules.cells];
    for given in &rules.moves {
        for &(a, _) in &given.pairs {
            neighbours[a as usize].extend(given.pairs.iter().map(|&(b, _)| b as usize).filter(|&b| b != a as usize));
        }
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    neighbours
}

/// For each cell, the fewest steps from neighbour to neighbour that lead there from the cell `from`.
fn distances(neighbours: &[Vec<usize>], from: usize) -> Vec<usize> {
    let mut distances = vec![usize::MAX; neighbours.len()];
    distances[from] = 0;
    let mut pending = vec![from];
    for steps in 1.. {
        let mut next = Vec::new();
        for &cell in &pending {
            for &other in &neighbours[cell] {
                if distances[other] == usize::MAX {
                    distances[other] = steps;
                    next.push(other);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        pending = next;
    }
    distances
}

/// The stage that fills the cells `new` by moves inside a region. `None` if that cannot be done from everywhere in the
/// region, if several cells of the goal hold one of the symbols, or if the watch stops the search.
fn stage(rules: &PermutationRules, new: &[usize], inside: &[bool], clock: &mut Clock) -> Option<Stage> {
    let cells = rules.cells;
    let symbols: Vec<Symbol> = new.iter().map(|&cell| rules.goal[cell]).collect();
    let trackable = rules.trackable();
    // The guard of a move may look at more cells than the pivot's. Then the cells of the tracked symbols do not decide
    // whether the move is possible, and there is no stage.
    if !symbols.iter().all(|symbol| trackable.contains(symbol))
        || rules.moves.iter().any(|given| !given.guard.is_empty())
    {
        return None;
    }
    let allowed: Vec<bool> =
        rules.moves.iter().map(|given| given.pairs.iter().all(|&(from, _)| inside[from as usize])).collect();
    let weights = [1, cells, cells.pow(symbols.len() as u32)];
    let pivots = if rules.pivot.is_some() { cells } else { 1 };
    let mut values = vec![NEVER; weights[2] * pivots];
    let home = new.iter().zip(weights).map(|(&cell, weight)| cell * weight).sum::<usize>();
    let free = |cell: &usize| rules.pivot.is_none() || (inside[*cell] && !new.contains(cell));
    let mut level: Vec<usize> = (0..pivots).filter(free).map(|pivot| home + pivot * weights[2]).collect();
    for &place in &level {
        values[place] = 0;
    }
    let mut reached = level.len();
    for moves in 1..NEVER {
        let mut next = Vec::new();
        for &place in &level {
            if clock.stops() {
                return None;
            }
            let pivot = place / weights[2];
            for &at in rules.moves_into(pivot).iter().filter(|&&at| allowed[at as usize]) {
                let given = &rules.moves[at as usize];
                let before = |cell: usize| origin(given, cell);
                let mut earlier = before(place % cells);
                if symbols.len() > 1 {
                    earlier += before(place / cells % cells) * cells;
                }
                earlier += given.pivot.map_or(0, |(cell, _)| cell as usize) * weights[2];
                if values[earlier] == NEVER {
                    values[earlier] = moves;
                    next.push(earlier);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        reached += next.len();
        level = next;
    }
    let room = inside.iter().filter(|&&inside| inside).count();
    let all: usize = (0..symbols.len() + usize::from(rules.pivot.is_some())).map(|taken| room - taken).product();
    (reached == all).then_some(Stage { symbols, allowed, values, cells })
}

/// The cell that held, before a move, the symbol that `cell` holds after it.
fn origin(given: &PermutationMove, cell: usize) -> usize {
    given.pairs.iter().find(|&&(_, to)| to as usize == cell).map_or(cell, |&(from, _)| from as usize)
}
