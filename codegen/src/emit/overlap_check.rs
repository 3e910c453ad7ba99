//! Arrays that might share storage are compared when the region runs.

use super::{
    expression::CScope,
    generated_names::Mentions,
    shared_names::{SharedNames, lengths, passed},
};
use crate::{
    Refusal,
    analysis::IslRegion,
    model::{AccessKind, Array, Region},
};
use dvm_isl::{AstBuild, Set, UnionSet};
use std::fmt::Write;

/// True when some pair of arrays has to be compared.
pub fn is_needed(region: &Region) -> bool {
    !pairs(region).is_empty()
}

/// Pairs of arrays that may overlap and of which one is written.
fn pairs(region: &Region) -> Vec<(&Array, &Array)> {
    let touched = |array: &Array| {
        region.statements.iter().flat_map(|statement| &statement.accesses).any(|access| access.array == array.symbol)
    };
    let written = |array: &Array| {
        region.statements.iter().flat_map(|statement| &statement.accesses).any(|access| {
            access.array == array.symbol && matches!(access.kind, AccessKind::Write | AccessKind::MayWrite)
        })
    };
    let arrays: Vec<&Array> = region.arrays.iter().filter(|array| touched(array)).collect();
    let mut pairs = Vec::new();
    for (at, &one) in arrays.iter().enumerate() {
        for &other in &arrays[at + 1..] {
            if one.may_overlap(other) && (written(one) || written(other)) {
                pairs.push((one, other));
            }
        }
    }
    pairs
}

/// The function that says whether arrays overlap in what the region touches; nothing when none can.
pub fn function(isl_region: &IslRegion, shared: &SharedNames) -> Result<String, Refusal> {
    let region = shared.region;
    let pairs = pairs(region);
    if pairs.is_empty() {
        return Ok(String::new());
    }
    let mut involved: Vec<&Array> = pairs.iter().flat_map(|(one, other)| [*one, *other]).collect();
    involved.sort_by(|one, other| one.name.cmp(&other.name));
    involved.dedup_by(|one, other| one.name == other.name);
    let mentions = Mentions::of(region, []);
    let scope = shared.scope(&mentions);
    let mut body = String::new();
    for array in &involved {
        body.push_str(&hull(isl_region, shared, array, &scope)?);
    }
    for (one, other) in &pairs {
        let (one, other) = (&one.name, &other.name);
        let told = sequential(region, &format!("`{one}` and `{other}` share storage"));
        let _ = writeln!(
            body,
            "  if (dvm__begin_{one} < dvm__end_{other} && dvm__begin_{other} < dvm__end_{one})\n    return {told};"
        );
    }
    let mut text =
        String::from("/* True when arrays that are written share bytes with others in what the region touches. */\n");
    let _ =
        writeln!(text, "static int dvm__{}_overlap(const struct {} *{})\n{{", region.name, shared.context, shared.own);
    text.push_str(&shared.locals(&scope, &mentions));
    for array in &involved {
        if passed(region).any(|passed| passed.name == array.name) {
            for length in lengths(array).iter().filter(|length| !length.bytes().all(|byte| byte.is_ascii_digit())) {
                let _ = writeln!(text, "  const dvm__int64 {length} = {}->{length};", shared.own);
            }
        }
    }
    let _ = writeln!(text, "{body}  return 0;\n}}\n");
    Ok(text)
}

/// The call that says, where notes are wanted, why a region runs its own loops.
pub fn sequential(region: &Region, reason: &str) -> String {
    format!("dvm__sequential(\"{}\", {}, \"{reason}\")", region.name, region.line)
}

/// The bytes between the least and the greatest element that the region touches, as two locals.
fn hull(isl_region: &IslRegion, shared: &SharedNames, array: &Array, scope: &CScope) -> Result<String, Refusal> {
    let mut touched: Option<Set> = None;
    for access in isl_region.statements.iter().flat_map(|statement| &statement.accesses) {
        if access.output_name().as_ref() == Some(&array.symbol) {
            let range = access.range()?;
            touched = Some(touched.map_or(Ok(range.clone()), |all| all.union(&range))?);
        }
    }
    let name = &array.name;
    let own = if array.global { name.clone() } else { format!("{}->{name}", shared.own) };
    let address = if array.global && array.dims.is_empty() { format!("&{own}") } else { own };
    let mut text =
        format!("  dvm__address dvm__begin_{name} = (dvm__address){address}, dvm__end_{name} = dvm__begin_{name};\n");
    let Some(touched) = touched else { return Ok(text) };
    let touched = touched.coalesce()?;
    if touched.is_empty()? {
        return Ok(text);
    }
    let known = isl_region.context.intersect(&UnionSet::from_set(&touched)?.params()?)?;
    let everywhere = AstBuild::from_context(&isl_region.context)?;
    let build = AstBuild::from_context(&known)?;
    let (mut least, mut greatest) = ("0".to_owned(), "0".to_owned());
    for at in 0..array.dims.len() {
        let value = |value: dvm_isl::PwAff| scope.text(&build.expression(&value.coalesce()?.gist(&known)?)?);
        let (low, high) = (value(touched.dim_min(at)?)?, value(touched.dim_max(at)?)?);
        if at > 0 {
            let length = &row_length(array, at);
            least = format!("({least}) * {length} + ");
            greatest = format!("({greatest}) * {length} + ");
        } else {
            least.clear();
            greatest.clear();
        }
        let _ = write!(least, "({low})");
        let _ = write!(greatest, "({high})");
    }
    let element = format!("(dvm__int64)sizeof({})", array.element);
    let exists = scope.text(&everywhere.condition(&known.gist(&isl_region.context)?)?)?;
    let _ = writeln!(text, "  if ({exists}) {{");
    let _ = writeln!(text, "    dvm__end_{name} = dvm__begin_{name} + (dvm__address)((1 + {greatest}) * {element});");
    let _ = writeln!(text, "    dvm__begin_{name} += (dvm__address)(({least}) * {element});\n  }}");
    Ok(text)
}

/// The length of dimension `at` of an array in the overlap function.
fn row_length(array: &Array, at: usize) -> String {
    if array.global {
        format!("(dvm__int64)({})", array.dims[at].as_deref().unwrap_or("1"))
    } else {
        lengths(array)[at - 1].clone()
    }
}
