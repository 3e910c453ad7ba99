//! From dependences to phases of tiles: schedule, bands, legality, the order inside a tile.

mod legality;
pub mod loops;
pub(crate) mod order;
pub(crate) mod phase;
mod schedule;
pub mod tile;

pub(crate) use legality::Legality;
pub(crate) use order::{confirmed, proven};
pub use phase::{BodyOrder, Phase, PhaseKind, Plan, Step};
pub(crate) use schedule::Search;
