//! Frees what unregistered processings have left: signatures and descriptions, which their tasks may still use.
//!
//! Tasks do not count the signatures that they use, so this takes a moment without tasks. First no other thread is
//! inside a call, so that none holds a signature that it looked up before. Then every scheduled task has ended. A task
//! that another task scheduled in between has ended, too, and later tasks find no signature that was forgotten before.

use crate::engine::context;
use crate::engine::context::call::Call;
use crate::processing::REGISTRY;

impl Call {
    /// Frees what unregistered processings have left, if that pays and this is such a moment.
    pub(crate) fn free_forgotten(&self) {
        // A trace tells names apart by their addresses.
        let may = !self.inside_task() && !self.engine().trace().is_on() && REGISTRY.has_much_to_free();
        if may && !context::others_active(self.context) && context::outstanding() == 0 {
            // SAFETY: see the beginning of this file; this thread has looked up no signature.
            unsafe { REGISTRY.free_forgotten() };
        }
    }
}
