//! Prints the comparison of rows that tables of pointers name, with each other and with all else that the region touches.

use super::{
    expression::CScope,
    region_context::{RegionContext, kept_member},
};
use crate::{
    Refusal,
    lowered::{Ends, OverlapChecks, TableHull, place_in_table},
    model::AccessKind,
    planted::planted,
};
use std::fmt::Write;

/// The functions that compare; they are printed only where they are used.
const HELPERS: &str = include_str!("row_helpers.h");

/// What a region needs at file scope for the comparison.
pub fn helpers(checks: &OverlapChecks) -> &'static str {
    if checks.tables.is_empty() { "" } else { HELPERS }
}

/// Statements that note the rows and what else the region touches, where the ends of other arrays are known: the head of
/// a loop that ends when `dvm__apart` tells that they are apart. Also what is the case if it does not. `told` makes the value
/// to return for a reason not to compare.
pub fn comparison(
    shared: &RegionContext,
    checks: &OverlapChecks,
    scope: &mut CScope,
    told: &dyn Fn(&str) -> String,
) -> Result<(String, String), Refusal> {
    let region = shared.region;
    let mut text = String::new();
    let mut number = 0;
    for at in &checks.beside {
        let array = &region.arrays[*at];
        let mut accesses = region.statements.iter().flat_map(|statement| &statement.accesses);
        let written = accesses.any(|access| access.array == array.symbol && access.kind != AccessKind::Read);
        let (name, written) = (&array.name, i32::from(written));
        let _ = writeln!(text, "  dvm__span(&dvm__spans, {number}, dvm__begin_{name}, dvm__end_{name}, {written});");
        number += 1;
    }
    let is_table = |symbol: &String| checks.tables.iter().any(|table| region.arrays[table.array].symbol == *symbol);
    for (at, kept) in region.kept.iter().enumerate() {
        if kept.against.iter().any(is_table) {
            let place = format!("{}->{}", shared.own, kept_member(at));
            let _ = writeln!(text, "  dvm__span(&dvm__spans, {number}, {place}[0], {place}[1], 0);");
            number += 1;
        }
    }
    for table in &checks.tables {
        text.push_str(&rows(shared, table, &mut number, scope, told)?);
    }
    // Once by hulls, and once by rows if that did not tell.
    let text = format!(
        "  struct dvm__hull dvm__hulls[{number}] = {{ {{ 0 }} }};\n  struct dvm__spans dvm__spans = {{ 0 }};\n  \
         dvm__spans.dvm__hulls = dvm__hulls;\n  dvm__spans.dvm__hull_count = {number};\n  for (;;) {{\n{text}"
    );
    let names: Vec<String> =
        checks.tables.iter().map(|table| format!("`{}`", region.said(&region.arrays[table.array].name))).collect();
    let reason = format!("rows of {} share storage with something that the region writes", names.join(", "));
    Ok((text, reason))
}

/// Notes the rows of one array, and the tables that name them.
fn rows(
    shared: &RegionContext,
    table: &TableHull,
    number: &mut usize,
    scope: &mut CScope,
    told: &dyn Fn(&str) -> String,
) -> Result<String, Refusal> {
    let region = shared.region;
    let array = &region.arrays[table.array];
    let (element, levels) = (&array.element, array.tables);
    let stars = |count: usize| "*".repeat(count);
    let own = if array.global { array.name.clone() } else { format!("{}->{}", shared.own, array.name) };
    let mut text = format!("  if ({}) {{\n", scope.text(&table.exists)?);
    let _ = writeln!(text, "    {element} {}dvm__table = ({element} {})({own});", stars(levels + 1), stars(levels + 1));
    let places: Vec<String> = (0..levels).map(place_in_table).collect();
    let _ = writeln!(text, "    dvm__int64 {};", places.join(", "));
    let why = format!(
        "the pointers of `{}` cannot be read before data tell which of them there are",
        region.said(&array.name)
    );
    let unreadable = told(&why);
    let mut base = "dvm__table".to_owned();
    for (level, (place, part)) in places.iter().zip(&table.levels).enumerate() {
        let bound = scope.bound(&part.ends.least)?.max(scope.bound(&part.ends.greatest)?);
        let indent = "  ".repeat(level + 2);
        let pointer = format!("{element} {}", stars(levels - level));
        let (begin, end) = range(&base, &part.ends, &pointer, scope)?;
        if array.unsure_tables {
            let _ = writeln!(
                text,
                "{indent}if (!dvm__readable({begin}, {end})) {{\n{indent}  dvm__free(dvm__spans.dvm__all);\n\
                 {indent}  return {unreadable};\n{indent}}}"
            );
        }
        let _ = writeln!(text, "{indent}{}", span(*number, &begin, &end, false));
        let (least, greatest) = (scope.text(&part.ends.least)?, scope.text(&part.ends.greatest)?);
        scope.own(place, bound);
        let inside = scope.text(&part.inside)?;
        base = format!("{base}[{place}]");
        // What a null pointer would name is touched by no loop.
        let there = if array.unsure_tables { format!(" && {base}") } else { String::new() };
        let _ = writeln!(
            text,
            "{indent}for ({place} = ({least}); {place} <= ({greatest}); {place}++)\n{indent} if (({inside}){there}) {{"
        );
    }
    let (begin, end) = range(&base, &table.row, element, scope)?;
    let row = span(*number, &begin, &end, table.written && !planted("a19-tables"));
    let _ = writeln!(text, "{}{row}", "  ".repeat(levels + 2));
    *number += 1;
    let _ = writeln!(text, "  {}}}", "}".repeat(levels));
    Ok(text)
}

/// The first byte of the elements between two subscripts of a pointer, and the byte after the last.
fn range(base: &str, ends: &Ends, element: &str, scope: &CScope) -> Result<(String, String), Refusal> {
    let (least, greatest) = (scope.text(&ends.least)?, scope.text(&ends.greatest)?);
    let size = format!("(dvm__int64)sizeof({element})");
    let at = |subscript: String| format!("(dvm__address){base} + (dvm__address)(({subscript}) * {size})");
    Ok((at(least), at(format!("1 + ({greatest})"))))
}

/// The call that notes a range.
fn span(number: usize, begin: &str, end: &str, written: bool) -> String {
    format!("dvm__span(&dvm__spans, {number}, {begin}, {end}, {});", i32::from(written))
}
