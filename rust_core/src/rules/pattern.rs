//! Sets of symbols, and what cells must hold: patterns, and comparisons of two cells.

/// A symbol, written as its index in [`super::Rules::symbols`].
pub type Symbol = u8;

/// A set of symbols, with a bit for each of the 256 possible symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SymbolSet([u64; 4]);

impl SymbolSet {
    /// The set of the first `count` symbols.
    pub fn all(count: usize) -> Self {
        Self(std::array::from_fn(|limb| match count.saturating_sub(limb * 64) {
            0 => 0,
            rest if rest >= 64 => u64::MAX,
            rest => (1 << rest) - 1,
        }))
    }

    /// Returns `true` if the set holds a symbol.
    #[inline(always)]
    pub fn contains(self, symbol: Symbol) -> bool {
        self.0[symbol as usize >> 6] >> (symbol & 63) & 1 != 0
    }

    /// The symbols of the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Symbol> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let limb = left.iter().position(|&bits| bits != 0)?;
            let bit = left[limb].trailing_zeros() as usize;
            left[limb] &= left[limb] - 1;
            Some((limb * 64 + bit) as Symbol)
        })
    }

    /// The number of symbols in the set.
    pub fn len(self) -> usize {
        self.0.iter().map(|bits| bits.count_ones() as usize).sum()
    }

    /// Returns `true` if the set holds no symbol.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The symbols in both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// The symbols in either set.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// The only symbol of the set, if it holds exactly one; otherwise `None`.
    pub fn single(self) -> Option<Symbol> {
        if self.len() == 1 { self.iter().next() } else { None }
    }

    /// The symbols of this set that are not in the other.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// Returns `true` if each symbol of this set is in the other.
    pub fn within(self, other: Self) -> bool {
        self.and(other) == self
    }
}

impl FromIterator<Symbol> for SymbolSet {
    fn from_iter<I: IntoIterator<Item = Symbol>>(symbols: I) -> Self {
        let mut set = Self::default();
        for symbol in symbols {
            set.0[symbol as usize >> 6] |= 1 << (symbol & 63);
        }
        set
    }
}

/// A condition on some cells: a list of cells, each with the set of symbols that it may hold. A state satisfies the
/// pattern if each listed cell holds a symbol of its set. The list is sorted by cell and has no cell twice. A cell that
/// may hold every symbol is not listed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Pattern(pub Vec<(usize, SymbolSet)>);

impl Pattern {
    /// The symbols that a cell may hold; `None` if the pattern does not list the cell.
    pub fn get(&self, cell: usize) -> Option<SymbolSet> {
        self.0.binary_search_by_key(&cell, |&(at, _)| at).ok().map(|found| self.0[found].1)
    }

    /// The symbols that a cell may hold: all `symbols` symbols of the rules if the pattern does not list the cell.
    pub fn allowed(&self, cell: usize, symbols: usize) -> SymbolSet {
        self.get(cell).unwrap_or_else(|| SymbolSet::all(symbols))
    }

    /// Returns `true` if no state satisfies the pattern, because it allows no symbol in some cell.
    pub fn never(&self) -> bool {
        self.0.iter().any(|(_, set)| set.is_empty())
    }

    /// Returns `true` if a state satisfies the pattern.
    pub fn holds(&self, state: &[Symbol]) -> bool {
        self.0.iter().all(|&(cell, set)| set.contains(state[cell]))
    }
}

/// A demand of a guard on two cells: they hold the same symbol, or they hold different ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Comparison {
    /// The cell with the smaller number.
    pub first: usize,
    /// The cell with the larger number.
    pub second: usize,
    /// `true` if the two cells must hold the same symbol, `false` if they must hold different ones.
    pub equal: bool,
}

impl Comparison {
    /// The comparison of two different cells, which may be given in any order.
    pub fn new(one: usize, other: usize, equal: bool) -> Self {
        Self { first: one.min(other), second: one.max(other), equal }
    }

    /// Returns `true` if a state satisfies the comparison.
    pub fn holds(self, state: &[u8]) -> bool {
        (state[self.first] == state[self.second]) == self.equal
    }
}
