//! What the report of a run needs besides events: noted while the run goes on.
//!
//! - `tile_graphs`: which tile waits for which; `tile_bytes`: how many bytes a tile touches; `plain_entries`: which regions had none
//! - `redistributions`: what redistributions moved

mod plain_entries;
mod redistributions;
mod tile_bytes;
mod tile_graphs;

use std::path::Path;

use super::output::Output;
use crate::error::{Error, dvm_retcode_t};

pub(super) use plain_entries::PlainEntries;
pub(super) use redistributions::{MovedBytes, NotedRedistributions, Redistributions};
pub(super) use tile_bytes::{TileBytes, TileBytesByName};
pub(super) use tile_graphs::TileGraphs;

const VARIABLE: &str = "DVM_PROFILE";
const WHAT: &str = "report";

/// What the report needs besides events.
#[derive(Debug)]
pub(super) struct Noted {
    pub(super) output: Output,
    pub(super) format: Format,
    pub(super) graphs: TileGraphs,
    pub(super) tile_bytes: TileBytes,
    pub(super) plain_entries: PlainEntries,
    pub(super) redistributions: Redistributions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Html,
    Json,
}

impl Noted {
    /// Opens the file of this process of a job; process 0 has the path as it is.
    pub(super) fn open(path: &Path, process: u32) -> Result<Noted, Error> {
        let format = match path.extension().and_then(|end| end.to_str()) {
            Some("html") => Format::Html,
            Some("json") => Format::Json,
            _ => {
                let message = format!(
                    "the environment variable DVM_PROFILE is \"{}\": it must end in .html (a page for a \
                     browser) or .json (its data): set it to a name such as run.html",
                    path.display()
                );
                return Err(Error::new(dvm_retcode_t::DVM_ERR_ARGUMENT, message));
            }
        };
        let output = if process == 0 {
            Output::open(VARIABLE, WHAT, path)?
        } else {
            let end = if format == Format::Html { "html" } else { "json" };
            Output::unopened(VARIABLE, WHAT, path.with_extension(format!("{process}.{end}")))
        };
        Ok(Noted {
            output,
            format,
            graphs: TileGraphs::default(),
            tile_bytes: TileBytes::default(),
            plain_entries: PlainEntries::default(),
            redistributions: Redistributions::default(),
        })
    }
}
