//! From dependences to phases of tiles: schedule, bands, legality, the order inside a tile.

pub mod across;
mod block_forms;
mod convex_scan;
pub mod host_loops;
pub(crate) mod jam;
mod legality;
pub(crate) mod phase;
pub mod phase_loops;
pub mod place;
pub(crate) mod register_blocks;
mod schedule;
pub mod tile;
pub mod tile_box;
pub mod tile_flow;
pub(crate) mod tile_order;
mod tile_shape;

pub(crate) use legality::Legality;
pub use phase::{Phase, PhaseKind, Plan, Step};
pub(crate) use schedule::{NO_PARALLELISM, Search};
pub(crate) use tile_order::proven;
