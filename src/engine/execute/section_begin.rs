//! The beginning of a blocking section: a task that is about to wait for something outside libdvm leaves its worker to
//! another thread. `idle::slot` has the protocol. A section also gives up the task's cores, and takes them back at its
//! end.

use super::section_end::{SECTION, Section};
use super::worker;
use crate::engine::context::call::Call;
use crate::error::{Error, dvm_retcode_t};
use crate::memory;

impl Call {
    /// `dvm_blocking_begin`.
    pub(crate) fn blocking_begin(&self) -> Result<(), Error> {
        let Some(post) = self.may_have_sections("dvm_blocking_begin")?.then(|| self.context.post()).flatten() else {
            return match SECTION.get() {
                Some(_) => Err(Error::state("this task is in a blocking section already: end that one first")),
                None => Ok(()), // a lone tile on a thread of the program, which keeps no worker
            };
        };
        memory::check()?;
        let (engine, me) = (self.engine(), post.me);
        // The section of a tile has no task.
        if let Some((task, signature)) = self.context.with(|own| own.frame.running()) {
            engine.blocked_tasks.add(task, signature, me);
        }
        post.counts.0.note_idle();
        let section = Section { worker: me, polled: post.polling.0.mark(), cores: engine.arbiter.held_by(me) };
        engine.give_up_cores(me);
        self.context.with(|own| own.leave_behind(post, || engine.holders.add(me)));
        let left = post.slot.0.leave(|number| {
            let thread = worker::start(self.engine, me, number)?;
            engine.stand_ins.lock().list.push(thread);
            Ok(())
        });
        if let Err(error) = left {
            self.note_return(me);
            self.context.with(|own| own.receive(post));
            engine.take_cores(me, section.cores);
            return Err(Error::new(
                dvm_retcode_t::DVM_ERR_MEMORY,
                format!(
                    "no thread with a stack of {} KiB could be started to stand in for worker {me} ({error}): the task keeps its \
                     worker; DVM_STACK, or ulimit -s, may ask for less",
                    engine.stack >> 10
                ),
            ));
        }
        SECTION.set(Some(section));
        self.context.dismiss(Some(self.engine));
        self.context.depth.set(self.context.depth.get() + 1);
        Ok(())
    }
}
