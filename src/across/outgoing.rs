//! What a process sends while a graph runs: what its tiles have for others, its progress, and that it has ended.

use std::sync::atomic::Ordering;

use super::exchange::Exchange;
use super::window::Telling;
use crate::wire::AcrossBody;

impl Exchange {
    /// Sends what a tile that has just run has for others, or keeps it until it may leave.
    pub(super) fn send_parcels(&self, n: usize, tile: &[i64]) {
        for (to, parcel) in self.plan.parcels(n, tile, self.me) {
            let bytes = self.functions.pack(&parcel.rows);
            let posted = self.machine.lock().post(to, tile, parcel.gated, bytes);
            if let Some(telling) = posted {
                self.send(telling);
            }
        }
    }

    fn send(&self, telling: Telling) {
        match telling {
            Telling::Parcel { to, graph, source, progress, bytes } => {
                self.through.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                self.messages.fetch_add(1, Ordering::Relaxed);
                self.send_elements(to, (graph, source), false, progress, &bytes);
            }
            Telling::Progress { to, graph, step } => self.tell(to, AcrossBody::Progress { graph: graph as u32, step }),
            Telling::Await { to, graph, every } => self.tell(to, AcrossBody::Await { graph: graph as u32, every }),
        }
    }

    /// Tells the others what the machine has for them, and, once, that this process has ended its tiles of the graph.
    pub(super) fn tell_progress(&self) {
        loop {
            let tellings = self.machine.lock().tellings();
            if tellings.is_empty() {
                break;
            }
            let count = tellings.len();
            for telling in tellings {
                self.send(telling);
            }
            self.machine.lock().sent(count);
        }
        let mut machine = self.machine.lock();
        if machine.takes_leave() {
            let graph = machine.graph() as u32;
            drop(machine);
            self.others().for_each(|to| self.tell(to, AcrossBody::Ended { graph }));
        }
    }
}
