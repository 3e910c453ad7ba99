//! Locations and elements as tables of numbers.

pub mod index;
pub mod mixed_radix;
pub mod owners;
