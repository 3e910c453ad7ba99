//! Locations and elements as tables of numbers.

pub mod index;
pub mod owners;
pub mod radix;
