//! One symmetry of each subgroup of prime order. If any symmetry leaves a state as it is, one of these does.

use super::permuting;
use super::span::is_prime;
use crate::ordered::OrderedSet;
use crate::rules::Symmetry;
use crate::sorting;

/// The symmetries of which one leaves a state as it is, if any symmetry but the first does, which changes nothing.
///
/// If a symmetry leaves a state as it is, so do its powers, which repeat it. So it may be left out if a probe is one of
/// its powers. In a group, that leaves one symmetry of each subgroup of prime order. For example, of the four rotations
/// of the square, the probe is the half turn.
pub fn probes(symmetries: &[Symmetry]) -> Vec<&Symmetry> {
    let symbols = |of: &Symmetry| of.symbols.to_vec();
    let does = |of: &Symmetry, times| (permuting::power(&of.cells, times), permuting::power(&symbols(of), times));
    let mut others: Vec<(&Symmetry, usize, Vec<usize>)> = symmetries[1..]
        .iter()
        .map(|symmetry| {
            let (cells, symbols) = (permuting::order(&symmetry.cells), permuting::order(&symbols(symmetry)));
            let order = cells / permuting::common_divisor(cells, symbols) * symbols;
            // A cycle is as long as there are cells or symbols, at most.
            let most = symmetry.cells.len().max(symmetry.symbols.len());
            let primes = (2..=most).filter(|&prime| order.is_multiple_of(prime) && is_prime(prime)).collect();
            (symmetry, order, primes)
        })
        .collect();
    sorting::sort_by_key(&mut others, |(_, order, primes)| primes[..] != [*order]);
    // The powers of all probes of prime order.
    let (mut probes, mut known) = (Vec::new(), OrderedSet::new());
    for (symmetry, order, primes) in others {
        if !primes.iter().any(|prime| known.contains(&does(symmetry, order / prime))) {
            probes.push(symmetry);
            let powers = if primes == [order] { 1..order } else { 0..0 };
            known.extend(powers.map(|times| does(symmetry, times)));
        }
    }
    probes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::group_of;

    #[test]
    fn probes_are_one_symmetry_of_each_group_of_prime_order() {
        // The square: its quarter turns, of which the half turn is the only one of prime order.
        assert_eq!(probes(&group_of(4, &[&[1, 2, 3, 0]]))[0].cells, [2, 3, 0, 1]);
        assert_eq!(probes(&group_of(4, &[&[1, 2, 3, 0]])).len(), 1);
        // The faces of the cube: quarter turns about two axes, and the map to the opposite faces. There are 19
        // symmetries of order 2, and 4 groups of order 3.
        let cube = group_of(6, &[&[0, 1, 3, 4, 5, 2], &[2, 4, 1, 3, 0, 5], &[1, 0, 4, 5, 2, 3]]);
        assert_eq!((cube.len(), probes(&cube).len()), (48, 23));
        // The turns of a hexagon: one of order 2, and one of order 3.
        assert_eq!(probes(&group_of(6, &[&[1, 2, 3, 4, 5, 0]])).len(), 2);
    }
}
