//! The automorphisms of a coloured graph, by individualisation and refinement.
//!
//! The theory is in `docs/rules.md`, "Symmetries that the engine finds".
//!
//! The search follows B. D. `McKay` and A. Piperno, "Practical graph isomorphism, II" (2014), but makes no canonical
//! labels. Again and again, a vertex of a class is singled out, and the classes are refined, until each vertex is alone
//! in its class. These steps are the *reference*. Then, from the last step to the first, each other vertex of the
//! step's class is singled out instead. If that leads to classes that match the reference, carrying each vertex of the
//! reference to the vertex in the same place is a permutation. It is kept if it is an automorphism.
//!
//! Take a square, 0 - 1 - 2 - 3 - 0. Singling out 0 gives (0)(2)(1 3), and then singling out 1 gives (0)(2)(1)(3). In
//! the last step, 3 instead of 1 finds the reflection that exchanges 1 and 3. In the first step, 1 instead of 0 finds a
//! quarter turn, which carries 0 to 1, and repeated to 2 and 3. So 0 has an orbit of four vertices, and with 0 fixed, 1
//! has an orbit of two: the group has 4 · 2 = 8 elements.

use super::coloured::{ColouredGraph, Vertex};
use super::refine::{Colouring, Refiner};
use crate::sorting;

/// The most edges that a search may look at, which takes about half a second. Graphs of rules take a hundredth of that.
const MOST_WORK: u64 = 1 << 27;

/// The automorphisms of a graph.
#[derive(Debug)]
pub struct Automorphisms {
    /// Permutations that generate the group. Those that keep the most vertices in place come first.
    pub generators: Vec<Vec<Vertex>>,
    /// The order of the group; the largest `u128` if the order is larger.
    pub order: u128,
    /// `true` if the generators make the whole group; `false` if the search ended before it had tried everything.
    pub complete: bool,
}

/// A step of the reference: the vertex that is singled out, and the colouring before this step.
struct ReferenceStep {
    /// The colouring before the step.
    before: Colouring,
    class: u32,
    vertex: Vertex,
    trace: u64,
}

struct AutomorphismSearch<'a, A> {
    graph: &'a ColouredGraph,
    accept: A,
    steps: Vec<ReferenceStep>,
    /// The colouring after the last step of the reference. Each of the first `said` vertices is alone in its class
    /// there.
    last: Colouring,
    refiner: Refiner,
}

/// Finds the automorphisms for which `accept` returns `true`. They must form a group, and the images of the first
/// `said` vertices must determine an automorphism: only the identity keeps all of these in place.
pub fn automorphisms(graph: &ColouredGraph, said: usize, accept: impl Fn(&[Vertex]) -> bool) -> Automorphisms {
    let mut refiner = Refiner::new(graph.colours.len());
    let mut last = Colouring::new(graph, &mut refiner);
    let mut steps = Vec::new();
    while let Some(class) = last.smallest(said) {
        let before = last.clone();
        let vertex = *before.members(class).iter().min().expect("a class has members");
        let trace = last.single_out(vertex, graph, &mut refiner);
        steps.push(ReferenceStep { before, class, vertex, trace });
    }
    AutomorphismSearch { graph, accept, steps, last, refiner }.run()
}

impl<A: Fn(&[Vertex]) -> bool> AutomorphismSearch<'_, A> {
    fn run(mut self) -> Automorphisms {
        let mut generators: Vec<Vec<Vertex>> = Vec::new();
        let mut orbits = Orbits::new(self.graph.colours.len());
        let mut order = 1u128;
        for depth in (0..self.steps.len()).rev() {
            let ReferenceStep { before, class, vertex, .. } = &self.steps[depth];
            let vertex = *vertex;
            let mut others = before.members(*class).to_vec();
            others.sort_unstable();
            let mut failed: Vec<Vertex> = Vec::new();
            for other in others {
                let orbit = orbits.of(other);
                if orbit == orbits.of(vertex) || failed.iter().any(|&failed| orbits.of(failed) == orbit) {
                    continue;
                }
                match self.carry(depth, other) {
                    Some(found) => {
                        orbits.join(&found);
                        generators.push(found);
                    }
                    None => failed.push(other),
                }
            }
            order = order.saturating_mul(orbits.size(vertex) as u128);
        }
        Automorphisms { generators, order, complete: self.refiner.work <= MOST_WORK }
    }

    /// Finds an automorphism that keeps the vertices of all steps before the step `depth` in place, and carries the
    /// vertex of that step to `other`. `None` if there is none, or if the search has looked at too many edges.
    ///
    /// There may be as many steps as the rules have cells and moves. So the choices that are left to try are in a list,
    /// not on the thread's stack.
    fn carry(&mut self, depth: usize, other: Vertex) -> Option<Vec<Vertex>> {
        if self.refiner.work > MOST_WORK {
            return None;
        }
        let mut open = vec![VertexChoice { colouring: self.steps[depth].before.clone(), others: vec![other] }];
        while let Some(choice) = open.last_mut() {
            let Some(other) = choice.others.pop() else {
                open.pop();
                continue;
            };
            // Colourings are large. For the last vertex to try, the colouring is moved and not copied.
            let last = choice.others.is_empty();
            let mut colouring = if last { std::mem::take(&mut choice.colouring) } else { choice.colouring.clone() };
            let at = depth + open.len() - 1;
            if self.refiner.work > MOST_WORK {
                return None;
            }
            let trace = colouring.single_out(other, self.graph, &mut self.refiner);
            if trace != self.steps[at].trace {
                continue;
            }
            let next = self.steps.get(at + 1);
            let reference = next.map_or(&self.last, |step| &step.before);
            let image = reference.onto(&colouring);
            if let Some(image) = image.filter(|image| self.graph.is_automorphism(image) && (self.accept)(image)) {
                return Some(image);
            }
            let Some(ReferenceStep { class, vertex, .. }) = next else { continue };
            let mut others = colouring.members(*class).to_vec();
            // The last vertex of the list is tried first: the reference's own vertex, which keeps the most vertices in
            // place.
            sorting::sort_by_key(&mut others, |&other| std::cmp::Reverse((other != *vertex, other)));
            open.push(VertexChoice { colouring, others });
        }
        None
    }
}

/// A point of the search at which one of several vertices is singled out next.
struct VertexChoice {
    colouring: Colouring,
    /// The vertices that are still to be tried. The last one is tried next.
    others: Vec<Vertex>,
}

/// The orbits under the automorphisms that were found so far, as a union-find forest: each vertex points to a vertex of
/// its orbit.
struct Orbits {
    towards: Vec<Vertex>,
    /// The number of vertices of each orbit, at the vertex that represents it.
    sizes: Vec<usize>,
}

impl Orbits {
    fn new(vertices: usize) -> Self {
        Self { towards: (0..vertices as Vertex).collect(), sizes: vec![1; vertices] }
    }

    /// The vertex that represents the orbit of a vertex. Path halving keeps the paths short: each vertex on the path
    /// then points two steps further.
    fn of(&mut self, mut vertex: Vertex) -> Vertex {
        loop {
            let next = self.towards[vertex as usize];
            if next == vertex {
                return vertex;
            }
            let onward = self.towards[next as usize];
            self.towards[vertex as usize] = onward;
            vertex = onward;
        }
    }

    fn join(&mut self, image: &[Vertex]) {
        for (vertex, &to) in image.iter().enumerate() {
            let (one, other) = (self.of(vertex as Vertex), self.of(to));
            if one != other {
                let (kept, joined) = (one.min(other) as usize, one.max(other) as usize);
                self.towards[joined] = kept as Vertex;
                self.sizes[kept] += self.sizes[joined];
            }
        }
    }

    fn size(&mut self, vertex: Vertex) -> usize {
        let orbit = self.of(vertex);
        self.sizes[orbit as usize]
    }
}
