//! The verb that goes through all states: it counts them by depth, and lists the hardest of them.

use serde_json::{Map, Value, json};

use super::deadline::{Deadline, Told};
use super::loaded::Loaded;
use super::problem::{Answer, Problem};
use super::request::Request;
use crate::engine::State;
use crate::run::{DepthReport, Options, Stop};

/// The most states that may be listed as the hardest.
const MOST_HARDEST: u64 = 1000;

/// If there are more states than this, the hardest are not listed, because all states would have to be held in memory.
const MOST_LISTED: u64 = 4_000_000;

impl Loaded {
    /// Counts all states that play can reach, and lists the hardest if they are asked for. The answer has the data of
    /// `puzzlekit enumerate --json`, as far as a page has them.
    ///
    /// # Errors
    ///
    /// `UsageError` if an option makes no sense; `LimitError` if there are more states than the request allows.
    pub fn enumerate(&self, request: &Request, told: Told) -> Answer {
        let backward = request.flag("backward")?;
        let most = request.number("max_states", 1, u64::MAX)?;
        let options = Options {
            memory: request.number("memory", 0, i64::MAX as u64)?.unwrap_or(self.memory),
            max_depth: request.number("max_depth", 0, i64::MAX as u64)?,
            symmetry: request.get("symmetry").is_none() || request.flag("symmetry")?,
            threads: 1,
            store: match request.text("store")? {
                None => crate::run::Store::Auto,
                Some(name) => serde_json::from_value(json!(name))
                    .map_err(|_| Problem::usage(format!("the store is \"{name}\"; give auto, dense or sparse")))?,
            },
            ..Options::default()
        };
        let deadline = Deadline::new(request.seconds("seconds")?, told);
        let turned = if backward { Some(self.engine.backward()?) } else { None };
        let engine = turned.as_ref().unwrap_or(&self.engine);
        let report = engine.enumerate(&options, &|progress| {
            let stop = deadline.look(progress);
            if most.is_some_and(|most| progress.states > most) { std::ops::ControlFlow::Break(()) } else { stop }
        })?;
        let wanted = request.number("hardest", 0, MOST_HARDEST)?.unwrap_or(0) as usize;
        let lists = wanted > 0 && report.stop.is_none() && report.raw_states() <= MOST_LISTED;
        let hardest = if lists {
            engine.farthest(&options, wanted, &|progress| deadline.look(progress))?.map(|found| {
                let told = |(depth, state): &(u64, State)| {
                    json!({"state": self.write(state), "depth": depth, "cells": self.symbols_of(state)})
                };
                found.iter().map(told).collect::<Vec<Value>>()
            })
        } else {
            None
        };
        let depths: Vec<Value> = report.depths.iter().map(|depth| self.depth_data(depth)).collect();
        Ok(json!({
            "schema": "puzzlekit.enumerate/1",
            "puzzle": self.puzzle,
            "complete": report.stop.is_none(),
            "stopped": report.stop.map(Stop::name),
            "symmetry_order": report.symmetry_order,
            "backward": backward,
            "depths": depths,
            "states": report.states(),
            "raw_states": report.raw_states(),
            "unsolvable": report.unsolvable.map(|unsolvable| unsolvable.states),
            "raw_unsolvable": report.unsolvable.map(|unsolvable| unsolvable.raw_states),
            "max_depth": report.depths.len() as i64 - 1,
            "store": report.store.name(),
            "store_reason": report.reason,
            "generated": report.generated,
            "seconds": report.seconds,
            "hardest": hardest,
        }))
    }

    fn depth_data(&self, depth: &DepthReport) -> Value {
        let outcomes = self.engine.rules().outcomes.iter().zip(&depth.ended);
        let told = outcomes.filter(|(name, count)| **count > 0 || self.outcomes.contains(name));
        let ended: Map<String, Value> = told.map(|(name, count)| (name.clone(), json!(count))).collect();
        json!({
            "depth": depth.depth,
            "states": depth.states,
            "raw_states": depth.raw_states,
            "open": depth.open,
            "ended": ended,
        })
    }
}
