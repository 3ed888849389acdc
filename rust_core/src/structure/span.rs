//! Linear algebra over the integers modulo a prime: the span of given vectors, and the factors of a vector in it.

/// A vector over the integers modulo a prime.
pub type Vector = Vec<u8>;

/// The sums of some independent vectors, with every factor.
///
/// For example, modulo 3, take the vectors 1 1 0 and 0 1 1. They have nine sums. The vector 2 0 1 is one of them: two
/// times the first plus one time the second. So its *number* is 2 1, the list of these factors. The vector 1 0 0 is no
/// sum of them.
#[derive(Debug, Clone)]
pub struct VectorSpan {
    modulus: u8,
    /// Each row is a sum of the vectors, with the factors in `number`. It is 1 at its pivot, and later rows are 0
    /// there.
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

    /// Adds a vector, unless it is in the span already. Returns `true` if it was added.
    pub fn add(&mut self, vector: &[u8]) -> bool {
        let (mut rest, mut number) = self.reduce(vector);
        let Some(pivot) = rest.iter().position(|&entry| entry != 0) else { return false };
        // The rest is the vector minus the sum that was subtracted.
        for factor in &mut number {
            *factor = negative(*factor, self.modulus);
        }
        number.push(1);
        let scale = inverse(rest[pivot], self.modulus);
        scale_by(&mut rest, scale, self.modulus);
        scale_by(&mut number, scale, self.modulus);
        self.rows.push(Row { pivot, vector: rest, number });
        true
    }

    /// The factors whose sum of the vectors is the given vector, in the order in which the vectors were added; `None`
    /// if it is not in the span.
    pub fn number(&self, vector: &[u8]) -> Option<Vector> {
        let (rest, number) = self.reduce(vector);
        rest.iter().all(|&entry| entry == 0).then_some(number)
    }

    /// Subtracts rows as long as that clears a pivot. Returns the rest, and the number of the sum that was subtracted.
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

/// The additive inverse of a number.
pub fn negative(number: u8, modulus: u8) -> u8 {
    if number == 0 { 0 } else { modulus - number }
}

/// The sum of two numbers below the modulus.
pub fn sum(one: u8, other: u8, modulus: u8) -> u8 {
    ((u16::from(one) + u16::from(other)) % u16::from(modulus)) as u8
}

/// The product of two numbers.
pub fn product(one: u8, other: u8, modulus: u8) -> u8 {
    (u16::from(one) * u16::from(other) % u16::from(modulus)) as u8
}

/// The multiplicative inverse of a number that is not 0. The modulus is prime.
pub fn inverse(number: u8, modulus: u8) -> u8 {
    // By Fermat's little theorem, the number to the power of the modulus minus 1 is 1.
    (0..modulus - 2).fold(1, |power, _| product(power, number, modulus))
}

/// Adds a multiple of the second vector, which may be shorter, to the first.
pub fn add_times(target: &mut [u8], added: &[u8], factor: u8, modulus: u8) {
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
