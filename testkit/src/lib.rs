//! What the tests of all crates share.
//!
//! | module | what it does |
//! |---|---|
//! | `random` | random numbers that a seed determines |
//! | `seeds` | which cases a random test runs: `DVM_TEST_SEED`, `DVM_TEST_FIRST`, `DVM_TEST_CASES` |
//! | `batches` | cases that are judged several at a time, on all cores |
//! | `shrink` | the smallest case that still fails |
//! | `completions` | completions of shells, from a command line |
//! | `expected` | texts that files hold, which `DVM_BLESS=1` writes anew |
//! | `files` | a test for each file of a folder |
//! | `man` | the parts that man pages have in common |
//! | `part` | tests in processes of their own |
//! | `scratch` | folders that go with their value, unless `DVM_TEST_FILES` keeps them |

mod batches;
mod completions;
mod expected;
mod files;
mod man;
mod part;
mod random;
mod scratch;
mod seeds;
mod shrink;

pub use batches::in_batches;
pub use completions::{command_of_help, expect_completions};
pub use expected::expect;
pub use files::compare_names;
pub use man::{exit_status, roff};
pub use part::{part, part_by, passes, playing};
pub use random::{Random, mix};
pub use scratch::{Scratch, scratch};
pub use seeds::{Seeds, costly_seeds, seeds, seeds_from, selected, setting};
pub use shrink::smallest;
