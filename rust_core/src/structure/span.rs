//! Linear algebra over the integers modulo a prime: the span of some vectors, and how to write a vector as a sum of
//! their multiples.

/// A vector over the integers modulo a prime.
pub type Vector = Vec<u8>;

/// The span of some independent vectors: all sums of multiples of them.
///
/// For example, modulo 3, the vectors 1 1 0 and 0 1 1 span nine vectors. One of them is 2 0 1: two times the first
/// vector plus one time the second is 2 3 1, and 3 is 0. So its *number*, the list of these factors, is 2 1. The vector
/// 1 0 0 is not in the span.
#[derive(Debug, Clone)]
pub struct VectorSpan {
    modulus: u8,
    /// The vectors in echelon form. The rows have the same span. Each row is a sum of multiples of the added vectors;
    /// its `number` lists the factors. A row has the entry 1 at its pivot, and all later rows have 0 there. If the
    /// modulus is 2, so have all earlier rows.
    rows: Vec<Row>,
}

#[derive(Debug, Clone)]
struct Row {
    pivot: usize,
    vector: Vector,
    number: Vector,
}

impl VectorSpan {
    /// The span of no vectors, modulo a prime.
    pub fn new(modulus: u8) -> Self {
        Self { modulus, rows: Vec::new() }
    }

    /// The number of independent vectors.
    pub fn rank(&self) -> usize {
        self.rows.len()
    }

    /// Adds a vector unless the span has it. Returns `true` if it was added.
    pub fn add(&mut self, vector: &[u8]) -> bool {
        let (mut rest, mut number) = self.reduce(vector);
        let Some(pivot) = rest.iter().position(|&entry| entry != 0) else { return false };
        // `rest` is the new vector minus a sum of earlier ones, so the factors of the earlier ones are negated.
        for factor in &mut number {
            *factor = negative(*factor, self.modulus);
        }
        number.push(1);
        let scale = inverse(rest[pivot], self.modulus);
        scale_by(&mut rest, scale, self.modulus);
        scale_by(&mut number, scale, self.modulus);
        // Bits are added quickly, and with reduced rows, scrambles of lamps are those that they have always been.
        if self.modulus == 2 {
            for row in self.rows.iter_mut().filter(|row| row.vector[pivot] == 1) {
                add_times(&mut row.vector, &rest, 1, 2);
                row.number.resize(number.len(), 0);
                add_times(&mut row.number, &number, 1, 2);
            }
        }
        self.rows.push(Row { pivot, vector: rest, number });
        true
    }

    /// A basis of the span.
    pub fn basis(&self) -> impl Iterator<Item = &[u8]> {
        self.rows.iter().map(|row| &row.vector[..])
    }

    /// The number of a vector: the factor of each added vector, in the order in which they were added. `None` if the
    /// span does not have the vector.
    pub fn number(&self, vector: &[u8]) -> Option<Vector> {
        let (rest, number) = self.reduce(vector);
        rest.iter().all(|&entry| entry == 0).then_some(number)
    }

    /// Subtracts a multiple of each row, so that the entry at the row's pivot becomes 0. Returns the rest of the
    /// vector, and the number of the sum that was subtracted.
    fn reduce(&self, vector: &[u8]) -> (Vector, Vector) {
        let (mut rest, mut number) = (vector.to_vec(), vec![0; self.rows.len()]);
        for row in &self.rows {
            let factor = rest[row.pivot];
            if factor != 0 {
                add_times(&mut rest, &row.vector, negative(factor, self.modulus), self.modulus);
                add_times(&mut number, &row.number, factor, self.modulus);
            }
        }
        (rest, number)
    }
}

/// Returns `true` if a number is prime.
pub fn is_prime(number: usize) -> bool {
    number > 1
        && (2..number).take_while(|divisor| divisor * divisor <= number).all(|divisor| !number.is_multiple_of(divisor))
}

/// The negative of a number, modulo `modulus`.
pub fn negative(number: u8, modulus: u8) -> u8 {
    if number == 0 { 0 } else { modulus - number }
}

/// The sum of two numbers below the modulus, modulo `modulus`.
pub fn sum(one: u8, other: u8, modulus: u8) -> u8 {
    ((u16::from(one) + u16::from(other)) % u16::from(modulus)) as u8
}

/// The product of two numbers, modulo `modulus`.
pub fn product(one: u8, other: u8, modulus: u8) -> u8 {
    (u16::from(one) * u16::from(other) % u16::from(modulus)) as u8
}

/// The number whose product with the given one is 1, modulo a prime. The given number must not be 0.
pub fn inverse(number: u8, modulus: u8) -> u8 {
    // By Fermat's little theorem, the number to the power of `modulus - 1` is 1, so its inverse is its power
    // `modulus - 2`.
    (0..modulus - 2).fold(1, |power, _| product(power, number, modulus))
}

/// Adds `factor` times the second vector to the first. The second vector may be shorter; its missing entries are 0. The
/// factor must be below the modulus.
pub fn add_times(target: &mut [u8], added: &[u8], factor: u8, modulus: u8) {
    if modulus == 2 {
        // Without a division, many entries are added at once.
        if factor == 1 {
            target.iter_mut().zip(added).for_each(|(target, &added)| *target ^= added);
        }
        return;
    }
    for (target, &added) in target.iter_mut().zip(added) {
        *target = ((u16::from(*target) + u16::from(added) * u16::from(factor)) % u16::from(modulus)) as u8;
    }
}

fn scale_by(vector: &mut [u8], factor: u8, modulus: u8) {
    for entry in vector {
        *entry = product(*entry, factor, modulus);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sums_are_those_of_all_factors(
            modulus in prop::sample::select(vec![2u8, 3, 5]),
            vectors in prop::collection::vec(prop::collection::vec(0..5u8, 3), 0..5),
        ) {
            let reduced = |vector: &Vec<u8>| vector.iter().map(|entry| entry % modulus).collect();
            let vectors: Vec<Vector> = vectors.iter().map(reduced).collect();
            let mut span = VectorSpan::new(modulus);
            let kept: Vec<&Vector> = vectors.iter().filter(|vector| span.add(vector)).collect();
            let mut sums = HashSet::from([vec![0; 3]]);
            for vector in &vectors {
                sums = sums.iter().flat_map(|known| (0..modulus).map(|factor| {
                    let mut other = known.clone();
                    add_times(&mut other, vector, factor, modulus);
                    other
                })).collect();
            }
            prop_assert_eq!(usize::from(modulus).pow(span.rank() as u32), sums.len());
            let all = (0..usize::from(modulus).pow(3)).map(|code| {
                (0..3).map(|at| (code / usize::from(modulus).pow(at) % usize::from(modulus)) as u8).collect::<Vector>()
            });
            for vector in all {
                let number = span.number(&vector);
                prop_assert_eq!(number.is_some(), sums.contains(&vector));
                if let Some(number) = number {
                    let mut made = vec![0; 3];
                    number.iter().zip(&kept).for_each(|(&factor, kept)| add_times(&mut made, kept, factor, modulus));
                    prop_assert_eq!(made, vector);
                }
            }
        }
    }

    #[test]
    fn inverses_and_primes() {
        for modulus in [2, 3, 5, 7, 61, 251] {
            assert!((1..modulus).all(|number| product(number, inverse(number, modulus), modulus) == 1));
        }
        let primes: Vec<usize> = (0..30).filter(|&number| is_prime(number)).collect();
        assert_eq!(primes, [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]);
    }
}
