//! The engine in a web page, without Python: one call takes a request as JSON and returns an answer as JSON.
//!
//! `docs/page-engine.md` lists the verbs. An instance of the WebAssembly module holds one puzzle, which the verb `load`
//! gives it. Errors have the names and sentences of the package in Python; `tests/test_web_engine.py` compares both.
//!
//! ```text
//! exports → session → enumeration, answers → states → loaded → deadline, request → problem
//! ```

mod answers;
mod deadline;
mod enumeration;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod exports;
mod loaded;
mod problem;
mod request;
mod session;
mod states;

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use session::Session;
