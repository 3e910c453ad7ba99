//! From dependences to phases of tiles: schedule, bands, legality, the order inside a tile.

mod legality;
pub(crate) mod phase;
pub mod phase_loops;
mod schedule;
pub mod tile;
pub(crate) mod tile_order;

pub(crate) use legality::Legality;
pub use phase::{BodyOrder, Phase, PhaseKind, Plan, Step};
pub(crate) use schedule::Search;
pub(crate) use tile_order::{confirmed, proven};
