"""House rules for the Rust source: no two types share a name, signatures have few tuples, and every export is used."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.crate import Crate, crate_in, exports, tuple_parameters, unnamed_results, unused_exports
from tests.seeded_faults import FAULTS, misfits

ROOT = Path(__file__).parent.parent
CRATE = ROOT / "rust_core"
SOURCE = CRATE / "src"


@pytest.fixture(scope="module")
def crate():
    return crate_in(SOURCE)


def sources():
    return [path for path in sorted(CRATE.rglob("*.rs")) if "target" not in path.relative_to(CRATE).parts]


def test_no_two_types_have_one_name(crate):
    shared = crate.shared_names()
    assert shared == {}, "give each type a name of its own"


def test_no_tuple_is_a_parameter_across_files(crate):
    found = {("/".join(module), name) for module, file in crate.files.items() for name in tuple_parameters(file.text)}
    assert found == set(), "give the value a name (a struct), or let it be two parameters"


# Functions that return two values of one type. None may be added.
KNOWN_PAIRS = {
    # A mask, and the value of the bits under it: the usual order.
    ("compile/guards", "as_cube"),
    ("compile/guards", "masked"),
    # The numbers of successors and of new states, for the choice of tests beside it.
    ("sparse/history", "last_generated"),
    # Python takes the pair apart in the one function that calls this.
    ("py/shards", "shard_places"),
}


def test_no_tuple_with_a_hidden_meaning_is_a_result_across_files(crate):
    found = {("/".join(module), name) for module, file in crate.files.items() for name in unnamed_results(file.text)}
    assert found - KNOWN_PAIRS == set(), "give the values names (a struct), or return a range"
    assert KNOWN_PAIRS - found == set(), "mended; take it off the list"


def test_what_the_crate_exports_is_used_outside():
    users = [path for path in sources() if path.is_relative_to(SOURCE / "py") or path.is_relative_to(SOURCE / "table")]
    users += [path for path in sources() if not path.is_relative_to(SOURCE)]
    users += [SOURCE / "fuzzing.rs"]
    lib = (SOURCE / "lib.rs").read_text(encoding="utf-8")
    assert unused_exports(lib, [path.read_text(encoding="utf-8") for path in users]) == set()


SHARED = {
    "lib.rs": "mod cats; mod dogs; pub use cats::{Paw, Tail};\n#[cfg(test)]\nmod tests;",
    "cats.rs": "pub struct Paw;\npub(crate) enum Tail { Long }\n#[cfg(test)]\nmod tests {\nstruct Dog;\n}",
    "dogs.rs": "type Dog = u8;\ntrait Tail { type Paw; }\n// struct Paw;\nfn bark() {\n    struct Paw;\n}",
    "tests.rs": "struct Paw;",
}


def test_shared_names_are_found(tmp_path):
    for name, text in SHARED.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert Crate(tmp_path).shared_names() == {"Tail": ["cats", "dogs"]}


def test_tuples_are_found():
    text = """
pub fn pair((a, b): (usize, usize)) {}
pub(super) fn behind<F: Fn(u8) -> bool>(&self, count: u8, pair: &'a mut (usize, Vec<(u8, u8)>), told: F) {}
pub fn perhaps(jobs: Option<(&Job, &mut Job)>) -> (u8, u8) {}
pub fn calls(told: &dyn Fn((u8, u8)) -> (u8, u8), many: &[(u8, u8)], one: (u8,), none: ()) {}
fn inside((a, b): (usize, usize)) {}
pub trait Cat { fn wag(&self, tail: (u8, u8)); }
trait Dog { fn bark(&self, tail: (u8, u8)); }
"""
    assert list(tuple_parameters(text)) == ["pair", "behind", "perhaps", "wag"]


def test_results_without_names_are_found():
    text = """
pub fn pair() -> (usize, usize) {}
pub fn mixed(pair: (u8, u8)) -> (u8, usize) {}
pub(super) fn three<T>(told: T) -> Result<Option<(u8, Vec<u8>, &'a T)>> where T: Fn((u8, u8)) -> (u8, u8) {}
pub fn borrowed(&self) -> PyResult<&(Vec<u8>, Vec<u8>)> {}
pub fn list() -> Vec<(u8, u8)> {}
pub fn none() where u8: Into<u8> {}
pub fn one() -> (u8,) {}
fn own() -> (u8, u8) {}
pub trait Cat { fn wag(&self) -> (u8, u8); }
"""
    assert list(unnamed_results(text)) == ["pair", "three", "borrowed", "wag"]


def test_exports_that_nobody_uses_are_found():
    lib = "pub use cats::{Paw, Tail,\n};\npub use dogs::big::Bark;\nuse dogs::Ear; // pub use dogs::{Nose};"
    assert exports(lib) == {"Paw", "Tail", "Bark"}
    assert unused_exports(lib, ["fn wag(tail: &Tail) {} // Paw", 'const BARK: &str = "Bark";']) == {"Paw", "Bark"}


def test_seeded_faults_fit_the_source():
    assert len(FAULTS) >= 30
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert misfits(FAULTS) == []
    assert misfits([replace(FAULTS[0], piece="no such piece"), replace(FAULTS[1], file="no/such/file.rs")]) == [
        "guard-mask: its piece is 0 times in compile/guards.rs; let the fault follow the code",
        "guard-set: its piece is 0 times in no/such/file.rs; let the fault follow the code",
    ]
