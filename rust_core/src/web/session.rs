//! A session, which holds one puzzle and answers one request after another.

use serde_json::json;

use super::deadline::Told;
use super::loaded::Loaded;
use super::problem::{Answer, Problem};
use super::request::Request;

/// All verbs, for the message about an unknown one.
const VERBS: &str = "load, read, legal, apply, after, canonical, scramble, random, solve, values, foresee or enumerate";

/// A session. An instance of the WebAssembly module has one.
#[derive(Default)]
pub struct Session {
    loaded: Option<Loaded>,
}

impl Session {
    /// The answer to a request, as JSON: `{"answer": ...}`, or `{"error": ...}`.
    pub fn call(&mut self, request: &[u8], told: Told) -> String {
        let answer = Request::read(request).and_then(|mut request| self.answer(&mut request, told));
        match answer {
            Ok(answer) => json!({"answer": answer}),
            Err(problem) => json!({"error": problem.to_data()}),
        }
        .to_string()
    }

    fn answer(&mut self, request: &mut Request, told: Told) -> Answer {
        let verb = request.text("verb")?.unwrap_or_default().to_owned();
        if verb == "load" {
            // The previous puzzle may hold much memory, so it is dropped first.
            self.loaded = None;
            let loaded = self.loaded.insert(Loaded::new(request)?);
            return Ok(loaded.to_data());
        }
        if verb == "random" {
            return Loaded::random(request);
        }
        let Some(loaded) = &self.loaded else {
            return Err(Problem::usage(format!("the verb \"{verb}\" needs a puzzle; load one before")));
        };
        match &*verb {
            "read" => loaded.read_state(request),
            "legal" => loaded.legal(request),
            "apply" => loaded.apply(request),
            "after" => loaded.after(request),
            "canonical" => loaded.canonical(request),
            "scramble" => loaded.scramble(request),
            "solve" => loaded.solve(request, told),
            "values" => loaded.values(request, told),
            "foresee" => loaded.foresee(request, told),
            "enumerate" => loaded.enumerate(request, told),
            _ => Err(Problem::usage(format!("there is no verb \"{verb}\"; give {VERBS}"))),
        }
    }
}
