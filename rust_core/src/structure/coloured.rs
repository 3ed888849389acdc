//! Rules as a coloured graph, whose automorphisms are the symmetries of the rules. `docs/rules.md` explains it to
//! users.
//!
//! For example, take two cells, the symbols `.` and `o`, and a move that puts `o` into cell 0 if `.` is there. The
//! cells, the symbols and the move are vertices. Two more vertices are the *literal* "cell 0 holds `.`" and the effect
//! "write `o` to cell 0". Edges join each of these two to cell 0, to its symbol and to the move. An automorphism
//! permutes the vertices of each colour, so it carries cells to cells, symbols to symbols, and moves to moves.
//!
//! The graph does not say everything that rules say, so some of its automorphisms may be no symmetries. These are
//! refused by the check that declared symmetries must pass, too.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::mentions::{alike, mentioned, moved, symbols_of};
use crate::rules::{
    Comparison, Condition, Connection, Count, Move, Pattern, Rules, Scoring, Source, Symbol, SymbolMap, SymbolSet,
    Symmetry,
};
use crate::sorting;
use crate::sorting::Gather;

/// A vertex of the graph, by its number.
pub type Vertex = u32;

/// The colour of a vertex says what it stands for. An automorphism carries a vertex only onto vertices of the same
/// colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Colour {
    /// A set of this many cells that differ in nothing but their number. Most sets have one cell.
    Cells(usize),
    Symbol,
    Player,
    /// The condition "this cell holds one of these symbols".
    Literal,
    Move,
    /// The effect that writes a symbol into a cell.
    Write,
    /// The effect that copies a cell's symbol into a cell.
    Copy,
    Map,
    /// An entry of a map: one symbol and the symbol that replaces it.
    Arrow,
    Goal,
    /// A set of cells that must hold the same symbol.
    Equal,
    /// A pair of cells, or of sets of equal cells, that must hold different symbols.
    Different,
    /// The condition that the number of cells which hold one of some symbols is between these two numbers.
    Count(usize, usize),
    /// The condition that a state does not satisfy a pattern.
    Unless,
    /// The condition that a path joins two sides. Its sides are `Side`, and its pairs of neighbouring cells are `Edge`.
    Connection,
    Side,
    Edge,
    /// An end with this outcome, which is not the win of a player.
    End(usize),
    /// An end with which a player wins.
    Win,
    /// The forced pass of a player without any other move.
    Pass,
    /// A move that keeps the turn.
    Again,
    /// This many points for one player, which a symbol brings in some cells, or which an end states.
    Points(u32),
}

/// The labels of edges. The effect of a copy is joined to the cell that it reads and to the cell that it writes, and
/// the labels distinguish these two edges.
const PLAIN: u8 = 0;
const WRITTEN: u8 = 1;
const READ: u8 = 2;

/// The number of labels.
pub const LABELS: usize = 3;

/// A graph whose vertices have colours and whose edges have labels.
#[derive(Debug)]
pub struct ColouredGraph {
    /// For each vertex, the number of its colour.
    pub colours: Vec<u32>,
    /// For each vertex, its neighbours, each with the label of the edge between them.
    pub neighbours: Vec<Vec<(Vertex, u8)>>,
}

impl ColouredGraph {
    /// Returns `true` if a permutation of the vertices keeps all colours, edges and labels.
    pub fn is_automorphism(&self, image: &[Vertex]) -> bool {
        let mut met = vec![u32::MAX; self.colours.len() * LABELS];
        image.iter().enumerate().all(|(vertex, &to)| {
            let (from, onto) = (&self.neighbours[vertex], &self.neighbours[to as usize]);
            for &(other, label) in onto {
                met[other as usize * LABELS + label as usize] = to;
            }
            self.colours[vertex] == self.colours[to as usize]
                && from.len() == onto.len()
                && from
                    .iter()
                    .all(|&(other, label)| met[image[other as usize] as usize * LABELS + label as usize] == to)
        })
    }
}

/// The graph of rules, with the vertices that stand for each part of the rules.
#[derive(Debug)]
pub struct RulesGraph<'a> {
    /// The rules that the graph was made of.
    pub rules: &'a Rules,
    /// The graph with its colours and edges.
    pub graph: ColouredGraph,
    /// For each vertex of cells, its cells: one, or several that differ in nothing but their number. These vertices
    /// come first.
    cells: Vec<Vec<usize>>,
    /// The vertex of each symbol; `None` if the rules do not use the symbol.
    symbols: Vec<Option<Vertex>>,
    /// The vertex of each player; empty for a puzzle.
    players: Vec<Vertex>,
    /// The vertices of the moves. Moves that do the same share a vertex.
    pub moves: Vec<Vertex>,
    /// The number of vertices of cells, symbols and players. They come first, and their images determine the images of
    /// all other vertices.
    pub said: usize,
}

impl<'a> RulesGraph<'a> {
    /// Makes the graph of rules.
    pub fn new(rules: &'a Rules) -> Self {
        Builder::new(rules).build()
    }

    /// Turns a permutation of the vertices into a map of cells, symbols and players. The result may be no symmetry.
    pub fn symmetry(&self, image: &[Vertex]) -> Symmetry {
        let mut symmetry = Symmetry::identity(self.rules.cells(), self.rules.symbols.len());
        for (cells, &to) in self.cells.iter().zip(image) {
            for (&cell, &onto) in cells.iter().zip(&self.cells[to as usize]) {
                symmetry.cells[cell] = onto;
            }
        }
        let at: HashMap<Vertex, usize> =
            self.symbols.iter().enumerate().filter_map(|(symbol, vertex)| Some(((*vertex)?, symbol))).collect();
        for (symbol, vertex) in self.symbols.iter().enumerate() {
            if let Some(vertex) = vertex {
                symmetry.symbols[symbol] = at[&image[*vertex as usize]] as Symbol;
            }
        }
        symmetry.swap_players = self.players.first().is_some_and(|&first| image[first as usize] != first);
        symmetry
    }

    /// The number of symmetries that the graph does not show, because they only permute cells that share a vertex, or
    /// symbols that the rules do not use; `u128::MAX` if there are more.
    pub fn left_out(&self) -> u128 {
        let factorial = |count: usize| (1..=count as u128).fold(1, u128::saturating_mul);
        let unmentioned = self.symbols.iter().filter(|vertex| vertex.is_none()).count();
        self.cells.iter().map(|cells| factorial(cells.len())).fold(factorial(unmentioned), u128::saturating_mul)
    }

    /// A copy of the graph in which each of the given vertices has a colour of its own, so that its automorphisms keep
    /// these vertices in place.
    pub fn with_apart(&self, vertices: impl Iterator<Item = Vertex>) -> ColouredGraph {
        let mut colours = self.graph.colours.clone();
        let first = colours.iter().max().map_or(0, |most| most + 1);
        vertices.zip(first..).for_each(|(vertex, colour)| colours[vertex as usize] = colour);
        ColouredGraph { colours, neighbours: self.graph.neighbours.clone() }
    }

    /// The vertices of cells that no move reads or writes, and of symbols that only such cells hold.
    pub fn untouched(&self) -> Vec<Vertex> {
        let moved = moved(self.rules);
        let in_moves = symbols_of(
            &self.rules.moves,
            moved.iter().zip(&self.rules.start).filter(|&(&moved, _)| moved).map(|(_, &symbol)| symbol),
        );
        let cells = self.cells.iter().zip(0..).filter(|(cells, _)| !moved[cells[0]]).map(|(_, vertex)| vertex);
        let symbols = self.symbols.iter().enumerate().filter(|&(symbol, _)| !in_moves.contains(symbol as Symbol));
        cells.chain(symbols.filter_map(|(_, vertex)| *vertex)).collect()
    }
}

struct Builder<'a> {
    rules: &'a Rules,
    colours: Vec<Colour>,
    edges: Vec<(Vertex, Vertex, u8)>,
    cells: Vec<Vec<usize>>,
    /// For each cell, its vertex.
    cell: Vec<Vertex>,
    symbols: Vec<Option<Vertex>>,
    players: Vec<Vertex>,
    literals: HashMap<(Vertex, SymbolSet), Vertex>,
    sources: HashMap<(usize, &'a Source), Vertex>,
    maps: HashMap<&'a SymbolMap, Vertex>,
    arrows: HashMap<(Symbol, Symbol), Vertex>,
    /// The vertices of comparisons, by their colour and members. The members of an `Equal` vertex are cells. The
    /// members of a `Different` vertex are two cells or sets of equal cells.
    compared: HashMap<(Colour, Vec<Vertex>), Vertex>,
    conditions: HashMap<&'a Condition, Vertex>,
}

impl<'a> Builder<'a> {
    fn new(rules: &'a Rules) -> Self {
        let cells = alike(rules);
        let mut cell = vec![0; rules.cells()];
        for (vertex, members) in cells.iter().enumerate() {
            for &member in members {
                cell[member] = vertex as Vertex;
            }
        }
        Self {
            rules,
            colours: cells.iter().map(|members| Colour::Cells(members.len())).collect(),
            edges: Vec::new(),
            cells,
            cell,
            symbols: vec![None; rules.symbols.len()],
            players: Vec::new(),
            literals: HashMap::new(),
            sources: HashMap::new(),
            maps: HashMap::new(),
            arrows: HashMap::new(),
            compared: HashMap::new(),
            conditions: HashMap::new(),
        }
    }

    fn build(mut self) -> RulesGraph<'a> {
        let rules = self.rules;
        for symbol in mentioned(rules).iter() {
            self.symbols[symbol as usize] = Some(self.vertex(Colour::Symbol));
        }
        self.players = rules.players.iter().map(|_| self.vertex(Colour::Player)).collect();
        let said = self.colours.len();
        for vertex in 0..self.cells.len() {
            let held = self.symbol(rules.start[self.cells[vertex][0]]);
            self.edges.push((vertex as Vertex, held, PLAIN));
        }
        let mut moves = BTreeMap::new();
        for given in &rules.moves {
            let Move { player, when, compares, conditions, then, forced, again, .. } = given;
            moves.entry((player, when, compares, conditions, then, (forced, again))).or_insert_with(|| {
                let colour = match (given.forced, given.again) {
                    (true, _) => Colour::Pass,
                    (false, true) => Colour::Again,
                    (false, false) => Colour::Move,
                };
                let vertex = self.pattern(colour, &given.when);
                self.compare(vertex, &given.compares);
                self.conditions(vertex, &given.conditions);
                if let Some(player) = given.player {
                    self.join(vertex, self.players[player]);
                }
                for (to, source) in &given.then {
                    let effect = self.effect(*to, source);
                    self.join(vertex, effect);
                }
                vertex
            });
        }
        if let Some(scoring) = &rules.scoring {
            self.scoring(scoring);
        }
        let ends: BTreeSet<_> =
            rules.ends.iter().map(|end| (end.outcome, &end.when, &end.conditions, end.points)).gather();
        for (outcome, when, conditions, points) in ends {
            let winner = rules.players.iter().position(|player| *player == rules.outcomes[outcome]);
            let vertex = self.pattern(winner.map_or(Colour::End(outcome), |_| Colour::Win), when);
            self.conditions(vertex, conditions);
            if let Some(player) = winner {
                self.join(vertex, self.players[player]);
            }
            if let Some(points) = points {
                let points = self.points(points);
                self.join(vertex, points);
            }
        }
        for goal in rules.goal.iter().gather::<BTreeSet<_>>() {
            let vertex = self.pattern(Colour::Goal, &goal.when);
            self.conditions(vertex, &goal.conditions);
        }
        let mut moves: Vec<Vertex> = moves.into_values().collect();
        moves.sort_unstable();
        RulesGraph {
            rules,
            graph: graph(&self.colours, &self.edges),
            cells: self.cells,
            symbols: self.symbols,
            players: self.players,
            moves,
            said,
        }
    }

    /// Adds a vertex for a number of points of the first player, and joins it to the vertex of the player who is ahead
    /// by these points.
    fn points(&mut self, points: i32) -> Vertex {
        let vertex = self.vertex(Colour::Points(points.unsigned_abs()));
        match points.signum() {
            1 => self.join(vertex, self.players[0]),
            -1 => self.join(vertex, self.players[1]),
            _ => {}
        }
        vertex
    }

    /// Adds the scoring: a vertex for each symbol and number of points, joined to the cells where the symbol is worth
    /// this many points.
    fn scoring(&mut self, scoring: &Scoring) {
        let mut worth: BTreeMap<(Symbol, i32), BTreeSet<Vertex>> = BTreeMap::new();
        for (cell, points) in &scoring.cells {
            for (symbol, &points) in points.iter().enumerate().filter(|&(_, &points)| points != 0) {
                worth.entry((symbol as Symbol, points)).or_default().insert(self.cell[*cell]);
            }
        }
        for ((symbol, points), cells) in worth {
            let vertex = self.points(points);
            self.join(vertex, self.symbol(symbol));
            for cell in cells {
                self.join(vertex, cell);
            }
        }
    }

    fn vertex(&mut self, colour: Colour) -> Vertex {
        self.colours.push(colour);
        self.colours.len() as Vertex - 1
    }

    fn join(&mut self, one: Vertex, other: Vertex) {
        self.edges.push((one, other, PLAIN));
    }

    fn symbol(&self, symbol: Symbol) -> Vertex {
        self.symbols[symbol as usize].expect("all symbols that rules mention have a vertex")
    }

    /// Adds a vertex for a part of the rules that has a pattern, such as a move, and joins it to the literals of the
    /// pattern.
    fn pattern(&mut self, colour: Colour, pattern: &Pattern) -> Vertex {
        let vertex = self.vertex(colour);
        let mut literals: Vec<Vertex> =
            pattern.0.iter().map(|&(cell, set)| self.literal(self.cell[cell], set)).collect();
        // Cells that share a vertex have the same literal, to which the vertex is joined once.
        literals.sort_unstable();
        literals.dedup();
        for literal in literals {
            self.join(vertex, literal);
        }
        vertex
    }

    fn literal(&mut self, cell: Vertex, set: SymbolSet) -> Vertex {
        if let Some(&known) = self.literals.get(&(cell, set)) {
            return known;
        }
        let vertex = self.vertex(Colour::Literal);
        self.join(vertex, cell);
        for symbol in set.iter() {
            self.join(vertex, self.symbol(symbol));
        }
        self.literals.insert((cell, set), vertex);
        vertex
    }

    /// Joins a move to the vertices of its comparisons. A set of cells that must be equal has one vertex, so it does
    /// not matter which pairs of them the guard compares.
    fn compare(&mut self, given: Vertex, compares: &[Comparison]) {
        // For each set of equal cells, by its smallest cell: the vertices of its members.
        let mut classes: BTreeMap<usize, Vec<Vertex>> = BTreeMap::new();
        for compare in compares.iter().filter(|compare| compare.equal) {
            let class = classes.entry(compare.first).or_insert_with(|| vec![self.cell[compare.first]]);
            class.push(self.cell[compare.second]);
        }
        let mut vertex_of: BTreeMap<usize, Vertex> = BTreeMap::new();
        for (first, mut class) in classes {
            class.sort_unstable();
            vertex_of.insert(first, self.compared(given, Colour::Equal, class));
        }
        for compare in compares.iter().filter(|compare| !compare.equal) {
            let side = |cell: usize| vertex_of.get(&cell).copied().unwrap_or(self.cell[cell]);
            let mut pair = vec![side(compare.first), side(compare.second)];
            pair.sort_unstable();
            self.compared(given, Colour::Different, pair);
        }
    }

    fn compared(&mut self, given: Vertex, colour: Colour, members: Vec<Vertex>) -> Vertex {
        let known = self.compared.get(&(colour, members.clone())).copied();
        let vertex = known.unwrap_or_else(|| self.vertex(colour));
        if known.is_none() {
            for &member in &members {
                self.join(vertex, member);
            }
            self.compared.insert((colour, members), vertex);
        }
        self.join(given, vertex);
        vertex
    }

    /// Joins a move, an end or a goal to the vertices of its conditions.
    fn conditions(&mut self, given: Vertex, conditions: &'a [Condition]) {
        for condition in conditions {
            let known = self.conditions.get(condition).copied();
            let vertex = known.unwrap_or_else(|| self.condition(condition));
            self.conditions.insert(condition, vertex);
            self.join(given, vertex);
        }
    }

    fn condition(&mut self, condition: &Condition) -> Vertex {
        match condition {
            Condition::Unless(pattern) => self.pattern(Colour::Unless, pattern),
            Condition::Count(Count { symbols, cells, least, most }) => {
                let vertex = self.vertex(Colour::Count(*least, *most));
                self.join_symbols(vertex, *symbols);
                self.join_cells(vertex, cells);
                vertex
            }
            Condition::Connection(Connection { symbols, sides, edges }) => {
                let vertex = self.vertex(Colour::Connection);
                self.join_symbols(vertex, *symbols);
                // If both sides have the same cells, they share one vertex, since nothing distinguishes them.
                for cells in sides.iter().gather::<BTreeSet<_>>() {
                    let side = self.vertex(Colour::Side);
                    self.join(vertex, side);
                    self.join_cells(side, cells);
                }
                for &(one, other) in edges {
                    let edge = self.vertex(Colour::Edge);
                    self.join(vertex, edge);
                    self.join_cells(edge, &[one, other]);
                }
                vertex
            }
        }
    }

    fn join_symbols(&mut self, given: Vertex, symbols: SymbolSet) {
        for symbol in symbols.iter() {
            self.join(given, self.symbol(symbol));
        }
    }

    fn join_cells(&mut self, given: Vertex, cells: &[usize]) {
        let cells: BTreeSet<Vertex> = cells.iter().map(|&cell| self.cell[cell]).gather();
        for cell in cells {
            self.join(given, cell);
        }
    }

    /// The vertex for the effect of a move on one cell. Moves that have the same effect share it.
    fn effect(&mut self, to: usize, source: &'a Source) -> Vertex {
        if let Some(&known) = self.sources.get(&(to, source)) {
            return known;
        }
        let vertex = match source {
            Source::Symbol(symbol) => {
                let vertex = self.vertex(Colour::Write);
                self.join(vertex, self.symbol(*symbol));
                vertex
            }
            Source::Copy(from, map) => {
                let vertex = self.vertex(Colour::Copy);
                self.edges.push((vertex, self.cell[*from], READ));
                if let Some(map) = map {
                    let map = self.map(map);
                    self.join(vertex, map);
                }
                vertex
            }
        };
        self.edges.push((vertex, self.cell[to], WRITTEN));
        self.sources.insert((to, source), vertex);
        vertex
    }

    /// The vertex for a map of symbols. It is joined to an `Arrow` vertex for each symbol that the map changes.
    fn map(&mut self, map: &'a SymbolMap) -> Vertex {
        if let Some(&known) = self.maps.get(map) {
            return known;
        }
        let vertex = self.vertex(Colour::Map);
        for (from, &to) in map.iter().enumerate().filter(|&(from, &to)| from != to as usize) {
            let arrow = self.arrow(from as Symbol, to);
            self.join(vertex, arrow);
        }
        self.maps.insert(map, vertex);
        vertex
    }

    fn arrow(&mut self, from: Symbol, to: Symbol) -> Vertex {
        if let Some(&known) = self.arrows.get(&(from, to)) {
            return known;
        }
        let vertex = self.vertex(Colour::Arrow);
        self.edges.push((vertex, self.symbol(from), READ));
        self.edges.push((vertex, self.symbol(to), WRITTEN));
        self.arrows.insert((from, to), vertex);
        vertex
    }
}

fn graph(colours: &[Colour], edges: &[(Vertex, Vertex, u8)]) -> ColouredGraph {
    let mut known = colours.to_vec();
    sorting::sort(&mut known);
    known.dedup();
    let number = |colour| known.binary_search(colour).expect("each colour is known") as u32;
    let mut neighbours = vec![Vec::new(); colours.len()];
    for &(one, other, label) in edges {
        neighbours[one as usize].push((other, label));
        neighbours[other as usize].push((one, label));
    }
    ColouredGraph { colours: colours.iter().map(number).collect(), neighbours }
}
