//! What has come for calls of regions that run on all processes.

use std::collections::{BTreeSet, VecDeque};

use crate::engine::AcrossEvent;
use crate::engine::remote_view::RegionView;
use crate::error::{Error, dvm_retcode_t};
use crate::id::ProcessId;
use crate::wire::AcrossMessage;

/// Messages of calls that have come, and the processes that are lost.
#[derive(Default)]
pub(super) struct AcrossInbox {
    /// How many calls have begun here.
    pub(super) calls: u32,
    pub(super) came: VecDeque<(ProcessId, AcrossMessage<Vec<u8>>)>,
    /// What a thread in a call waits for.
    pub(super) waits: Option<RegionView>,
    pub(super) lost: BTreeSet<ProcessId>,
}

impl AcrossInbox {
    /// Whether something has come for the call itself: others may be ahead.
    pub(super) fn has(&self, call: u32) -> bool {
        self.came.iter().any(|(_, message)| message.call == call)
    }

    /// What has come for the call; what came for earlier ones is dropped.
    pub(super) fn said(&mut self, call: u32) -> Vec<AcrossEvent> {
        let mut events = Vec::new();
        let mut later = VecDeque::new();
        for (from, message) in self.came.drain(..) {
            if message.call == call {
                events.push(AcrossEvent::Said(from, message.body));
            } else if message.call > call {
                later.push_back((from, message));
            }
        }
        self.came = later;
        events
    }

    /// The same, and which processes are lost.
    pub(super) fn take(&mut self, call: u32) -> Vec<AcrossEvent> {
        let mut events = self.said(call);
        let lost = |process: &ProcessId| {
            let text = format!("process {process} is lost, which takes part in the region");
            AcrossEvent::Lost(Error::new(dvm_retcode_t::DVM_ERR_PEER_LOST, text))
        };
        events.extend(self.lost.iter().map(lost));
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::AcrossBody;

    #[test]
    fn what_comes_for_a_later_call_is_not_for_this_one() {
        let mut inbox = AcrossInbox::default();
        let message = |call| (ProcessId::from_index(1), AcrossMessage { call, body: AcrossBody::RunsMain });
        inbox.came.push_back(message(2));
        assert!(!inbox.has(1) && inbox.said(1).is_empty() && inbox.has(2));
        inbox.came.push_back(message(1));
        assert!(inbox.has(1) && inbox.said(1).len() == 1 && !inbox.has(1) && inbox.has(2));
    }
}
