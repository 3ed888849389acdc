//! Canonical forms and orbit sizes beside their definitions.

use super::*;
use crate::compile::layout::Layout;
use crate::random::Random;
use crate::rules::{Move, Pattern, Rules, RulesData, Source, Symbol};
use crate::structure::Structure;

/// Compares canonical forms and orbit sizes with their definitions: by tables, if these fit the cache, and in the
/// way that is chosen after a look at states of many symbols. Returns for each of the two whether it has tables
/// (and does not go cell by cell), or `None` if a word has no room for a state.
fn compare<W: Word>(rules: &Rules, symmetries: &[Symmetry], random: &mut Random) -> Option<[bool; 2]> {
    let layout = Layout::new::<W>(rules)?;
    let (cells, symbols) = (rules.cells(), rules.symbols.len());
    let state = |at: usize| (0..cells).map(|cell| ((cell * cell / 3 + at) % symbols) as Symbol).collect::<Vec<_>>();
    let samples = || (0..5).map(|at| layout.pack::<W>(&state(at))).collect::<Vec<W>>();
    let looks: [&dyn Fn() -> Vec<W>; 2] = [&Vec::new, &samples];
    Some(looks.map(|look| {
        let images = Images::<W>::new(rules, &layout, symmetries, look);
        compare_images(&images, rules, &layout, random);
        images.by_cells.is_none()
    }))
}

/// Compares smallest images and orbits of random states with those that single symmetries give. Most of the states
/// have one or two symbols, so that many of their images share a prefix.
fn compare_images<W: Word>(images: &Images<W>, rules: &Rules, layout: &Layout, random: &mut Random) {
    let symmetries = &images.symmetries;
    for round in 0..crate::tests::quick_or_long(7, 400) as usize {
        let symbols = [1, 2, rules.symbols.len() as u64][round % 3].min(rules.symbols.len() as u64);
        // In one round, all bits of the cells may be ones.
        let least = if round == 3 { rules.symbols.len() as u64 - 1 } else { 0 };
        let most = symbols.min(rules.symbols.len() as u64 - least);
        let symbol = |random: &mut Random| least + random.below(most);
        let cells: Vec<Symbol> = (0..rules.cells()).map(|_| symbol(random) as Symbol).collect();
        let all: std::collections::BTreeSet<Vec<Symbol>> =
            symmetries.iter().map(|symmetry| symmetry.apply(&cells)).collect();
        let word = layout.pack::<W>(&cells);
        assert_eq!(images.smallest(word), layout.pack(all.first().unwrap()), "{cells:?}");
        if images.order == 2 {
            let pair: Vec<W> = symmetries.iter().map(|symmetry| layout.pack(&symmetry.apply(&cells))).collect();
            assert_eq!(images.pair(word), pair[..], "{cells:?}");
        }
        if images.has_prefix_block() {
            compare_exchanged(images, layout, &cells, symbols, random);
        }
        if symmetries[0].cells.is_sorted() {
            assert_eq!(images.orbit_size(word), all.len() as u64, "{cells:?}");
        }
    }
}

/// Compares two ways to the canonical form of a state: from the state alone, and from the prefixes of another state
/// that differs in a few cells.
fn compare_exchanged<W: Word>(
    images: &Images<W>,
    layout: &Layout,
    cells: &[Symbol],
    symbols: u64,
    random: &mut Random,
) {
    let (mut changed, count) = (cells.to_vec(), random.below(3) + 1);
    let written: Vec<usize> = (0..count).map(|_| random.below(cells.len() as u64) as usize).collect();
    for &cell in &written {
        changed[cell] = random.below(symbols) as Symbol;
    }
    let (word, after) = (layout.pack::<W>(cells), layout.pack::<W>(&changed));
    let prefixes = images.prefix_block(word);
    if let Some(chunks) = images.chunks_of(layout, written.iter().copied()) {
        let prefixes = images.exchanged(&prefixes, &word.views(), &after.views(), &chunks);
        assert_eq!(images.smallest_by_prefixes(after, prefixes), images.smallest(after), "{cells:?} to {changed:?}");
    }
    let (before, mut flips) = (images.block(word), images.block(after));
    flips.iter_mut().zip(before).for_each(|(flip, before)| *flip = flip.xor(before));
    let flips = images.prefix_flips(layout, &flips);
    let prefixes = std::array::from_fn(|lane| prefixes[lane] ^ flips[lane]);
    assert_eq!(images.smallest_by_prefixes(after, prefixes), images.smallest(after), "{cells:?} to {changed:?}");
}

/// Rules of a board on which no move can be made.
fn board(cells: usize, symbols: usize) -> Rules {
    let names: Vec<String> = (0..symbols).map(|symbol| symbol.to_string()).collect();
    let data = RulesData {
        symbols: names,
        start: vec!["0".to_owned(); cells],
        players: Vec::new(),
        moves: Vec::new(),
        goal: Vec::new(),
        ends: Vec::new(),
        stuck: None,
        score: None,
        symmetries: Vec::new().into(),
    };
    Rules::new(&data).unwrap()
}

#[test]
fn the_smallest_image_is_that_of_the_definition() {
    let mut random = Random::new("images");
    // The symmetries are the rotations of a ring of cells. In some rounds, a rotation also renames the first
    // symbols in a circle.
    for (cells, symbols, turned) in [
        (2, 2, 0),
        (3, 3, 3),
        (4, 2, 0),
        (8, 5, 4),
        (12, 3, 2),
        (16, 2, 2),
        (20, 4, 0),
        (24, 6, 6),
        (40, 6, 3),
        (60, 4, 4),
        (120, 3, 3),
        (120, 17, 3),
    ] {
        let rules = board(cells, symbols);
        for mirror in [false, true] {
            let turn = Symmetry {
                cells: (0..cells).map(|cell| (cell + 1) % cells).collect(),
                symbols: (0..symbols).map(|at| if at < turned { (at + 1) % turned } else { at } as Symbol).collect(),
                ..Symmetry::identity(cells, symbols)
            };
            let over = Symmetry { cells: (0..cells).rev().collect(), ..Symmetry::identity(cells, symbols) };
            let generators = if mirror { vec![turn, over] } else { vec![turn] };
            // These symmetries change the start. That does not matter, since only their group is used.
            let group = Structure::new(Rules { generators, ..rules.clone() }.into()).unwrap();
            let symmetries = group.symmetries();
            compare::<u32>(&rules, symmetries, &mut random);
            compare::<u64>(&rules, symmetries, &mut random);
            compare::<u128>(&rules, symmetries, &mut random);
            if cells == 120 {
                let [tables, _] = compare::<[u64; 32]>(&rules, symmetries, &mut random).unwrap();
                assert_eq!(tables, symbols <= 16, "images of 17 symbols are compared cell by cell");
            }
            // A quick run tries words of middle widths with fewer boards, and with the larger group of each.
            if (cells < 60 && mirror) || crate::tests::is_long() {
                compare::<[u64; 4]>(&rules, symmetries, &mut random);
                compare::<[u64; 8]>(&rules, symmetries, &mut random);
            }
            // Lists without the identity. A game has such a list: the symmetries that exchange its players.
            let lists = crate::tests::quick_or_long(1, 3) as usize;
            for least in 1..symmetries.len().min(1 + lists) {
                compare::<u32>(&rules, &symmetries[least..], &mut random);
                compare::<u64>(&rules, &symmetries[least..], &mut random);
                compare::<u128>(&rules, &symmetries[least..], &mut random);
            }
        }
    }
}

/// A mirror carries the cells of these boards over 4, 8, 5 and 9 distances. The first two boards fill their words,
/// and the columns in the middle of the other two stay.
#[test]
fn a_mirror_carries_cells_over_few_distances() {
    let mut random = Random::new("mirror");
    for (rows, columns, is_carried) in [(4, 4, true), (2, 8, true), (3, 5, true), (1, 9, false)] {
        let (cells, rules) = (rows * columns, board(rows * columns, 4));
        let to = |cell: usize| cell / columns * columns + columns - 1 - cell % columns;
        let mirror = Symmetry { cells: (0..cells).map(to).collect(), ..Symmetry::identity(cells, 4) };
        let symmetries = [Symmetry::identity(cells, 4), mirror];
        let layout = Layout::new::<u32>(&rules).unwrap();
        let images = Images::<u32>::new(&rules, &layout, &symmetries, &Vec::new);
        assert_eq!(images.carried.is_some(), is_carried, "{rows} {columns}");
        compare::<u32>(&rules, &symmetries, &mut random);
        compare::<u64>(&board(2 * cells, 4), &doubled(&symmetries), &mut random);
    }
}

/// The same symmetries, on a board with the cells of two boards one after the other.
fn doubled(symmetries: &[Symmetry]) -> Vec<Symmetry> {
    let twice = |cells: &[usize]| cells.iter().copied().chain(cells.iter().map(|cell| cell + cells.len())).collect();
    symmetries.iter().map(|given| Symmetry { cells: twice(&given.cells), ..given.clone() }).collect()
}

/// A wide word of a ring with 140 symmetries has rows of whole images only if moves flip known bits, and these rows
/// give the images after a flip.
#[test]
fn rows_of_wide_images_are_made_for_moves_that_flip() {
    let (cells, mut random) = (70, Random::new("rows"));
    let rules = board(cells, 2);
    let none = Symmetry::identity(cells, 2);
    let turn = Symmetry { cells: (0..cells).map(|cell| (cell + 1) % cells).collect(), ..none.clone() };
    let over = Symmetry { cells: (0..cells).rev().collect(), ..none };
    let group = Structure::new(Rules { generators: vec![turn, over], ..rules.clone() }.into()).unwrap();
    let layout = Layout::new::<u128>(&rules).unwrap();
    let images = |then: Vec<(usize, Source)>| {
        let given = Move {
            name: "move".to_owned(),
            player: None,
            when: Pattern::default(),
            compares: Vec::new(),
            conditions: Vec::new(),
            then,
            forced: false,
            again: false,
        };
        let rules = Rules { moves: vec![given], ..rules.clone() };
        Images::<u128>::new(&rules, &layout, group.symmetries(), &Vec::new)
    };
    assert!(!images(vec![(0, Source::Copy(1, None)), (1, Source::Copy(0, None))]).has_tables());
    let images = images(vec![(3, Source::Symbol(1))]);
    assert!(images.has_tables());
    let mut blocks = vec![[0; LANES]; images.blocks];
    for _ in 0..20 {
        let mut state: Vec<Symbol> = (0..cells).map(|_| random.below(2) as Symbol).collect();
        state[3] = 0;
        images.write_blocks(layout.pack(&state), &mut blocks);
        state[3] = 1;
        let flip = |block, lane| layout.field(images.symmetry(block, lane).cells[3], 1);
        let flips: Vec<Lanes<u128>> =
            (0..images.blocks).map(|block| std::array::from_fn(|lane| flip(block, lane))).collect();
        let least = group.symmetries().iter().map(|symmetry| symmetry.apply(&state)).min().unwrap();
        assert_eq!(images.smallest_of_flipped(&blocks, &flips), layout.pack::<u128>(&least));
    }
}

#[test]
fn so_it_is_if_symbols_have_many_names() {
    let mut random = Random::new("renamings");
    // The symmetries turn a ring, turn it over, and rename the first symbols in every way. In the last two boards,
    // a turn of the ring renames symbols, too.
    for (cells, symbols, renamed, turned) in
        [(2, 5, 4, 0), (5, 4, 4, 0), (9, 17, 5, 0), (70, 6, 4, 0), (6, 7, 4, 3), (4, 8, 4, 4)]
    {
        let rules = board(cells, symbols);
        let none = Symmetry::identity(cells, symbols);
        let names = |name: &dyn Fn(usize) -> usize| (0..symbols).map(|at| name(at) as Symbol).collect();
        let beyond = |at: usize| if at < renamed { at } else { renamed + (at + 1 - renamed) % turned.max(1) };
        let turn = Symmetry {
            cells: (0..cells).map(|cell| (cell + 1) % cells).collect(),
            symbols: names(&|at| if at < renamed + turned { beyond(at) } else { at }),
            ..none.clone()
        };
        let over = Symmetry { cells: (0..cells).rev().collect(), ..none.clone() };
        let circle =
            Symmetry { symbols: names(&|at| if at < renamed { (at + 1) % renamed } else { at }), ..none.clone() };
        let pair = Symmetry { symbols: names(&|at| if at < 2 { 1 - at } else { at }), ..none };
        let generators = vec![turn, over, circle, pair];
        let group = Structure::new(Rules { generators, ..rules.clone() }.into()).unwrap();
        let symmetries = group.symmetries();
        compare::<u32>(&rules, symmetries, &mut random);
        compare::<u64>(&rules, symmetries, &mut random);
        compare::<u128>(&rules, symmetries, &mut random);
        assert!(!compare::<[u64; 8]>(&rules, symmetries, &mut random).unwrap()[0], "{cells} {symbols}");
        // A coset of a group lacks the identity, such as the coset of the symmetries that exchange the players.
        compare::<u64>(&rules, &symmetries[1..], &mut random);
    }
}

#[test]
fn so_it_is_if_new_names_move_cells() {
    let mut random = Random::new("pieces");
    // A ring, and a cell for each of the first symbols, as for pieces that lie beside a board. The symmetries turn
    // the ring, turn it over, and rename these symbols in every way, which also moves their cells.
    for (ring, pieces, symbols) in [(5, 4, 6), (9, 3, 5), (12, 4, 9)] {
        let cells = ring + pieces;
        let rules = board(cells, symbols);
        let turned = |on_ring: &dyn Fn(usize) -> usize, name: &dyn Fn(usize) -> usize| Symmetry {
            cells: (0..cells).map(|at| if at < ring { on_ring(at) } else { ring + name(at - ring) }).collect(),
            symbols: (0..symbols).map(|at| if at < pieces { name(at) } else { at } as Symbol).collect(),
            ..Symmetry::identity(cells, symbols)
        };
        let generators = vec![
            turned(&|at| (at + 1) % ring, &|piece| piece),
            turned(&|at| ring - 1 - at, &|piece| piece),
            turned(&|at| at, &|piece| (piece + 1) % pieces),
            turned(&|at| at, &|piece| if piece < 2 { 1 - piece } else { piece }),
        ];
        let group = Structure::new(Rules { generators, ..rules.clone() }.into()).unwrap();
        let symmetries = group.symmetries();
        assert_eq!(symmetries.len(), 2 * ring * (1..=pieces).product::<usize>());
        compare::<u64>(&rules, symmetries, &mut random);
        assert!(!compare::<u128>(&rules, symmetries, &mut random).unwrap()[1], "{cells} {symbols}");
        assert!(!compare::<[u64; 4]>(&rules, symmetries, &mut random).unwrap()[1], "{cells} {symbols}");
        assert!(!compare::<u128>(&rules, &symmetries[1..], &mut random).unwrap()[1], "{cells} {symbols}");
    }
}
