//! The last resort against work that does not end: separate processes read a file and analyse its regions, and are
//! killed if they take too long or too much memory. Counts are checked first and decide in all but rare cases
//! (`limits`), so the generated code does not depend on the machine's speed.

use super::child_process::{self, ChildProcess, Parts};
use super::replacement::{Replacement, back_end};
use crate::clauses;
use crate::frontend::{self, ClangError, Reading};
use crate::limits::{FILE, MEMORY, READING, REGION, REGIONS, SHARE};
use crate::model::Region;
use crate::pipeline::Stage;
use crate::refusal::Code;
use crate::refusal::Refusal;
use crate::remarks;
use crate::source::Source;
use crate::tile_drawing::{self, View};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A back end's answer.
type Answer = Result<Replacement, Refusal>;

/// The form of output made from a region.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Product {
    /// The C text that replaces it.
    Text,
    /// The same, and what became of the region.
    Remarked,
    /// The state after a pass, as text.
    Stage(Stage),
    /// The [`tile_drawing::Scene`] of a drawing, as JSON. If there is a name, other regions give nothing.
    Drawing(View, Option<String>),
}

impl Product {
    /// Makes the product of a region, in the current process.
    fn make(&self, region: &Region, original: &str) -> Answer {
        let text = match self {
            Product::Text => return back_end(region, original),
            Product::Remarked => {
                let replacement = back_end(region, original)?;
                return Ok(Replacement { phases: remarks::phases(region)?, ..replacement });
            }
            Product::Stage(stage) => crate::pipeline::print(region, *stage, original),
            Product::Drawing(_, Some(name)) if *name != region.name => Ok(String::new()),
            Product::Drawing(view, _) => {
                tile_drawing::scene(region, view).map(|scene| String::from_utf8(words(&scene)).unwrap_or_default())
            }
        };
        text.map(|file_scope| Replacement { file_scope, call: String::new(), phases: Vec::new(), in_own_process: None })
    }
}

/// Runs the front end and the back end, each in a process of its own.
pub struct Guarded {
    /// The program to start as a child process.
    program: Option<PathBuf>,
    product: Product,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    back_end: Option<ChildProcess>,
    /// Processor time for the regions of the file read last; `None` if it was not read by a process.
    left: Option<Duration>,
}

/// Requests to a child process.
#[derive(Serialize, Deserialize)]
enum Request {
    /// Read a file: its name and the flags. Its bytes follow.
    Read(String, Vec<String>),
    /// Make a product of a region: its model and its text follow.
    Region(Product),
}

impl Guarded {
    /// Makes one kind of product, in processes of this program.
    pub fn new(product: Product) -> Guarded {
        Guarded { program: std::env::current_exe().ok(), product, state: RefCell::default() }
    }

    /// The same, in processes of another program that serves requests.
    pub fn by(program: &Path, product: Product) -> Guarded {
        Guarded { program: Some(program.to_owned()), product, state: RefCell::default() }
    }

    fn child(&self, time: Duration, memory: u64) -> Option<ChildProcess> {
        ChildProcess::start(self.program.as_deref()?, time, memory)
    }

    /// Reads a file; refuses regions that are not read in time.
    pub fn read(&self, source: &Source, flags: &[String]) -> Result<Reading, ClangError> {
        let mut state = self.state.borrow_mut();
        *state = State::default();
        // Without a process, only the counts limit the work.
        let Some(mut child) = self.child(FILE, READING) else { return frontend::read(source, flags) };
        let request = Request::Read(source.path.display().to_string(), flags.to_vec());
        let (answer, spent) = child.ask(vec![words(&request), source.bytes.clone()], FILE);
        let answer: Option<Result<Reading, ClangError>> =
            answer.and_then(|parts| serde_json::from_slice(parts.first()?).ok());
        let regions = answer.iter().flatten().map(|reading| reading.found.len() as u32).sum::<u32>();
        state.left = Some(SHARE * regions + FILE.saturating_sub(spent));
        answer.unwrap_or_else(|| {
            let what = if spent >= FILE { "takes more than 15 s" } else { "needs more than 1 GB, or failed" };
            Ok(Reading::ended(source, Code::TooLarge, &format!("reading the file {what}"), frontend::SMALLER))
        })
    }

    /// Makes the product of a region of the file read last, or says why that is not possible.
    pub fn generate(&self, region: &Region, original: &str) -> Answer {
        let mut state = self.state.borrow_mut();
        let limit = state.left.map_or(REGION, |left| left.min(REGION));
        if limit.is_zero() {
            return Err(too_long("the file's regions take more than 5 s each, and this is one of the last"));
        }
        if state.back_end.is_none() {
            match self.child(state.left.unwrap_or(REGION * REGIONS as u32), MEMORY) {
                Some(child) => state.back_end = Some(child),
                // Without a process, only the limits of operations apply.
                None => return self.product.make(region, original),
            }
        }
        let request = vec![
            words(&Request::Region(self.product.clone())),
            region.to_string().into_bytes(),
            original.as_bytes().to_vec(),
        ];
        let (answer, spent) = state.back_end.as_mut().map_or((None, limit), |child| child.ask(request, limit));
        state.left = state.left.map(|left| left.saturating_sub(spent));
        if let Some(answer) = answer.and_then(|parts| serde_json::from_slice(parts.first()?).ok()) {
            return answer;
        }
        state.back_end = None;
        let reason = if spent >= limit {
            "the analysis takes more than 10 s (or the file's regions more than 5 s each)"
        } else {
            "the analysis needs more than 2 GB, or failed"
        };
        Err(clauses::with_private(region, too_long(reason)))
    }
}

fn too_long(reason: &str) -> Refusal {
    Refusal::new(
        Code::AnalysisLimit,
        reason,
        "mark each nest with a pragma of its own; of a single nest, mark an inner loop instead",
    )
}

/// The main function of a program started with [`super::ARGUMENT`].
pub fn serve() {
    child_process::serve(|parts| vec![answer(&parts).unwrap_or_default()]);
}

/// The answer to a request, as text; `None` if the request is malformed.
fn answer(parts: &Parts) -> Option<Vec<u8>> {
    match (serde_json::from_slice(parts.first()?).ok()?, &parts[1..]) {
        (Request::Read(path, flags), [bytes]) => {
            Some(words(&frontend::read(&Source::new(Path::new(&path), bytes.clone()), &flags)))
        }
        (Request::Region(product), [model, original]) => {
            let answer = match String::from_utf8_lossy(model).parse::<Region>() {
                Ok(region) => product.make(&region, &String::from_utf8_lossy(original)),
                Err(error) => Err(Refusal::new(
                    Code::Defect,
                    format!("the model is not understood: {error}"),
                    "report this region as a defect",
                )),
            };
            Some(words(&answer))
        }
        _ => None,
    }
}

/// A value as JSON.
fn words(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}
