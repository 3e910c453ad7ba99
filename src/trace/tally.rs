//! Sums of what a worker did.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ring::{Event, Kind};

/// Sums, times in units of the trace's clock.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Tally {
    /// By the number of the processing's name.
    pub tasks: BTreeMap<u32, Sum>,
    /// By the number of the graph's name.
    pub tiles: BTreeMap<u32, Sum>,
    pub asleep: Sum,
    pub steals: u64,
    /// Bytes are in `total`.
    pub published: Sum,
    pub copied: Sum,
}

/// How many, and how much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sum {
    pub count: u64,
    pub total: u64,
    pub most: u64,
}

impl Sum {
    fn add(&mut self, amount: u64) {
        self.merge(Sum { count: 1, total: amount, most: amount });
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: Sum) {
        self.count += other.count;
        self.total += other.total;
        self.most = self.most.max(other.most);
    }
}

impl Tally {
    /// The same with times in nanoseconds.
    pub fn in_nanoseconds(mut self, rate: f64) -> Tally {
        let times = self.tasks.values_mut().chain(self.tiles.values_mut()).chain([&mut self.asleep]);
        times.for_each(|sum| {
            sum.total = (sum.total as f64 * rate) as u64;
            sum.most = (sum.most as f64 * rate) as u64;
        });
        self
    }

    /// Adds an event.
    pub fn add(&mut self, event: &Event) {
        let bytes = event.coordinates[1].cast_unsigned();
        match event.kind {
            Kind::Task => self.tasks.entry(event.subject).or_default().add(event.duration),
            Kind::Tile => self.tiles.entry(event.subject).or_default().add(event.duration),
            Kind::Sleep => self.asleep.add(event.duration),
            Kind::Steal => self.steals += 1,
            Kind::Publish => self.published.add(bytes),
            Kind::Copy => self.copied.add(bytes),
            Kind::Argument | Kind::Message(_) => {}
        }
    }

    /// Time in tasks and tiles.
    pub fn busy(&self) -> u64 {
        self.tasks.values().chain(self.tiles.values()).map(|sum| sum.total).sum()
    }
}
