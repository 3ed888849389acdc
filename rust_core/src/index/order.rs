//! Chooses the order in which cells are read, so that moves change few neighbouring places.

use crate::sorting;

/// An order of `cells` cells with a low cost, as the list of cells from the first place on. It depends only on the cost
/// function.
///
/// The search exchanges two cells, or moves one cell to another place, as long as that lowers the cost.
pub fn cheap_order(cells: usize, cost: &dyn Fn(&[usize]) -> u64) -> Vec<usize> {
    let forwards: Vec<usize> = (0..cells).collect();
    // The search begins with several orders: for each step from 1 on, the cells sorted by their remainder modulo the
    // step. With step 1, this is the cells' own order. If the step is the number of columns, this reads the cells
    // column by column.
    let strides = (1..cells.max(2)).map(|step| {
        let mut order = forwards.clone();
        sorting::sort_by_key(&mut order, |&cell| (cell % step, cell));
        order
    });
    let mut candidates: Vec<(u64, Vec<usize>)> = strides.map(|order| (cost(&order), order)).collect();
    sorting::sort(&mut candidates);
    candidates.truncate(4);
    candidates.into_iter().map(|(now, order)| improved(order, now, cost)).min().map_or(forwards, |(_, order)| order)
}

fn improved(mut order: Vec<usize>, mut now: u64, cost: &dyn Fn(&[usize]) -> u64) -> (u64, Vec<usize>) {
    loop {
        let mut best = (now, order.clone());
        for a in 0..order.len() {
            for b in 0..order.len() {
                let mut exchanged = order.clone();
                exchanged.swap(a, b);
                let mut moved = order.clone();
                let cell = moved.remove(a);
                moved.insert(b, cell);
                for other in [exchanged, moved] {
                    let cost = cost(&other);
                    if cost < best.0 {
                        best = (cost, other);
                    }
                }
            }
        }
        if best.0 == now {
            return (now, order);
        }
        (now, order) = best;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffled_path_is_straightened() {
        let path = [3, 0, 5, 1, 4, 2, 6];
        let cost = |order: &[usize]| {
            let place = |cell: usize| order.iter().position(|&at| at == cell).unwrap();
            path.windows(2).map(|pair| (place(pair[0]).abs_diff(place(pair[1])) as u64).pow(2)).sum()
        };
        assert_eq!(cost(&cheap_order(7, &cost)), 6);
    }
}
