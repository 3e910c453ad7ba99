//! From C loop nests to tile tasks on libdvm: frontend -> model -> analysis -> transform -> emit.
#![allow(clippy::format_collect)]

pub mod analysis;
pub mod diagnostics;
pub mod draw;
pub mod driver;
pub mod emit;
pub mod frontend;
pub mod model;
pub mod planted;
pub mod redist;
pub mod refusal;
pub mod source;
pub mod stage;
pub mod transform;
pub mod words;

pub use emit::Generated;
pub use refusal::Refusal;
pub use stage::{Stage, print};

/// Generates the C text that stands for `region`, whose own text is `original`.
pub fn generate(region: &model::Region, original: &str) -> Result<Generated, Refusal> {
    let program = analysis::Program::read(region)?;
    let dependences = analysis::Dependences::of(&program)?;
    let plan = transform::plan(&program, &dependences)?;
    emit::emit(region, &program, &dependences, &plan, original)
}
