//! What a region needs to run on several processes: its flows, and along which coordinates its tiles are best dealt out.

use super::{Phase, PhaseKind, Plan};
use crate::Refusal;
use crate::analysis::{IslRegion, overlap};
use crate::lowered::{AcrossParts, FlowLoops, PlaceForm};
use crate::model::Region;
use crate::refusal::Code;

/// Refuses what cannot run on several processes, however its values flow.
pub fn admit(region: &Region, plan: &Plan) -> Result<(), Refusal> {
    let refused = |reason: String, remedy: &str| Err(Refusal::new(Code::FlowUnknown, reason, remedy));
    if plan.phases.iter().any(|phase| matches!(phase.kind, PhaseKind::Sequential)) {
        let reason = "a part of the region has no tiles: its iterations run one after the other";
        return refused(reason.to_owned(), "mark the loops that can be tiled with a pragma of their own");
    }
    if !region.entry.is_empty() {
        let reason = "the region reads values of memory at its entry";
        return refused(reason.to_owned(), "copy them into local variables before the region");
    }
    let pointer = region.values.iter().find(|value| value.ctype.contains(['*', '[', '(']));
    if let Some(value) = pointer {
        let reason = format!("`{}` is or has a pointer, which means nothing in another process", value.name);
        return refused(reason, "leave `across` out, or pass what it points to as an array");
    }
    Ok(())
}

/// The parts. In a program that all processes run, all have the same arrays at entry: only servers get what flows in.
pub fn across_parts(
    region: &Region,
    isl_region: &IslRegion,
    plan: &Plan,
    flow: Vec<FlowLoops>,
    places: &[Option<PlaceForm>],
) -> AcrossParts {
    let places = plan.phases.iter().zip(places).map(|(phase, form)| best(phase, form.as_ref())).collect();
    let served = match region.ties.first() {
        Some(tie) => Err(tie.clone()),
        None => overlap::touched_boxes(region, isl_region).map_err(|refusal| refusal.reason),
    };
    let enters = served.is_ok();
    AcrossParts { loops: flow.into_iter().filter(|loops| enters || loops.writer.is_some()).collect(), served, places }
}

/// The coordinates that the written element's subscripts follow; without a form, those along which no tile waits.
fn best(phase: &Phase, form: Option<&PlaceForm>) -> Vec<usize> {
    let PhaseKind::Graph { carried, .. } = &phase.kind else { return Vec::new() };
    let free = || (0..carried.len()).filter(|k| !carried[*k]);
    let Some(form) = form else { return free().collect() };
    let mut best: Vec<usize> = Vec::new();
    for factors in &form.factors {
        let band = &factors[phase.depth..];
        // A coordinate that raises the subscript moves with it; one that lowers it is time.
        let followed = (0..band.len()).find(|k| band[*k] > 0 && !best.contains(k));
        best.extend(followed.or_else(|| (0..band.len()).find(|k| band[*k] != 0 && !best.contains(k))));
    }
    if best.is_empty() { free().collect() } else { best }
}
