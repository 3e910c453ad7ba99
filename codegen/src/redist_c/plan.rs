//! `redist plan`: computes transfers and figures of cases.

use super::case_files::{Failure, cases, write};
use clap::{Args, ValueEnum};
use dvm_redist::plan::descriptor::Transfer;
use dvm_redist::{Case, Options, Plan, Strategy};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// The arguments of `redist plan`.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// The cases (JSON, schema redist-vectors/1)
    file: PathBuf,
    /// The file for the plans; standard output unless given
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Which copy serves an element that the source holds several times
    #[arg(long, value_enum, default_value_t = Rule::Exact)]
    strategy: Rule,
    /// Spread the sending over the copies so that the largest load is least
    #[arg(long)]
    balance: bool,
    /// Only the case of this name
    #[arg(long, value_name = "ID")]
    case: Option<String>,
}

/// The strategies, with their names on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Rule {
    /// The copies that give the fewest descriptors
    Exact,
    /// Cutting planes, case A: the smallest copy
    CutA,
    /// Cutting planes, case B: the largest copy
    CutB,
    /// Sliding windows of equal height
    Sliding,
    /// Windows cut evenly in each residue class
    Windows,
    /// The recursive cuts of three variables, with the missing points
    Recursive,
}

impl From<Rule> for Strategy {
    fn from(rule: Rule) -> Self {
        match rule {
            Rule::Exact => Self::Exact,
            Rule::CutA => Self::CutA,
            Rule::CutB => Self::CutB,
            Rule::Sliding => Self::Sliding,
            Rule::Windows => Self::Windows,
            Rule::Recursive => Self::Recursive,
        }
    }
}

/// Plans the cases, and writes the file only if all have a plan.
pub fn run(arguments: &PlanArgs) -> Result<(), Failure> {
    let options = Options { strategy: arguments.strategy.into(), balance: arguments.balance };
    let mut text = String::from("[");
    for (k, case) in cases(&arguments.file, arguments.case.as_deref())?.iter().enumerate() {
        let failed =
            |e: dvm_redist::Error| Failure::Case(arguments.file.clone(), e.within(&format!("case '{}'", case.id)));
        let plan = Plan::new(case, options).map_err(failed)?;
        // Report a strategy that could not be followed.
        for note in &plan.figures.notes {
            crate::driver::output_file::tell(&format!("dvm-codegen redist: case '{}': {note}\n", case.id));
        }
        text.push_str(if k > 0 { ",\n" } else { "\n" });
        append(&mut text, case, &plan).map_err(failed)?;
    }
    text.push_str("\n]\n");
    write(arguments.out.as_deref(), &text)
}

/// One plan, a transfer per line.
fn append(text: &mut String, case: &Case, plan: &Plan) -> dvm_redist::Result<()> {
    let _ = write!(text, "{{\"id\": {}, \"figures\": {},\n \"transfers\": [", json!(case.id), figures(plan)?);
    for (k, t) in plan.transfers().enumerate() {
        let _ = write!(text, "{}\n  {}", if k > 0 { "," } else { "" }, transfer(&t));
    }
    text.push_str("]}");
    Ok(())
}

/// A transfer as JSON, in the oracle's format.
pub fn transfer(t: &Transfer) -> Value {
    let mut value = json!({"src": t.source, "dst": t.target});
    if !t.levels.is_empty() {
        value["count"] = t.levels.iter().map(|l| l.0).collect();
        value["src_stride"] = t.levels.iter().map(|l| json!(l.1)).collect();
        value["dst_stride"] = t.levels.iter().map(|l| json!(l.2)).collect();
    }
    value
}

/// The figures of a plan, with lower bounds for comparison.
///
/// # Errors
/// [`dvm_redist::Error::is_no_memory`].
pub fn figures(plan: &Plan) -> dvm_redist::Result<Value> {
    let f = &plan.figures;
    let mut value = json!({
        "source_locations": f.source_locations,
        "source_elements": f.source_elements,
        "target_locations": f.target_locations,
        "target_elements": f.target_elements,
        "common_elements": f.common_elements,
        "min_transfers": f.min_transfers,
        "missing_elements": f.missing_elements,
        "missing_locations": f.missing_locations,
        "missing_sample": plan.missing_sample(8)?,
        "source_pes": f.source_memories,
        "descriptors": f.descriptors,
        "least_descriptors": f.messages,
        "messages": f.messages,
        "largest_message": f.largest_message,
        "max_load": f.max_load,
        "bytes": f.bytes,
    });
    if let Some(naive) = f.naive_transfers {
        value["naive_transfers"] = json!(naive);
        value["redundant_transfers"] = json!(naive - f.min_transfers);
    }
    if let Some(least) = f.least_max_load {
        value["least_max_load"] = json!(least);
        value["least_max_load_is_exact"] = json!(f.least_is_exact);
    }
    if !f.notes.is_empty() {
        value["notes"] = json!(f.notes);
    }
    Ok(value)
}
