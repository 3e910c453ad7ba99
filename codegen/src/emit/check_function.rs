//! Prints what `DVM_CHECK=1` needs: a function that tells which bytes a region writes.

use super::{
    expression::CScope,
    generated_names::Mentions,
    overlap_check::{hull, row_length},
    region_context::{RegionContext, lengths, with_lengths},
};
use crate::{
    Refusal,
    lowered::{ArraySpan, OverlapChecks, WrittenExtent, place_in_table},
    model::Array,
};
use std::fmt::Write;

/// The function that copies what the region writes, or tells why it cannot.
pub fn function(shared: &RegionContext, checks: &OverlapChecks) -> Result<String, Refusal> {
    let region = shared.region;
    let mut scope = shared.scope(&Mentions::of(region, []));
    // The result of a reduction is the tree's, which the loops do not compute.
    let nothing = checks.written.is_empty().then(|| "it writes no array".to_owned());
    let (mut body, mut lost) = (String::new(), nothing);
    for (at, extent) in &checks.written {
        let array = &region.arrays[*at];
        let name = &array.name;
        let mut rows: Vec<String> = (1..array.dims.len()).map(|at| row_length(array, at)).collect();
        rows.insert(0, "0".to_owned());
        match extent {
            WrittenExtent::Unknown if array.tables > 0 => {
                lost = Some(format!("it writes rows of `{name}`, a table of pointers"));
            }
            WrittenExtent::Unknown => lost = Some(format!("what it writes of `{name}` depends on data")),
            WrittenExtent::Span(touched) => body.push_str(&span(shared, array, touched.as_ref(), &mut scope)?),
            WrittenExtent::Whole => {
                body.push_str(&hull(shared, array, None, &scope)?);
                let lengths: String = array.dims.iter().flatten().map(|length| format!(" * {length}")).collect();
                let _ = writeln!(body, "  dvm__end_{name} += sizeof({}){lengths};", array.element);
            }
        }
        if !matches!(extent, WrittenExtent::Unknown) {
            let rank = array.dims.len();
            let base = hull_base(shared, array);
            let rows = rows.join(", ");
            let element = &array.element;
            let _ = writeln!(
                body,
                "  dvm__list = dvm__copied(dvm__list, (struct dvm__written){{ .dvm__name = \"{name}\", .dvm__kind = DVM__KIND({element}),\n      \
                 .dvm__element = sizeof({element}), .dvm__rank = {rank}, .dvm__rows = {{ {rows} }}, .dvm__base = {base},\n      \
                 .dvm__begin = dvm__begin_{name}, .dvm__end = dvm__end_{name} }});"
            );
        }
    }
    let told = lost.map(|why| {
        let call = format!("dvm__unchecked(\"{}\", {}, \"{why}\")", region.name, region.line);
        format!("  static int dvm__told;\n  if (!dvm__told++)\n    {call};\n  return 0;\n")
    });
    let mut text = String::from("/* For DVM_CHECK=1: copies what the region writes. */\n");
    let _ = writeln!(
        text,
        "__attribute__((__cold__, __noinline__)) static struct dvm__written *dvm__{}_written(const struct {} *{})\n{{",
        region.name, shared.context, shared.own
    );
    if let Some(told) = told {
        let _ = writeln!(text, "  (void){};\n{told}}}\n", shared.own);
        return Ok(text);
    }
    text.push_str(&shared.locals(&scope, &Mentions::of(region, [])));
    for array in checks.written.iter().map(|(at, _)| &region.arrays[*at]) {
        if with_lengths(region).any(|with| with.name == array.name) {
            for length in lengths(array).iter().filter(|length| !length.bytes().all(|byte| byte.is_ascii_digit())) {
                let _ = writeln!(text, "  const dvm__int64 {length} = {}->{length};", shared.own);
            }
        }
    }
    let _ = writeln!(
        text,
        "  (void){};\n  struct dvm__written *dvm__list = 0;\n{body}  return dvm__list == &dvm__lost ? 0 : dvm__list;\n}}\n",
        shared.own
    );
    Ok(text)
}

/// Two locals: the addresses of the first byte that the region may touch of an array and of the byte after the last.
fn span(
    shared: &RegionContext,
    array: &Array,
    touched: Option<&ArraySpan>,
    scope: &mut CScope,
) -> Result<String, Refusal> {
    let mut text = hull(shared, array, None, scope)?;
    let Some(touched) = touched else { return Ok(text) };
    let places: Vec<String> = (0..touched.ends.len()).map(place_in_table).collect();
    let (mut first, mut last, mut number) = (String::new(), String::new(), "0".to_owned());
    for (at, (place, ends)) in places.iter().zip(&touched.ends).enumerate() {
        let bound = scope.bound(&ends.least)?.max(scope.bound(&ends.greatest)?);
        let _ = writeln!(first, "    {place} = {};", scope.text(&ends.least)?);
        let _ = writeln!(last, "    {place} = {};", scope.text(&ends.greatest)?);
        scope.own(place, bound);
        number = if at == 0 { place.clone() } else { format!("({number}) * {} + {place}", row_length(array, at)) };
    }
    let (name, element) = (&array.name, format!("(dvm__int64)sizeof({})", array.element));
    let _ = writeln!(text, "  if ({}) {{", scope.text(&touched.exists)?);
    if !places.is_empty() {
        let _ = writeln!(text, "    dvm__int64 {};", places.join(", "));
    }
    let _ = writeln!(text, "{last}    dvm__end_{name} += (dvm__address)((1 + {number}) * {element});");
    let _ = writeln!(text, "{first}    dvm__begin_{name} += (dvm__address)(({number}) * {element});\n  }}");
    Ok(text)
}

/// The address of an array's first element.
fn hull_base(shared: &RegionContext, array: &Array) -> String {
    let own = if array.global { array.name.clone() } else { format!("{}->{}", shared.own, array.name) };
    let address = if array.global && array.dims.is_empty() { "&" } else { "" };
    format!("(dvm__address){address}{own}")
}
