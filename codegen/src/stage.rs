//! The stages of the way through, each as text.

use crate::{
    Refusal,
    analysis::{Dependences, Program},
    emit::{self, Generated},
    model::Region,
    transform::{self, BodyOrder, PhaseKind, Plan, Step},
};
use serde::{Deserialize, Serialize};
use std::{fmt::Write, str::FromStr};

/// A stage whose result can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// What the front end found.
    Model,
    /// Flow, anti and output dependences.
    Deps,
    /// The schedule tree.
    Schedule,
    /// Phases, bands and the order inside tiles.
    Tiles,
    /// The generated C.
    C,
}

impl Stage {
    /// Its name, as it is read.
    pub fn word(self) -> &'static str {
        match self {
            Stage::Model => "model",
            Stage::Deps => "deps",
            Stage::Schedule => "schedule",
            Stage::Tiles => "tiles",
            Stage::C => "c",
        }
    }
}

impl FromStr for Stage {
    type Err = String;

    fn from_str(text: &str) -> Result<Stage, String> {
        Ok(match text {
            "model" => Stage::Model,
            "deps" => Stage::Deps,
            "schedule" => Stage::Schedule,
            "tiles" => Stage::Tiles,
            "c" => Stage::C,
            other => return Err(format!("`{other}` is no stage: model, deps, schedule, tiles or c")),
        })
    }
}

/// Generates the C text that stands for `region`, whose own text is `original`.
pub fn generate(region: &Region, original: &str) -> Result<Generated, Refusal> {
    let program = Program::read(region)?;
    let dependences = Dependences::of(&program)?;
    let plan = transform::plan(&program, &dependences)?;
    emit::emit(region, &program, &dependences, &plan, original)
}

/// The result of one stage for a region whose text is `original`.
pub fn print(region: &Region, stage: Stage, original: &str) -> Result<String, Refusal> {
    if stage == Stage::Model {
        return Ok(region.to_string());
    }
    let program = Program::read(region)?;
    let dependences = Dependences::of(&program)?;
    if stage == Stage::Deps {
        return deps(&dependences);
    }
    let plan = transform::plan(&program, &dependences)?;
    match stage {
        Stage::Schedule => Ok(format!("{}\n", plan.schedule.trim_end())),
        Stage::Tiles => tiles(&plan),
        _ => {
            let generated = emit::emit(region, &program, &dependences, &plan, original)?;
            Ok(format!("{}{}", generated.file_scope, generated.call))
        }
    }
}

fn deps(dependences: &Dependences) -> Result<String, Refusal> {
    let mut text = String::new();
    if !dependences.exact {
        text.push_str("# all pairs: the exact analysis would take too long\n");
    }
    for (kind, map) in [("flow", &dependences.flow), ("anti", &dependences.anti), ("output", &dependences.output)] {
        let mut lines: Vec<String> = map.maps()?.iter().map(|map| format!("{kind} {map}\n")).collect();
        lines.sort();
        text.extend(lines);
    }
    Ok(text)
}

fn tiles(plan: &Plan) -> Result<String, Refusal> {
    let mut text = String::new();
    for phase in &plan.phases {
        let place: Vec<String> = phase
            .steps
            .iter()
            .map(|step| match step {
                Step::Sequence(place) => place.to_string(),
                Step::Host(k) => format!("h{k}"),
            })
            .collect();
        let _ = write!(text, "phase [{}]", place.join(", "));
        match &phase.kind {
            PhaseKind::Sequential => text.push_str(" in sequence\n"),
            PhaseKind::Graph { band, carried, body, .. } => {
                let waits: Vec<&str> =
                    carried.iter().map(|carried| if *carried { "carried" } else { "free" }).collect();
                let order = match body {
                    BodyOrder::Original => "original order".to_owned(),
                    BodyOrder::Permuted(permutation) => format!("order {permutation:?}"),
                };
                let _ = writeln!(text, " graph ({}), {order}", waits.join(", "));
                let mut lines: Vec<String> = band.maps()?.iter().map(|map| format!("  band {map}\n")).collect();
                lines.sort();
                text.extend(lines);
            }
        }
        if phase.depth > 0 {
            let mut lines: Vec<String> = phase.hosts.maps()?.iter().map(|map| format!("  hosts {map}\n")).collect();
            lines.sort();
            text.extend(lines);
        }
    }
    Ok(text)
}
