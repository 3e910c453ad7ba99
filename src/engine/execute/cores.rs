//! Tasks that need several cores. `idle::arbiter` decides which workers stand still; this file signals and binds them.

use crate::engine::context::shared::Engine;
use crate::idle::arbiter::Workers;
use crate::idle::slot::STILL_WANTED;

impl Workers for Engine {
    fn nearest(&self, me: usize) -> impl Iterator<Item = usize> {
        self.machine.neighbours(me).iter().map(|&other| other as usize)
    }

    fn signal(&self, worker: usize) {
        self.workers[worker].slot.0.signal(STILL_WANTED);
        self.workers[worker].parker.0.wake();
    }

    fn dismiss(&self, worker: usize) {
        self.workers[worker].slot.0.dismiss(STILL_WANTED);
    }
}

impl Engine {
    /// Waits until `cores - 1` neighbours of worker `me` (or all, if there are fewer) stand still for its task. The
    /// task's thread may then run on any core.
    pub(crate) fn take_cores(&self, me: usize, cores: u32) {
        if self.arbiter.take(self, me, cores) {
            self.machine.unbind();
        }
    }

    /// Lets the neighbours of worker `me` continue.
    pub(crate) fn give_up_cores(&self, me: usize) {
        if self.arbiter.give_up(self, me) {
            self.machine.bind(me);
        }
    }
}
