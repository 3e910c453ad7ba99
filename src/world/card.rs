//! What a process says of itself at the start. All processes gather all cards, and each computes the same job of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, dvm_retcode_t};
use crate::machine::share::CpuClaim;

/// The version of cards and messages. Processes of different versions do not work together.
pub(crate) const PROTOCOL: u32 = 1;

/// What a process says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Card {
    /// [`PROTOCOL`] of its libdvm.
    pub(crate) protocol: u32,
    /// What its libdvm was built from: equal only for equal builds.
    pub(crate) build: String,
    /// Its host: the boot id of the kernel with the namespace of process numbers.
    pub(crate) host: String,
    /// Its process number there.
    pub(crate) pid: u32,
    /// What it may use of its host.
    pub(crate) claim: CpuClaim,
    /// Its host's clock when it says this, in nanoseconds.
    pub(crate) clock: u64,
    /// Whether it records a timeline, a summary, and a report.
    pub(crate) timeline: bool,
    pub(crate) summary: bool,
    pub(crate) profile: bool,
}

impl Card {
    /// The card as bytes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a card has only texts and numbers")
    }

    /// A card from the bytes of process `process`.
    ///
    /// # Errors
    /// `DVM_ERR_UNSUPPORTED` if they are no card of this version.
    pub(crate) fn decode(process: usize, bytes: &[u8]) -> Result<Card, Error> {
        /// What every version begins with.
        #[derive(Deserialize)]
        struct Version {
            protocol: u32,
        }
        let refused = |reason: String| Error::new(dvm_retcode_t::DVM_ERR_UNSUPPORTED, reason);
        let unknown = |error: serde_json::Error| refused(format!("process {process} did not say who it is ({error})"));
        let version: Version = serde_json::from_slice(bytes).map_err(unknown)?;
        if version.protocol != PROTOCOL {
            return Err(refused(format!(
                "process {process} has a libdvm of protocol {}, and this one has {PROTOCOL}: start all processes with one libdvm",
                version.protocol
            )));
        }
        serde_json::from_slice(bytes).map_err(unknown)
    }
}

/// The host of each process, numbered in the order of the lowest process on each.
///
/// # Errors
/// `DVM_ERR_UNSUPPORTED` if two processes have different builds of libdvm, or one may use no PU. Every process gets the
/// same error.
pub(crate) fn hosts(cards: &[Card]) -> Result<Vec<usize>, Error> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut hosts = Vec::with_capacity(cards.len());
    for (process, card) in cards.iter().enumerate() {
        if card.build != cards[0].build {
            return Err(Error::new(
                dvm_retcode_t::DVM_ERR_UNSUPPORTED,
                format!(
                    "process 0 has libdvm {} and process {process} has libdvm {}: start all processes with one libdvm",
                    cards[0].build, card.build
                ),
            ));
        }
        if card.claim.cpus.is_empty() {
            return Err(Error::new(
                dvm_retcode_t::DVM_ERR_UNSUPPORTED,
                format!("process {process} may use no PU of its host: check its cpuset"),
            ));
        }
        let next = numbers.len();
        hosts.push(*numbers.entry(&card.host).or_insert(next));
    }
    Ok(hosts)
}
