//! Prints the comparison of arrays that might share storage, which runs before the region.

use super::{
    expression::CScope,
    generated_names::Mentions,
    region_context::{RegionContext, kept_member, lengths, with_lengths},
    row_tables,
};
use crate::{
    Refusal,
    lowered::{ArrayHull, OverlapChecks},
    model::{Array, Region},
};
use std::fmt::Write;

/// The function that compares what the region touches of the arrays; no text if no arrays can overlap.
pub fn function(shared: &RegionContext, checks: &OverlapChecks) -> Result<String, Refusal> {
    let region = shared.region;
    if !needed(region, checks) {
        return Ok(String::new());
    }
    let mentions = Mentions::of(region, []);
    let mut scope = shared.scope(&mentions);
    let mut body = String::new();
    for (at, touched) in &checks.hulls {
        body.push_str(&hull(shared, &region.arrays[*at], touched.as_ref(), &scope)?);
    }
    let mut in_order = String::new();
    for (one, other) in &checks.pairs {
        let (one, other) = (&region.arrays[*one], &region.arrays[*other]);
        let at_entry = [one, other].iter().any(|array| region.entry_arrays.contains(&array.symbol));
        let (one, other) = (&one.name, &other.name);
        let told = sequential(region, &format!("`{}` and `{}` share storage", region.said(one), region.said(other)));
        let (told, list) = if at_entry { (original(&told), &mut body) } else { (told, &mut in_order) };
        let _ = writeln!(
            list,
            "  if (dvm__begin_{one} < dvm__end_{other} && dvm__begin_{other} < dvm__end_{one})\n    return {told};"
        );
    }
    // What no order of tiles makes right comes first.
    body.push_str(&changed(shared));
    if !checks.tables.is_empty() {
        let told = |reason: &str| original(&sequential(region, reason));
        let (noted, reason) = row_tables::comparison(shared, checks, &mut scope, &told)?;
        let told = told(&reason);
        let _ = writeln!(
            body,
            "{noted}  if (dvm__apart(&dvm__spans))\n    break;\n  if (dvm__spans.dvm__exact)\n    return {told};\n  \
             dvm__spans.dvm__exact = 1;\n  }}"
        );
    }
    body.push_str(&in_order);
    let mut text = String::from(
        "/* 1 when what is written shares bytes with other things that the region touches; 2 when the entry reads these. */\n",
    );
    if checks.tables.iter().any(|table| region.arrays[table.array].unsure_tables) {
        text.push_str("__attribute__((__no_sanitize__(\"address\"), __no_sanitize__(\"undefined\"))) ");
    }
    let _ =
        writeln!(text, "static int dvm__{}_overlap(const struct {} *{})\n{{", region.name, shared.context, shared.own);
    text.push_str(&shared.locals(&scope, &mentions));
    for array in checks.hulls.iter().filter(|(_, touched)| touched.is_some()).map(|(at, _)| &region.arrays[*at]) {
        if with_lengths(region).any(|with| with.name == array.name) {
            for length in lengths(array).iter().filter(|length| !length.bytes().all(|byte| byte.is_ascii_digit())) {
                let _ = writeln!(text, "  const dvm__int64 {length} = {}->{length};", shared.own);
            }
        }
    }
    let _ = writeln!(text, "  (void){};\n{body}  return 0;\n}}\n", shared.own);
    Ok(text)
}

/// Whether a region has anything to compare.
pub fn needed(region: &Region, checks: &OverlapChecks) -> bool {
    !(checks.pairs.is_empty() && checks.tables.is_empty() && region.kept.is_empty())
}

/// The comparisons of written arrays with what keeps its value.
fn changed(shared: &RegionContext) -> String {
    let (region, own) = (shared.region, &shared.own);
    let mut text = String::new();
    for (at, kept) in region.kept.iter().enumerate() {
        let told = format!("the region writes `{}`, which it reads at entry", kept.text);
        let told = original(&sequential(region, &told));
        let place = format!("{own}->{}", kept_member(at));
        for array in region.arrays.iter().filter(|array| array.tables == 0 && kept.against.contains(&array.symbol)) {
            let name = &array.name;
            let _ = writeln!(
                text,
                "  if (dvm__begin_{name} < {place}[1] && {place}[0] < dvm__end_{name})\n    return {told};"
            );
        }
    }
    text
}

/// Tells of values that the entry has read, and that the loops may change: tiles, which have them, are wrong in any order.
fn original(told: &str) -> String {
    if crate::planted::planted("a39-order") { told.to_owned() } else { format!("2 * {told}") }
}

/// The call that notes why a region runs its original loops; the environment turns such notes on.
pub fn sequential(region: &Region, reason: &str) -> String {
    // The inside of a C string.
    let reason = reason.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ");
    format!("dvm__sequential(\"{}\", {}, \"{reason}\")", region.name, region.line)
}

/// Two locals: the addresses of the first byte that the region touches of an array and of the byte after the last.
pub fn hull(
    shared: &RegionContext,
    array: &Array,
    touched: Option<&ArrayHull>,
    scope: &CScope,
) -> Result<String, Refusal> {
    let name = &array.name;
    let own = if array.global { name.clone() } else { format!("{}->{name}", shared.own) };
    let address = if array.global && array.dims.is_empty() { format!("&{own}") } else { own };
    let mut text =
        format!("  dvm__address dvm__begin_{name} = (dvm__address){address}, dvm__end_{name} = dvm__begin_{name};\n");
    let Some(touched) = touched else { return Ok(text) };
    let (mut least, mut greatest) = ("0".to_owned(), "0".to_owned());
    for (at, ends) in touched.ends.iter().enumerate() {
        let (low, high) = (scope.text(&ends.least)?, scope.text(&ends.greatest)?);
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
    let exists = scope.text(&touched.exists)?;
    let _ = writeln!(text, "  if ({exists}) {{");
    let _ = writeln!(text, "    dvm__end_{name} = dvm__begin_{name} + (dvm__address)((1 + {greatest}) * {element});");
    let _ = writeln!(text, "    dvm__begin_{name} += (dvm__address)(({least}) * {element});\n  }}");
    Ok(text)
}

/// The length of dimension `at` of an array in the overlap function.
pub fn row_length(array: &Array, at: usize) -> String {
    if array.global && !array.linearised {
        format!("(dvm__int64)({})", array.dims[at].as_deref().unwrap_or("1"))
    } else {
        lengths(array)[at - 1].clone()
    }
}
