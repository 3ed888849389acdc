//! The questions of a shard about the successors of some of its states. The head of `shard_graph.rs` explains them.

use std::ops::Range;

use super::edges::Lists;
use crate::run::Final;

/// The questions of a shard about the successors of some of its states.
#[derive(Debug, Default)]
pub struct Inquiry {
    /// The states in parts, which follow one another.
    pub parts: Vec<InquiryPart>,
    /// For each shard, the numbers of the questions that were sent to it, in the order in which they were sent.
    pub sent: Vec<Vec<QuestionNumbers>>,
    /// The number of all questions.
    pub questions: usize,
}

/// A part of the states of an inquiry: what the shard knows of them itself, and what it has asked other shards.
#[derive(Debug, Default)]
pub struct InquiryPart {
    /// The states in which play is over, by their places in this part, and their values.
    pub over: Vec<(u32, Final)>,
    /// The numbers of those successors of each state that the shard owns itself; no lists if they were taken at once.
    pub(super) own: Lists<u32>,
    /// The number of this part's first question.
    first: u32,
    /// For all other successors, the numbers of the questions about them, counted from `first`.
    pub(super) asked: Lists<u32>,
}

/// Numbers of questions in rising order. With two shards, all questions go to the other one, and are numbered without a
/// gap: then no list is needed.
#[derive(Debug, Default)]
pub struct QuestionNumbers {
    /// The first numbers, which follow one another.
    following: Range<u32>,
    /// All other numbers.
    others: Vec<u32>,
}

/// The questions to a shard that are answered: all before a place in its lists.
#[derive(Debug, Default)]
pub struct AnsweredCount {
    /// The place of a list in [`Inquiry::sent`]; all lists before it are answered.
    list: usize,
    /// The number of questions of that list that are answered.
    within: usize,
}

impl InquiryPart {
    /// Sets the number of this part's first question.
    pub(super) fn begin(&mut self, first: u32) {
        self.first = first;
    }

    /// Numbers of questions of this part, counted over all parts.
    pub(super) fn counted(&self, mut numbers: QuestionNumbers) -> QuestionNumbers {
        numbers.following.start += self.first;
        numbers.following.end += self.first;
        numbers.others.iter_mut().for_each(|number| *number += self.first);
        numbers
    }

    /// Adds the values of the next states in which play is over.
    pub(super) fn note(&mut self, over: &[Option<Final>]) {
        let first = self.len() as u32;
        self.over.extend(over.iter().enumerate().filter_map(|(at, over)| Some((first + at as u32, (*over)?))));
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.asked.ends.len()
    }

    /// For each state, the numbers of its successors that the shard owns itself, if they were not taken at once.
    pub fn own(&self) -> impl Iterator<Item = &[u32]> {
        self.own.iter()
    }

    /// For each state, the numbers of the questions about its successors that other shards own.
    pub fn asked(&self) -> impl Iterator<Item = impl Iterator<Item = u32>> {
        self.asked.iter().map(|asked| asked.iter().map(|question| self.first + question))
    }
}

impl QuestionNumbers {
    /// Adds a number, which is larger than all before.
    #[inline(always)]
    pub(super) fn push(&mut self, number: u32) {
        if self.following.is_empty() {
            self.following = number..number + 1;
        } else if self.following.end == number {
            self.following.end += 1;
        } else {
            self.others.push(number);
        }
    }

    /// The numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.following.clone().chain(self.others.iter().copied())
    }

    fn len(&self) -> usize {
        self.following.len() + self.others.len()
    }

    /// Puts the answers to the questions from the place `begin` on where the questions' numbers say.
    fn put<T: Copy>(&self, begin: usize, answers: &[T], to: &mut [T]) {
        let (following, others) = answers.split_at(answers.len().min(self.following.len().saturating_sub(begin)));
        if !following.is_empty() {
            let first = self.following.start as usize + begin;
            to[first..first + following.len()].copy_from_slice(following);
        }
        let skipped = (begin + following.len()).saturating_sub(self.following.len());
        for (&question, &answer) in self.others[skipped..].iter().zip(others) {
            to[question as usize] = answer;
        }
    }
}

impl AnsweredCount {
    /// Takes the next answers to the questions that were sent to a shard, and puts each at the place in `to` that has
    /// the number of its question. Returns `false` if there are more answers than questions.
    pub fn take<T: Copy>(&mut self, questions: &[QuestionNumbers], mut answers: &[T], to: &mut [T]) -> bool {
        while !answers.is_empty() {
            let Some(list) = questions.get(self.list) else { return false };
            let (now, after) = answers.split_at(answers.len().min(list.len() - self.within));
            list.put(self.within, now, to);
            (self.within, answers) = (self.within + now.len(), after);
            if self.within == list.len() {
                *self = Self { list: self.list + 1, within: 0 };
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn answers_come_to_their_questions(
            owners in prop::collection::vec(prop::collection::vec(0usize..3, 0..30), 0..5),
            shards in 1usize..4,
            at_once in 1usize..9,
        ) {
            // Each part has its questions, and each question goes to one of the shards.
            let mut asked = Inquiry { sent: (0..shards).map(|_| Vec::new()).collect(), ..Inquiry::default() };
            let mut expected = vec![Vec::new(); shards];
            for owners in &owners {
                let mut part = InquiryPart::default();
                part.begin(asked.questions as u32);
                let mut numbers: Vec<QuestionNumbers> = (0..shards).map(|_| QuestionNumbers::default()).collect();
                for (number, owner) in owners.iter().enumerate() {
                    numbers[owner % shards].push(number as u32);
                    expected[owner % shards].push((asked.questions + number) as u32);
                }
                for (sent, numbers) in asked.sent.iter_mut().zip(numbers) {
                    sent.push(part.counted(numbers));
                }
                asked.questions += owners.len();
                asked.parts.push(part);
            }
            let mut answers = vec![u32::MAX; asked.questions];
            for (sent, expected) in asked.sent.iter().zip(&expected) {
                prop_assert_eq!(&sent.iter().flat_map(QuestionNumbers::iter).collect::<Vec<_>>(), expected);
                let mut answered = AnsweredCount::default();
                prop_assert!(expected.chunks(at_once).all(|some| answered.take(sent, some, &mut answers)));
                prop_assert!(!answered.take(sent, &[0], &mut answers.clone()));
            }
            prop_assert!(answers.iter().zip(0u32..).all(|(&answer, question)| answer == question));
        }
    }
}
