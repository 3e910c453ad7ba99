//! From dependences to phases of tiles: schedule, bands, legality, the order inside a tile.

mod legality;
pub(crate) mod order;
pub(crate) mod phase;
mod schedule;

pub use order::BodyOrder;
pub(crate) use order::{body, compact};
pub use phase::{Phase, PhaseKind, Plan, Step};
pub use schedule::plan;
