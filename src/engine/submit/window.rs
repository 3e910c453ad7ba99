//! Holding a submitter back: the option `DVM_WINDOW`.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::engine::context;
use crate::engine::context::call::Call;

/// A thread counts the tasks under way once per so many that it schedules.
const STEP: u64 = 64;

/// How long a held thread sleeps between two looks.
const NAP: Duration = Duration::from_micros(50);

/// So long nothing ends before a held thread goes on: what runs may wait for it.
const PATIENCE: Duration = Duration::from_millis(10);

impl Call {
    /// Waits while there are more tasks than the window allows, and they make progress. Tasks are never held back.
    #[inline]
    pub(crate) fn hold_back(&self) {
        let window = self.engine().config.window();
        if window > 0 && !self.context.inside() && self.context.every(STEP.min(window)) {
            hold(window);
        }
    }
}

#[cold]
fn hold(window: u64) {
    let mut since = Instant::now();
    let mut ended = context::ended();
    while context::outstanding() >= window && context::under_way() > 0 {
        sleep(NAP);
        let now = context::ended();
        if now != ended {
            (ended, since) = (now, Instant::now());
        } else if since.elapsed() >= PATIENCE {
            return;
        }
    }
}
