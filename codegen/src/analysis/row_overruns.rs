//! The parameters for which subscripts leave their rows.

use super::IslRegion;
use crate::refusal::Code;
use crate::{Refusal, model::Region};
use dvm_isl::Set;

/// Maximum number of pieces of an exact check; a convex set around more pieces replaces them. A region over many arrays,
/// each with bounds of its own, has two or four for each: a convex set around those would hold all parameters.
const PIECES: usize = 96;

/// The parameters for which some subscript leaves its row: then the original loops run. `None`: no subscript does.
pub fn leaving(region: &Region, isl_region: &IslRegion) -> Result<Option<Set>, Refusal> {
    isl_region.begin_stage();
    let mut all: Option<Set> = None;
    for row in &region.rows {
        isl_region.begin_stage();
        let outside = Set::parse(&isl_region.ctx, &row.outside).map_err(|error| {
            Refusal::new(
                Code::Defect,
                format!("the model's row `{}` is not understood ({error})", row.outside),
                "correct the model",
            )
        })?;
        // A group has the name of its first statement.
        let named = region.statements.iter().position(|s| Some(&s.name) == outside.name().as_ref());
        let leader = named.map(|at| isl_region.leader(at));
        let outside = match leader {
            Some(leader) if named != Some(leader) => outside.named(&region.statements[leader].name)?,
            _ => outside,
        };
        let statement =
            isl_region.statements.iter().find(|s| s.domain.name().is_some() && s.domain.name() == outside.name());
        let (runs, leaves) = match statement {
            Some(statement) => {
                let instances = outside.intersect(&statement.domain)?;
                (statement.domain.params()?, instances.params()?)
            }
            None => (isl_region.context.clone(), outside.params()?),
        };
        let leaves = leaves.intersect(&isl_region.context)?;
        if leaves.is_empty()? {
            continue;
        }
        if runs.is_subset(&leaves)? {
            return Err(Refusal::new(
                Code::RowLeft,
                format!("a subscript of `{}` leaves its row whatever the sizes are", row.text),
                "write the access with the row that it means, or use an array with one subscript",
            ));
        }
        all = Some(all.map_or(Ok(leaves.clone()), |all| all.union(&leaves))?);
    }
    let Some(all) = all else { return Ok(None) };
    let all = all.coalesce()?.gist(&isl_region.context)?;
    let few = if all.pieces()? > PIECES { all.simple_hull()? } else { all };
    Ok(Some(few))
}
