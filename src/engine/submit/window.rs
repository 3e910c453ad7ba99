//! Throttles submitters: the option `DVM_WINDOW`.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::engine::context;
use crate::engine::context::call::Call;

/// A thread counts the tasks under way once per this number of tasks that it schedules.
const TASKS_PER_COUNT: u64 = 64;

/// The time that a throttled thread sleeps between two counts.
const COUNT_INTERVAL: Duration = Duration::from_micros(50);

/// The time without any end of a task after which a throttled thread continues: the running tasks may wait for it.
const STALL_TIMEOUT: Duration = Duration::from_millis(10);

impl Call {
    /// Waits while there are more tasks than the window allows, and tasks end. Tasks are never throttled.
    #[inline]
    pub(crate) fn hold_back(&self) {
        let window = self.engine().config.window();
        if window > 0 && !self.context.inside() && self.context.every(TASKS_PER_COUNT.min(window)) {
            hold(window);
        }
    }
}

#[cold]
fn hold(window: u64) {
    let mut since = Instant::now();
    let mut ended = context::ended();
    while context::outstanding() >= window && context::under_way() > 0 {
        sleep(COUNT_INTERVAL);
        let now = context::ended();
        if now != ended {
            (ended, since) = (now, Instant::now());
        } else if since.elapsed() >= STALL_TIMEOUT {
            return;
        }
    }
}
