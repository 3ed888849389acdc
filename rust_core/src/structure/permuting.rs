//! The arithmetic of permutations. A permutation is a list `p`: what is in place `i` goes to place `p[i]`. Places are
//! numbers of any width.

/// The permutation that leaves everything in its place.
pub fn identity<P: TryFrom<usize>>(places: usize) -> Vec<P> {
    (0..places).map(place).collect()
}

/// Returns `true` if a permutation leaves everything in its place.
pub fn is_identity<P: Copy + Into<usize>>(image: &[P]) -> bool {
    image.iter().enumerate().all(|(from, &to)| from == to.into())
}

/// The product of two permutations: `first`, and then `second`.
pub fn then<P: Copy + Into<usize>>(first: &[P], second: &[P]) -> Vec<P> {
    first.iter().map(|&to| second[to.into()]).collect()
}

/// The permutation that undoes another one.
pub fn inverse<P: Copy + Into<usize> + TryFrom<usize>>(image: &[P]) -> Vec<P> {
    let mut inverse = image.to_vec();
    image.iter().enumerate().for_each(|(from, &to)| inverse[to.into()] = place(from));
    inverse
}

/// Applies a permutation to a list: what `held` has at place `i` comes to place `image[i]` of the result.
pub fn carried<T: Copy, P: Copy + Into<usize>>(held: &[T], image: &[P]) -> Vec<T> {
    let mut after = held.to_vec();
    held.iter().zip(image).for_each(|(&thing, &to)| after[to.into()] = thing);
    after
}

/// The cycles of a permutation, without places that stay. Each cycle begins with its smallest place, and the cycles are
/// in the order of these smallest places.
pub fn cycles<P: Copy + Into<usize>>(image: &[P]) -> Vec<Vec<usize>> {
    let (mut known, mut cycles) = (vec![false; image.len()], Vec::new());
    for begin in 0..image.len() {
        let (mut at, mut cycle) = (begin, Vec::new());
        while !std::mem::replace(&mut known[at], true) {
            cycle.push(at);
            at = image[at].into();
        }
        if cycle.len() > 1 {
            cycles.push(cycle);
        }
    }
    cycles
}

/// The order of a permutation: the fewest repetitions after which everything is back in place, which is the least
/// common multiple of the lengths of its cycles; or `usize::MAX` if it is larger.
pub fn order<P: Copy + Into<usize>>(image: &[P]) -> usize {
    let multiple = |order: usize, length: usize| (order / common_divisor(order, length)).saturating_mul(length);
    cycles(image).iter().fold(1, |order, cycle| multiple(order, cycle.len()))
}

/// The permutation that makes another one `times` times.
pub fn power<P: Copy + Into<usize> + TryFrom<usize>>(image: &[P], times: usize) -> Vec<P> {
    let mut power = identity(image.len());
    for cycle in cycles(image) {
        for (at, &from) in cycle.iter().enumerate() {
            power[from] = place(cycle[(at + times) % cycle.len()]);
        }
    }
    power
}

/// The fewest repetitions of the permutation `image` that make the permutation `power`; `None` if no number of
/// repetitions does.
///
/// For example, three repetitions of a cycle of five places make the cycle that goes two steps back.
pub fn exponent<P: Copy + Into<usize> + TryFrom<usize>>(image: &[P], power: &[P]) -> Option<usize> {
    // `power` goes a number of steps along each cycle. This is the wanted number modulo the length of the cycle. Cycle
    // by cycle, the remainders so far are combined into one.
    let (mut times, mut modulus) = (0, 1);
    for cycle in cycles(image) {
        let steps = cycle.iter().position(|&to| to == power[cycle[0]].into())?;
        let more = cycle.len() / common_divisor(modulus, cycle.len());
        times = (0..more).map(|by| times + by * modulus).find(|times| times % cycle.len() == steps)?;
        modulus *= more;
    }
    (self::power(image, times).iter().zip(power).all(|(&one, &other)| one.into() == other.into())).then_some(times)
}

/// For each place, the smallest place of its orbit. Two places are in one orbit if the permutations lead from one to
/// the other.
pub fn orbit_names<P: Copy + Into<usize>>(places: usize, images: &[&[P]]) -> Vec<usize> {
    let mut names: Vec<usize> = (0..places).collect();
    loop {
        let before = names.clone();
        for image in images {
            for (from, &to) in image.iter().enumerate() {
                let least = names[from].min(names[to.into()]);
                (names[from], names[to.into()]) = (least, least);
            }
        }
        if before == names {
            return names;
        }
    }
}

/// The greatest common divisor of two numbers.
pub fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// Turns the number of a place into the type of the permutation.
fn place<P: TryFrom<usize>>(number: usize) -> P {
    P::try_from(number).ok().expect("the width has a number for each place")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn powers_orders_and_inverses_are_those_of_plain_products(
            image in Just((0..9u8).collect::<Vec<_>>()).prop_shuffle(),
            other in Just((0..9u8).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let (mut powers, mut last) = (vec![identity::<u8>(9)], image.clone());
            while !is_identity(&last) {
                powers.push(last.clone());
                last = then(&last, &image);
            }
            prop_assert_eq!(order(&image), powers.len());
            for (times, expected) in powers.iter().enumerate() {
                prop_assert_eq!(&power(&image, times), expected);
                prop_assert_eq!(&power(&image, times + powers.len()), expected);
                prop_assert_eq!(exponent(&image, expected), Some(times));
            }
            prop_assert_eq!(exponent(&image, &other), powers.iter().position(|power| *power == other));
            prop_assert!(is_identity(&then(&image, &inverse(&image))));
            prop_assert_eq!(carried(&carried(&[1, 2, 3, 4, 5, 6, 7, 8, 9], &image), &inverse(&image)),
                            [1, 2, 3, 4, 5, 6, 7, 8, 9]);
            let images = [&image[..], &other[..]];
            let names = orbit_names(9, &images);
            prop_assert!((0..9).all(|from| images.iter().all(|image| names[from] == names[image[from] as usize])));
            let alone = orbit_names(9, &images[..1]);
            let moved: usize = cycles(&image).iter().map(Vec::len).sum();
            prop_assert_eq!((0..9).filter(|&at| alone[at] == at).count(), cycles(&image).len() + 9 - moved);
        }
    }
}
