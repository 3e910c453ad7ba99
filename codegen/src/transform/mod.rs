//! From dependences to phases of tiles: schedule, bands, legality, the order inside a tile.

mod legality;
pub(crate) mod order;
pub(crate) mod phase;
mod schedule;

pub(crate) use order::compact;
pub(crate) use phase::body;
pub use phase::{BodyOrder, Phase, PhaseKind, Plan, Step};
pub use schedule::plan;
