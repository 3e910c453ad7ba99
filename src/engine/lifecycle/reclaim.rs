//! Freeing what forgotten processings have left: their signatures and descriptions, which tasks of theirs may still use.
//!
//! No task counts what it uses, so there has to be a moment without tasks: first no other thread is inside a call, so that
//! none has a signature that it has looked up before; then every task that was scheduled has ended. A task that was scheduled
//! in between by one that ran has ended, too, and later ones find no signature that was forgotten before.

use crate::engine::context;
use crate::engine::context::call::Call;
use crate::processing::REGISTRY;

impl Call {
    /// Frees what forgotten processings have left, when that is worth it and this is such a moment.
    pub(crate) fn free_forgotten(&self) {
        // A trace tells names apart by their addresses.
        let may = !self.inside_task() && !self.engine().trace().is_on() && REGISTRY.has_much_to_free();
        if may && !context::others_active(self.context) && context::outstanding() == 0 {
            // SAFETY: as the beginning of this file says; this thread has looked nothing up.
            unsafe { REGISTRY.free_forgotten() };
        }
    }
}
