//! Regions over the processes of a job, as their room sees the job. `remote` carries their messages.

use super::super::observe::remote_view::RegionView;
use crate::error::Error;
use crate::id::ProcessId;
use crate::wire::AcrossBody;

/// Something that has come for a call of a region.
pub(crate) enum AcrossEvent {
    /// What a process says.
    Said(ProcessId, AcrossBody<Vec<u8>>),
    /// A process is lost, or this one is out of the job.
    Lost(Error),
}

/// What a thread has found to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Worked {
    Nothing,
    Some,
    /// All is done.
    Over,
}

/// Carries the messages of calls of regions. The calling thread is inside the engine.
pub(crate) trait RemoteAcross: Send + Sync {
    /// The number of the next call of a region; the one before is over here.
    fn next_call(&self) -> u32;

    /// Sends a message of the call to a process.
    fn tell(&self, call: u32, to: ProcessId, body: AcrossBody<&[u8]>);

    /// Whether something may have come since it was last taken.
    fn has_come(&self) -> bool;

    /// What has come for the call since.
    fn take(&self, call: u32) -> Vec<AcrossEvent>;

    /// Whether messages go by an MPI, whose library allocates as the program does.
    fn goes_by_mpi(&self) -> bool;

    /// Tells explanations what the calling thread waits for; `None`: nothing.
    fn awaits(&self, what: Option<RegionView>);

    /// Workers take part in a call from now on, or no longer: those that sleep are woken by what comes for it.
    fn has_workers(&self, whether: bool);

    /// Has the calling thread work until that is over. `work` does what can be done now; what comes, or
    /// [`RemoteAcross::wake`], makes it look again.
    fn work(&self, work: &mut dyn FnMut() -> Worked);

    /// Wakes threads that wait.
    fn wake(&self);

    /// Waits until something comes for the call.
    fn wait_and_take(&self, call: u32) -> Vec<AcrossEvent>;

    /// As in `dvm_serve`, but also until something comes for the call, whoever else is lost; nothing then: process 0
    /// finalizes.
    fn serve_and_take(&self, call: u32) -> Vec<AcrossEvent>;
}
