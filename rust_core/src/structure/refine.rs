//! Colour refinement: splits classes of vertices by the numbers of neighbours in each class, until nothing changes any
//! more.
//!
//! The theory is in `docs/rules.md`, "Symmetries that the engine finds".

use super::coloured::{ColouredGraph, LABELS, Vertex};
use crate::sorting::sort_by_key;

/// A number for each label of an edge. For each vertex of a class, refinement adds up the numbers of its edges to
/// another class, and splits the class by these sums. The numbers have no pattern: they are the first bits of the
/// fractional parts of the square roots of 2, 3 and 5, made odd. If different sets of edges have the same sum by
/// accident, the vertices stay together, and the search only has more to try.
const WEIGHTS: [u64; LABELS] = [0x6A09_E667_F3BC_C909, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B];

/// An ordered partition: the vertices of a graph, divided into classes that have an order.
///
/// For example, the path 0 - 1 - 2 begins with one class, (0 1 2). The ends have one neighbour and the middle has two,
/// so refinement splits it into (0 2)(1). The result does not depend on the numbers of the vertices, because refinement
/// looks only at classes and numbers of edges.
#[derive(Debug, Clone, Default)]
pub struct Colouring {
    /// The vertices, class by class.
    order: Vec<Vertex>,
    /// The place of each vertex in `order`.
    place: Vec<u32>,
    /// For each vertex, the place in `order` at which its class begins. That place is the name of the class.
    class: Vec<u32>,
    /// For each class, the number of its vertices, at the place that is its name.
    size: Vec<u32>,
}

/// Buffers that are used again by each refinement.
#[derive(Debug)]
pub struct Refiner {
    sums: Vec<u64>,
    waits: Vec<bool>,
    queue: Vec<u32>,
    /// The number of edges that were looked at so far. It measures work independently of the machine.
    pub work: u64,
}

impl Refiner {
    /// Buffers for graphs with the given number of vertices.
    pub fn new(vertices: usize) -> Self {
        Self { sums: vec![0; vertices], waits: vec![false; vertices], queue: Vec::new(), work: 0 }
    }

    fn wait(&mut self, class: u32) {
        if !std::mem::replace(&mut self.waits[class as usize], true) {
            self.queue.push(class);
        }
    }
}

/// Mixes a number into a trace, which is a hash of what a refinement did.
fn mix(trace: u64, number: u64) -> u64 {
    (trace ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}

impl Colouring {
    /// The refined colouring of a graph, and its trace.
    pub fn new(graph: &ColouredGraph, refiner: &mut Refiner) -> Self {
        let count = graph.colours.len();
        let mut order: Vec<Vertex> = (0..count as Vertex).collect();
        sort_by_key(&mut order, |&vertex| graph.colours[vertex as usize]);
        let mut colouring = Self { order, place: vec![0; count], class: vec![0; count], size: vec![0; count] };
        let mut class = 0;
        for at in 0..count {
            let vertex = colouring.order[at] as usize;
            if graph.colours[vertex] != graph.colours[colouring.order[class] as usize] {
                class = at;
            }
            colouring.place[vertex] = at as u32;
            colouring.class[vertex] = class as u32;
            colouring.size[class] += 1;
            refiner.wait(class as u32);
        }
        colouring.refine(graph, refiner);
        colouring
    }

    /// The vertices of a class.
    pub fn members(&self, class: u32) -> &[Vertex] {
        &self.order[class as usize..][..self.size[class as usize] as usize]
    }

    /// The name of the smallest class with more than one vertex, among the classes of the first `said` vertices. If
    /// several are equally small, the first of them. `None` if each of the first `said` vertices is alone in its class.
    pub fn smallest(&self, said: usize) -> Option<u32> {
        let several = |&class: &u32| self.size[class as usize] > 1;
        self.class[..said].iter().copied().filter(several).min_by_key(|&class| (self.size[class as usize], class))
    }

    /// Puts a vertex into a class of its own, before the rest of its class, and refines. Returns a trace. If an
    /// automorphism that keeps all classes carries one vertex to another, singling out either gives the same trace.
    pub fn single_out(&mut self, vertex: Vertex, graph: &ColouredGraph, refiner: &mut Refiner) -> u64 {
        refiner.work += self.order.len() as u64;
        let class = self.class[vertex as usize];
        let first = self.order[class as usize];
        self.exchange(first, vertex);
        let rest = class + 1;
        self.size[rest as usize] = self.size[class as usize] - 1;
        self.size[class as usize] = 1;
        for at in rest..rest + self.size[rest as usize] {
            self.class[self.order[at as usize] as usize] = rest;
        }
        refiner.wait(class);
        self.refine(graph, refiner)
    }

    /// The permutation that carries each vertex to the vertex at the same place of `other`. Vertices of classes with
    /// several vertices stay where they are. `None` if the classes of the two colourings have different sizes, or if a
    /// class with several vertices does not have the same vertices in both.
    pub fn onto(&self, other: &Self) -> Option<Vec<Vertex>> {
        let mut image = vec![0; self.order.len()];
        for (at, &vertex) in self.order.iter().enumerate() {
            let class = self.class[vertex as usize];
            if other.class[other.order[at] as usize] != class {
                return None; // the classes differ, though their traces are the same
            }
            image[vertex as usize] = if self.size[class as usize] == 1 {
                other.order[at]
            } else if other.class[vertex as usize] == class {
                vertex
            } else {
                return None;
            };
        }
        Some(image)
    }

    fn exchange(&mut self, one: Vertex, other: Vertex) {
        let (a, b) = (self.place[one as usize], self.place[other as usize]);
        self.order.swap(a as usize, b as usize);
        self.place.swap(one as usize, other as usize);
    }

    /// Splits classes until all vertices of a class have, for each label and each class, the same number of edges with
    /// that label to that class.
    fn refine(&mut self, graph: &ColouredGraph, refiner: &mut Refiner) -> u64 {
        let (mut trace, mut next) = (0, 0);
        let (mut met, mut classes) = (Vec::new(), Vec::new());
        while next < refiner.queue.len() {
            let splitter = refiner.queue[next];
            next += 1;
            refiner.waits[splitter as usize] = false;
            for &vertex in self.members(splitter) {
                for &(other, label) in &graph.neighbours[vertex as usize] {
                    if refiner.sums[other as usize] == 0 {
                        met.push(other);
                        classes.push(self.class[other as usize]);
                    }
                    let sum = &mut refiner.sums[other as usize];
                    *sum = sum.wrapping_add(WEIGHTS[label as usize]);
                    refiner.work += 1;
                }
            }
            classes.sort_unstable();
            classes.dedup();
            // After sorting, the vertices of each class are next to each other, and within a class, the vertices with
            // the same sum.
            met.sort_unstable_by_key(|&vertex| (self.class[vertex as usize], refiner.sums[vertex as usize]));
            let mut rest = &met[..];
            for &class in &classes {
                let count = rest.partition_point(|&vertex| self.class[vertex as usize] <= class);
                let (own, others) = rest.split_at(count);
                rest = others;
                trace = mix(trace, u64::from(splitter) << 32 | u64::from(class));
                trace = self.split(class, own, refiner, trace);
            }
            met.drain(..).for_each(|vertex| refiner.sums[vertex as usize] = 0);
            classes.clear();
        }
        refiner.queue.clear();
        trace
    }

    /// Splits a class by sums. `met` has the members of the class with an edge to the class whose edges were summed up,
    /// sorted by their sums. All other members have the sum 0, and stay in front.
    fn split(&mut self, class: u32, met: &[Vertex], refiner: &mut Refiner, mut trace: u64) -> u64 {
        let all = self.size[class as usize];
        let untouched = all - met.len() as u32;
        if all == 1 || (untouched == 0 && refiner.sums[met[0] as usize] == refiner.sums[met[met.len() - 1] as usize]) {
            return mix(trace, refiner.sums[met[0] as usize]);
        }
        // The last places of the class go to `met`, in order of their sums.
        for (&vertex, at) in met.iter().zip(class + untouched..) {
            let there = self.order[at as usize];
            self.exchange(there, vertex);
        }
        let mut parts = Vec::new();
        if untouched > 0 {
            parts.push((class, untouched));
        }
        for (&vertex, at) in met.iter().zip(class + untouched..) {
            let sum = refiner.sums[vertex as usize];
            match parts.last_mut() {
                Some((begin, size))
                    if at > class + untouched && sum == refiner.sums[self.order[at as usize - 1] as usize] =>
                {
                    *size += 1;
                    self.class[vertex as usize] = *begin;
                }
                _ => {
                    parts.push((at, 1));
                    self.class[vertex as usize] = at;
                    trace = mix(trace, sum ^ u64::from(at));
                }
            }
        }
        // Hopcroft's rule: the largest part need not be used for splits, because the edges to the whole class and to
        // the other parts determine the edges to it. But if the class itself was still to be used, all parts must be.
        let largest = (0..parts.len()).max_by_key(|&part| (parts[part].1, std::cmp::Reverse(part)));
        let waits = refiner.waits[class as usize];
        for (part, &(begin, size)) in parts.iter().enumerate() {
            self.size[begin as usize] = size;
            if waits || Some(part) != largest {
                refiner.wait(begin);
            }
        }
        trace
    }
}
