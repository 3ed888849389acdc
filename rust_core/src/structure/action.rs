//! The guards and effects of single moves, sorted into a few simple shapes, from which indexes, groups and linear maps
//! are made.

use crate::ordered::{OrderedMap, OrderedSet};
use crate::rules::{Move, Source, Symbol, SymbolSet};
use crate::sorting::Gather;

/// The condition under which a move can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// No condition: the move can be made in every state.
    Nothing,
    /// A cell must hold a symbol.
    Symbol(usize, Symbol),
    /// The first cell must hold the symbol, and the second cell must hold another one. The move exchanges the two
    /// cells, so it would change nothing if both held the symbol.
    Unlike(usize, usize, Symbol),
    /// Any other condition.
    More,
}

/// The effect of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// The move changes nothing. It may still have a condition.
    Nothing,
    /// The move permutes the symbols of these cells. Each pair is a cell, and the cell to which its symbol goes.
    Permutes(Vec<(usize, usize)>),
    /// The move writes a symbol to a cell.
    Puts(usize, Symbol),
    /// Any other effect.
    Other,
}

/// Finds the condition ([`Need`]) and the effect ([`Action`]) of a move.
///
/// For example, a slide `when {0: "."}`, `then {0: Copy(1), 1: "."}` needs `.` in cell 0, and permutes the cells 0 and
/// 1: the `.` that it writes to cell 1 is the one that cell 0 is known to hold. With the guard
/// `when {0: ".", 1: anything but "."}`, the condition is [`Need::Unlike`]. `symbols` is the number of symbols of the
/// rules.
pub(super) fn recognise(given: &Move, symbols: usize) -> (Need, Action) {
    let need = match &given.when.0[..] {
        _ if !(given.compares.is_empty() && given.conditions.is_empty()) || given.forced => Need::More,
        [] => Need::Nothing,
        [(cell, set)] => set.single().map_or(Need::More, |symbol| Need::Symbol(*cell, symbol)),
        _ => Need::More,
    };
    let action = match &given.then[..] {
        [] => Action::Nothing,
        then => permuted(given)
            .map(Action::Permutes)
            .or(match then {
                [(cell, Source::Symbol(symbol))] => Some(Action::Puts(*cell, *symbol)),
                _ => None,
            })
            .unwrap_or(Action::Other),
    };
    match unlike(given, &action, symbols) {
        Some(unlike) => (unlike, action),
        None => (need, action),
    }
}

/// The condition of a move, if it has the form of [`Need::Unlike`]; otherwise `None`.
fn unlike(given: &Move, action: &Action, symbols: usize) -> Option<Need> {
    let (Action::Permutes(pairs), [one, two]) = (action, &given.when.0[..]) else { return None };
    let plain = given.compares.is_empty() && given.conditions.is_empty() && !given.forced;
    if pairs[..] != [(one.0, two.0), (two.0, one.0)] || !plain {
        return None;
    }
    [(one, two), (two, one)].into_iter().find_map(|((cell, set), (other, others))| {
        let symbol = set.single()?;
        let but = SymbolSet::all(symbols).minus(SymbolSet::from_iter([symbol]));
        (*others == but).then_some(Need::Unlike(*cell, *other, symbol))
    })
}

/// The pairs of [`Action::Permutes`], if the symbol of each written cell goes to exactly one written cell; otherwise
/// `None`.
fn permuted(given: &Move) -> Option<Vec<(usize, usize)>> {
    let mut image: OrderedMap<usize, usize> = OrderedMap::new();
    for (to, source) in &given.then {
        let from = match source {
            Source::Copy(from, None) => *from,
            // The guard must leave only one cell that is known to hold this symbol. The symbol comes from that cell.
            Source::Symbol(symbol) => {
                let mut known = given.when.0.iter().filter(|(_, set)| set.single() == Some(*symbol));
                known.next().filter(|_| known.next().is_none())?.0
            }
            Source::Copy(_, Some(_)) => return None,
        };
        if image.insert(from, *to).is_some() {
            return None;
        }
    }
    let written: OrderedSet<usize> = given.then.iter().map(|&(to, _)| to).gather();
    image.keys().eq(&written).then(|| image.into_iter().collect())
}

/// A move as a permutation of all cells.
#[derive(Debug, Clone)]
pub struct Permutation {
    /// `image[i]` is the cell to which the symbol of cell `i` goes.
    pub image: Vec<usize>,
    /// The cell and the symbol that it must hold, if the move has such a condition; otherwise `None`.
    pub needs: Option<(usize, Symbol)>,
    /// For [`Need::Unlike`], the other cell: the move exchanges the two cells, and needs a different symbol there.
    /// `None` for any other condition.
    pub unlike: Option<usize>,
}

impl Permutation {
    /// The permutation of `cells` cells that a move makes. `None` if the move does anything else, or has the condition
    /// [`Need::More`].
    pub(super) fn new(need: Need, action: &Action, cells: usize) -> Option<Self> {
        let (needs, unlike) = match need {
            Need::Nothing => (None, None),
            Need::Symbol(cell, symbol) => (Some((cell, symbol)), None),
            Need::Unlike(cell, other, symbol) => (Some((cell, symbol)), Some(other)),
            Need::More => return None,
        };
        let mut image: Vec<usize> = (0..cells).collect();
        match action {
            Action::Nothing => {}
            Action::Permutes(moved) => moved.iter().for_each(|&(from, to)| image[from] = to),
            _ => return None,
        }
        Some(Self { image, needs, unlike })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Pattern;

    fn shape(when: &[(usize, &[Symbol])], then: &[(usize, Source)]) -> (Need, Action) {
        let when = when.iter().map(|&(cell, set)| (cell, set.iter().copied().collect::<SymbolSet>())).collect();
        let (when, compares, conditions) = (Pattern(when), Vec::new(), Vec::new());
        let then = then.to_vec();
        recognise(
            &Move { name: String::new(), player: None, when, compares, conditions, then, forced: false, again: false },
            3,
        )
    }

    #[test]
    fn each_shape_is_told_from_the_others() {
        let copy = |from| Source::Copy(from, None);
        let flip = |cell| (cell, Source::Copy(cell, Some([1, 0].into())));
        assert_eq!(shape(&[], &[]), (Need::Nothing, Action::Nothing));
        assert_eq!(shape(&[(1, &[2])], &[]), (Need::Symbol(1, 2), Action::Nothing));
        assert_eq!(shape(&[(1, &[1, 2])], &[]).0, Need::More);
        let turn = Action::Permutes(vec![(0, 2), (2, 3), (3, 0)]);
        assert_eq!(shape(&[], &[(0, copy(3)), (2, copy(0)), (3, copy(2))]).1, turn);
        let slide = shape(&[(0, &[0])], &[(0, copy(1)), (1, Source::Symbol(0))]);
        assert_eq!(slide, (Need::Symbol(0, 0), Action::Permutes(vec![(0, 1), (1, 0)])));
        let exchange = [(0, copy(1)), (1, copy(0))];
        let guarded = |one: &[Symbol], other: &[Symbol]| shape(&[(0, one), (1, other)], &exchange).0;
        assert_eq!(guarded(&[0], &[1, 2]), Need::Unlike(0, 1, 0));
        assert_eq!(guarded(&[0, 2], &[1]), Need::Unlike(1, 0, 1));
        assert_eq!(guarded(&[0], &[1]), Need::More);
        assert_eq!(guarded(&[0], &[0, 2]), Need::More);
        // A turn of three cells changes something even if two of them hold the same symbol.
        assert_eq!(shape(&[(0, &[0]), (2, &[1, 2])], &[(0, copy(3)), (2, copy(0)), (3, copy(2))]).0, Need::More);
        assert_eq!(shape(&[], &[flip(0), flip(3)]).1, Action::Other);
        assert_eq!(shape(&[(2, &[0])], &[(2, Source::Symbol(1))]), (Need::Symbol(2, 0), Action::Puts(2, 1)));
        // None of these is one of the shapes: a copy whose source stays, one symbol copied twice, and a flip beside a
        // permutation.
        for other in [vec![(0, copy(1))], vec![(0, copy(2)), (1, copy(2))], vec![flip(0), (1, copy(2)), (2, copy(1))]] {
            assert_eq!(shape(&[], &other).1, Action::Other);
        }
    }
}
