//! Calls the function of a task, with the cores that the task needs, and catches whatever the function does.

use std::ffi::c_int;

use crate::data::DatumId;
use crate::engine::context::call::Call;
use crate::engine::context::forked_child;
use crate::error::{Error, dvm_retcode_t};
use crate::processing::Callee;

#[cold]
#[inline(never)]
fn returned(code: c_int) -> Error {
    Error::new(dvm_retcode_t::DVM_ERR_TASK, format!("returned {code}"))
}

impl Call {
    /// Calls the function of a task on these ids. The error is a message.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as for `Loop::next_in_order`")]
    pub(crate) fn call_back(&self, callee: &Callee, cores: u32, ids: &mut [DatumId]) -> Result<(), Error> {
        if cores > 1 {
            return self.call_with_cores(callee, cores, ids);
        }
        // SAFETY: by the contract of registration, the function takes this number of arguments.
        match unsafe { callee.call(DatumId::raw_list(ids)) } {
            Ok(code) => {
                self.check_worker(code);
                if code == 0 { Ok(()) } else { Err(returned(code)) }
            }
            Err(thrown) => {
                self.check_worker(1);
                Err(thrown)
            }
        }
    }

    /// Does what is needed if the callback has left its worker.
    #[inline]
    fn check_worker(&self, code: c_int) {
        if self.context.worker().is_none() {
            self.without_worker(code);
        }
    }

    /// The callback has left its worker: for a section that is still open, or for ever in a forked child.
    #[cold]
    #[inline(never)]
    fn without_worker(&self, code: c_int) {
        forked_child::end_without_worker(code);
        self.end_section();
    }

    #[cold]
    #[inline(never)]
    fn call_with_cores(&self, callee: &Callee, cores: u32, ids: &mut [DatumId]) -> Result<(), Error> {
        let engine = self.engine();
        let me = self.worker().unwrap_or(0);
        engine.take_cores(me, cores);
        let result = self.call_back(callee, 1, ids);
        engine.give_up_cores(me);
        result
    }
}
