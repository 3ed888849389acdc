//! A lower bound on the moves that a state needs, from how many cells hold each symbol.
//!
//! The *composition* of a state is the number of cells that hold each symbol. A goal demands some of these numbers, and
//! one move can change each number only by a limited amount. Take 32 pegs, of which one is to be left: a jump takes one
//! peg away, so at least 31 jumps are needed. See `docs/solving.md`, "A bound by the numbers of pieces".

use crate::ordered::{OrderedMap, OrderedSet};
use crate::rules::{Condition, Count, Goal, Rules, Symbol, SymbolSet};

/// The numbers that the goals demand, and by how much one move changes each of them.
#[derive(Debug)]
pub(super) struct CompositionBound {
    numbers: Vec<ChangingNumber>,
    goals: OrderedSet<Vec<Demand>>,
}

/// A count, such as "the cells that hold `x`", with the most by which one move raises it, and the most by which one
/// move lowers it.
#[derive(Debug)]
struct ChangingNumber {
    count: Count,
    raised: usize,
    lowered: usize,
}

/// The range that a goal demands of one of the numbers.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Demand {
    /// The place of the number in [`CompositionBound::numbers`].
    number: usize,
    least: usize,
    most: usize,
}

impl CompositionBound {
    pub fn new(rules: &Rules) -> Self {
        let (mut numbers, mut places) = (Vec::new(), OrderedMap::new());
        let mut goals = OrderedSet::new();
        for goal in &rules.goal {
            let mut demands = Vec::new();
            for count in demanded(rules, goal) {
                let (least, most) = (count.least, count.most);
                let number = *places.value_or((count.symbols, count.cells.clone()), || {
                    numbers.push(ChangingNumber::new(rules, count));
                    numbers.len() - 1
                });
                demands.push(Demand { number, least, most });
            }
            goals.insert(demands);
        }
        Self { numbers, goals }
    }

    /// A lower bound on the moves from a state to the nearest goal; `None` if the numbers show that no moves lead to a
    /// goal.
    pub fn least_moves(&self, state: &[Symbol]) -> Option<u32> {
        let there: Vec<usize> = self.numbers.iter().map(|number| number.count.there(state)).collect();
        let to_goal = |demands: &Vec<Demand>| -> Option<u32> {
            let mut each =
                demands.iter().map(|demand| self.numbers[demand.number].least_moves(there[demand.number], demand));
            each.try_fold(0, |least, moves| Some(least.max(moves?)))
        };
        self.goals.iter().filter_map(to_goal).min()
    }
}

impl ChangingNumber {
    fn new(rules: &Rules, count: Count) -> Self {
        let (mut raised, mut lowered) = (0, 0);
        for given in rules.moves.iter().filter(|given| !given.when.never()) {
            let change = rules.count_change(given, &count);
            raised = raised.max(usize::try_from(*change.end()).unwrap_or(0));
            lowered = lowered.max(usize::try_from(-change.start()).unwrap_or(0));
        }
        Self { count, raised, lowered }
    }

    /// A lower bound on the moves that bring the number from `there` into the range that a goal demands; `None` if no
    /// moves do.
    fn least_moves(&self, there: usize, demand: &Demand) -> Option<u32> {
        let (missing, step) = if there < demand.least {
            (demand.least - there, self.raised)
        } else {
            (there.saturating_sub(demand.most), self.lowered)
        };
        if missing == 0 { Some(0) } else { (step > 0).then(|| missing.div_ceil(step) as u32) }
    }
}

/// The ranges in which the counts of every state of a goal lie: how many cells of the whole board hold each symbol, and
/// the goal's own conditions that count. A range that excludes nothing is left out.
fn demanded(rules: &Rules, goal: &Goal) -> Vec<Count> {
    let (cells, symbols) = (rules.cells(), rules.symbols.len());
    let allowed: Vec<SymbolSet> = (0..cells).map(|cell| goal.when.allowed(cell, symbols)).collect();
    let of_symbol = |symbol: usize| {
        let only: SymbolSet = [symbol as Symbol].into_iter().collect();
        let least = allowed.iter().filter(|set| set.within(only)).count();
        let most = allowed.iter().filter(|set| set.contains(symbol as Symbol)).count();
        Count { symbols: only, cells: (0..cells).collect(), least, most }
    };
    let counted = goal.conditions.iter().filter_map(|condition| match condition {
        Condition::Count(count) => Some(count.clone()),
        Condition::Unless(_) | Condition::Connection(_) => None,
    });
    let every = (0..symbols).map(of_symbol).chain(counted);
    every.filter(|count| count.least > 0 || count.most < count.cells.len()).collect()
}
