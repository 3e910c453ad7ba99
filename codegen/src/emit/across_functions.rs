//! Prints what a region needs to run on several processes: a function for each flow, and the tables of them.

use super::{
    element_rows::RowWriter,
    generated_names::Mentions,
    overlap_check::hull,
    region_context::{Reach, RegionContext, lengths, with_lengths},
};
use crate::{
    Refusal,
    lowered::{AcrossParts, ArrayHull, FlowLoops, TileBox},
    model::{Array, Region, Storage},
};
use std::fmt::Write;

/// The helpers of generated text that regions on several processes need as well.
pub const HELPERS: &str = include_str!("across.h");

/// What makes a program one of process 0 in a file whose regions with the clause `across` are all refused.
pub const UNSERVED: &str = include_str!("unserved.h");

/// The functions of the flows, and the tables of flows and phases. `body`: the name of the function that runs the phases.
pub fn functions(
    shared: &RegionContext,
    across: &AcrossParts,
    tiles: &[Option<&TileBox>],
    reach: Reach,
) -> Result<String, Refusal> {
    let name = &shared.region.name;
    let mut text = String::new();
    for (at, loops) in across.loops.iter().enumerate() {
        text.push_str(&flow(shared, loops, at, reach)?);
    }
    if let Ok(boxes) = &across.served {
        text.push_str(&extents(shared, boxes)?);
        text.push_str(&places(shared));
    }
    let phase = |phase: Option<usize>| phase.map_or_else(|| "-1".to_owned(), |phase| phase.to_string());
    let flows: Vec<String> = across
        .loops
        .iter()
        .enumerate()
        .map(|(at, loops)| format!("{{{}, {}, dvm__{name}_flow_{at}}}", phase(loops.writer), phase(loops.reader)))
        .collect();
    let mut phases = Vec::new();
    for (at, (places, tiles)) in across.places.iter().zip(tiles).enumerate() {
        let list: Vec<String> = places.iter().map(ToString::to_string).collect();
        let list = if list.is_empty() { "0".to_owned() } else { list.join(", ") };
        let _ = writeln!(text, "static const int dvm__{name}_places_{at}[] = {{ {list} }};");
        let slanted = tiles.is_some_and(|tiles| !tiles.links.is_empty());
        let near = places.first().is_some_and(|place| stays_near(across, at, *place, tiles.as_deref()));
        let flags = i32::from(slanted) | i32::from(near) << 1;
        phases.push(format!("{{{}, dvm__{name}_places_{at}, {flags}}}", places.len()));
    }
    let _ = writeln!(
        text,
        "/* What tiles of one process hand to those of another one. */\nstatic const struct dvm__across_flow dvm__{name}_flows[] = {{\n  {}\n}};\n\
         static const struct dvm__across_phase dvm__{name}_phases[] = {{ {} }};",
        if flows.is_empty() { "{0}".to_owned() } else { flows.join(",\n  ") },
        phases.join(", ")
    );
    Ok(text)
}

/// Greatest distance that counts as near.
const NEAR: u64 = 16;

/// Whether values of a phase go a short way only along a coordinate of its band.
fn stays_near(across: &AcrossParts, phase: usize, coordinate: usize, tiles: Option<&TileBox>) -> bool {
    let Some(dimension) = tiles.map(|tiles| tiles.carried.len()) else { return false };
    let near = |distance: Option<i64>| distance.is_some_and(|by| by.unsigned_abs() <= NEAR);
    let within = across.loops.iter().filter(|loops| loops.writer == Some(phase) && loops.reader == loops.writer);
    within.map(|loops| &loops.distances).all(|distances| {
        let own = distances.len().checked_sub(dimension).and_then(|hosts| distances.get(hosts + coordinate));
        own.is_some_and(|(least, greatest)| near(*least) && near(*greatest))
    })
}

/// The table of the region, after the function that runs its phases.
pub fn table(shared: &RegionContext, across: &AcrossParts) -> String {
    let region = shared.region;
    let name = &region.name;
    let numbers = format!("{}, {}, {}", across.loops.len(), across.places.len(), region.arrays.len());
    let context = &shared.context;
    let (served, members) = if let Err(tie) = &across.served {
        let text = format!("/* Processes that serve cannot run tiles of region `{name}`: {}. */\n", comment_text(tie));
        ("0, 0, 0, 0".to_owned(), text)
    } else {
        let members = members(shared);
        let entry = |member: &String| {
            format!("{{__builtin_offsetof(struct {context}, {member}), sizeof(((struct {context} *)0)->{member})}}")
        };
        let list: Vec<String> = members.iter().map(entry).collect();
        let text = format!(
            "/* What of the context a process needs that serves. */\nstatic const struct dvm__across_member dvm__{name}_members[] = {{\n  {}\n}};\n",
            list.join(",\n  ")
        );
        (format!("sizeof(struct {context}), {}, dvm__{name}_members, dvm__{name}_places", members.len()), text)
    };
    let ahead = region.options.ahead.map_or("-1".to_owned(), |steps| steps.to_string());
    let offer = if region.options.offered {
        format!(", &dvm__{name}_offered, dvm__{name}_several_work, dvm__{name}_records")
    } else {
        ", 0, 0, 0".to_owned()
    };
    let window = format!("{}, {ahead}{offer}", region.options.buffers);
    let work = if region.options.offered {
        format!(
            "static dvm__int64 dvm__{name}_several_work(const void *{})\n{{\n  return dvm__{name}_work({});\n}}\n\n",
            shared.argument, shared.argument
        )
    } else {
        String::new()
    };
    format!(
        "{work}{members}static const struct dvm__across dvm__{name}_across = {{\n  sizeof(struct dvm__across), \"{name}\", {numbers}, \
         dvm__{name}_flows, dvm__{name}_phases, dvm__{name}_body,\n  {served}, {window}\n}};\n\n"
    )
}

/// What makes the region known before main begins. One that processes cannot serve makes its program one of process 0 all
/// the same.
pub fn known(shared: &RegionContext, across: Option<&AcrossParts>) -> String {
    let name = &shared.region.name;
    let table = across.filter(|across| across.served.is_ok()).map(|_| format!("&dvm__{name}_across"));
    format!(
        "/* Before main. */\n__attribute__((__constructor__(101), __used__)) static void dvm__{name}_known(void)\n{{\n  \
         dvm__across_known({});\n}}\n\n",
        table.as_deref().unwrap_or("0")
    )
}

/// A text that ends no comment.
fn comment_text(text: &str) -> String {
    text.replace("*/", "* /")
}

/// The members of the context that are numbers: parameters, values, lengths, and how to compute.
fn members(shared: &RegionContext) -> Vec<String> {
    let region = shared.region;
    let mut all = vec![format!("{}.dvm__arithmetic", shared.tiles)];
    all.extend(region.parameters.iter().map(|parameter| parameter.name.clone()));
    all.extend(region.values.iter().map(|value| value.name.clone()));
    all.extend(with_lengths(region).flat_map(lengths).filter(|length| !is_digits(length)));
    all
}

/// The function that tells which bytes of its arrays a region touches.
fn extents(shared: &RegionContext, boxes: &[Option<ArrayHull>]) -> Result<String, Refusal> {
    let region = shared.region;
    let mentions = Mentions::of(region, []);
    let scope = shared.scope(&mentions);
    let mut body = String::new();
    for (at, (array, touched)) in region.arrays.iter().zip(boxes).enumerate() {
        let name = &array.name;
        body.push_str(&hull(shared, array, touched.as_ref(), &scope)?);
        let base = format!("(dvm__address){}", address(shared, array));
        let _ = writeln!(
            body,
            "  dvm__arrays[{at}].dvm__begin = (dvm__int64)(dvm__begin_{name} - {base});\n  \
             dvm__arrays[{at}].dvm__end = (dvm__int64)(dvm__end_{name} - {base});"
        );
    }
    let mut text = format!(
        "/* Which bytes of its arrays region `{}` touches. */\nstatic void dvm__{}_extents(const struct {} *{}, struct dvm__across_array *dvm__arrays)\n{{\n",
        region.name, region.name, shared.context, shared.own
    );
    text.push_str(&shared.locals(&scope, &mentions));
    for array in with_lengths(region) {
        for length in lengths(array).iter().filter(|length| !is_digits(length)) {
            let _ = writeln!(text, "  const dvm__int64 {length} = {}->{length};\n  (void){length};", shared.own);
        }
    }
    let _ = writeln!(text, "  (void){}, (void)dvm__arrays;\n{body}}}\n", shared.own);
    Ok(text)
}

/// The function that a process calls that serves: the context's pointers, and those at file scope, lead to memory that
/// it has for the arrays; arrays at file scope tell where they are.
fn places(shared: &RegionContext) -> String {
    let region = shared.region;
    let mut text = format!(
        "/* In a process that serves: where the arrays of region `{}` are. */\nstatic void dvm__{}_places(void *{}, void **dvm__bases)\n{{\n  \
         struct {} *const {} = {};\n  (void){}, (void)dvm__bases;\n",
        region.name, region.name, shared.argument, shared.context, shared.own, shared.argument, shared.own
    );
    for (at, array) in region.arrays.iter().enumerate() {
        let name = &array.name;
        let line = match (array.global, array.storage) {
            (false, _) => format!("{}->{name} = dvm__bases[{at}];", shared.own),
            (true, Storage::Object) => format!("dvm__bases[{at}] = (void *){};", address(shared, array)),
            (true, _) => format!("__builtin_memcpy((void *)&{name}, &dvm__bases[{at}], sizeof(void *));"),
        };
        let _ = writeln!(text, "  {line}");
    }
    text.push_str("}\n\n");
    text
}

/// What an offered region keeps: whether processes serve.
pub fn offered(shared: &RegionContext) -> String {
    let name = &shared.region.name;
    format!("/* Whether region `{name}` may run on all processes. */\nstatic int dvm__{name}_offered;\n\n")
}

/// The beginning of the function that runs the region: on all processes, if all can.
pub fn entry(shared: &RegionContext, across: &AcrossParts, cannot: &str) -> String {
    let (region, own, tiles) = (shared.region, &shared.own, &shared.tiles);
    let array = |array: &Array| {
        let by_name = i32::from(array.global && array.storage == Storage::Object);
        let keep = i32::from(region.options.keep.contains(&array.name)) << 1;
        let in_loop = i32::from(region.options.in_loop) << 2;
        format!("{{(void *){}, sizeof({}), 0, 0, {}}}", address(shared, array), array.element, by_name | keep | in_loop)
    };
    let arrays: Vec<String> = region.arrays.iter().map(array).collect();
    let offered = region.options.offered;
    let serves =
        if offered { format!("dvm__offers(&dvm__{}_offered)", region.name) } else { "dvm__is_across()".into() };
    let mut text = format!("  const int dvm__several = {serves};\n  if (dvm__several) {{\n");
    let arrays = if arrays.is_empty() { "{0}".to_owned() } else { arrays.join(", ") };
    let _ = writeln!(text, "    struct dvm__across_array dvm__arrays[] = {{ {arrays} }};");
    if across.served.is_ok() {
        let _ = writeln!(text, "    dvm__{}_extents({own}, dvm__arrays);", region.name);
    }
    let saved = match across.served {
        Ok(_) => format!("dvm__several > 1 ? dvm__{}_written({own}) : 0", region.name),
        Err(_) => "0".to_owned(),
    };
    let _ = writeln!(
        text,
        "    __UINT64_TYPE__ dvm__number = dvm__digest({}, \"{}\", sizeof \"{}\");",
        region.line, region.name, region.name
    );
    let parameters = region.parameters.iter().map(|parameter| &parameter.name);
    let values = region.values.iter().filter(|value| is_number(&value.ctype)).map(|value| &value.name);
    let sizes = with_lengths(region).flat_map(lengths).filter(|length| !is_digits(length));
    for member in parameters.chain(values).cloned().chain(sizes) {
        let _ = writeln!(text, "    dvm__number = dvm__digest(dvm__number, &{own}->{member}, sizeof {own}->{member});");
    }
    for value in region.values.iter().filter(|value| !is_number(&value.ctype)) {
        let _ = writeln!(text, "    dvm__number = DVM__DIGEST(dvm__number, {own}->{});", value.name);
    }
    let _ = writeln!(
        text,
        "    if (dvm__ran_across(&dvm__{}_across, &{own}->{tiles}, dvm__arrays, dvm__number, {cannot}, {saved}))\n      return 0;\n  }}",
        region.name
    );
    if !offered {
        text.push_str("  if (dvm__failing)\n    return 1;\n");
    }
    text
}

/// Types whose bytes are all of the value.
fn is_number(ctype: &str) -> bool {
    let words = ctype.split_whitespace().filter(|word| !matches!(*word, "const" | "register" | "volatile"));
    let known =
        ["double", "float", "int", "unsigned", "signed", "char", "short", "long", "size_t", "int64_t", "int32_t"];
    let words: Vec<&str> = words.collect();
    words.iter().all(|word| known.contains(word)) && words != ["long", "double"]
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn address(shared: &RegionContext, array: &Array) -> String {
    let own = if array.global { array.name.clone() } else { format!("{}->{}", shared.own, array.name) };
    if array.global && array.dims.is_empty() { format!("&{own}") } else { own }
}

/// The parameters of a flow's function, by end: the least values and those beyond.
const CORNERS: [[&str; 2]; 2] = [["dvm__f", "dvm__f_end"], ["dvm__t", "dvm__t_end"]];

/// The function of one flow.
fn flow(shared: &RegionContext, loops: &FlowLoops, at: usize, reach: Reach) -> Result<String, Refusal> {
    let region = shared.region;
    let array = &region.arrays[loops.array];
    let mentions = Mentions::of(region, []);
    let mut scope = shared.scope(&mentions);
    // A box of tiles ends at most one tile beyond the band.
    let bound = reach.hosts.max(3 * reach.band + 2) + 1;
    let ends = [&shared.flow.writer, &shared.flow.reader];
    for name in ends.iter().flat_map(|end| end.first.iter().chain(&end.end)) {
        scope.own(name, bound);
    }
    let mut writer = RowWriter::new(array, loops, scope);
    writer.elements(&loops.elements)?;
    let mut text = comment(region, loops);
    let _ = writeln!(
        text,
        "static void dvm__{}_flow_{at}(void *{}, const dvm__int64 *dvm__f, const dvm__int64 *dvm__f_end, const dvm__int64 *dvm__t,\n    \
         const dvm__int64 *dvm__t_end, void (*dvm__visit)(void *, int, dvm__int64, dvm__int64), void *dvm__visitor)\n{{",
        region.name, shared.argument
    );
    let _ = writeln!(text, "  const struct {} *{} = {};", shared.context, shared.own, shared.argument);
    let _ = writeln!(
        text,
        "  (void){}, (void)dvm__f, (void)dvm__f_end, (void)dvm__t, (void)dvm__t_end, (void)dvm__visit, (void)dvm__visitor;",
        shared.own
    );
    text.push_str(&far_apart(loops));
    text.push_str(&shared.locals(&writer.scope, &mentions));
    if with_lengths(region).any(|with| with.name == array.name) {
        for length in lengths(array).iter().filter(|length| !is_digits(length)) {
            let _ = writeln!(text, "  const dvm__int64 {length} = {}->{length};", shared.own);
        }
    }
    for (end, corners) in ends.iter().zip(CORNERS) {
        for (names, corner) in [&end.first, &end.end].into_iter().zip(corners) {
            for (k, name) in names.iter().enumerate().filter(|(_, name)| writer.scope.has_used(name)) {
                let _ = writeln!(text, "  const dvm__int64 {name} = {corner}[{k}];");
            }
        }
    }
    let _ = writeln!(text, "{}}}\n", writer.lines);
    Ok(text)
}

/// Leaves the function where the boxes are too far apart for the flow.
fn far_apart(loops: &FlowLoops) -> String {
    let shifted = |name: &str, k: usize, by: i64| match by {
        0 => format!("{name}[{k}]"),
        _ => format!("{name}[{k}] {} {}", if by < 0 { '-' } else { '+' }, by.unsigned_abs()),
    };
    // Coordinates are far below the greatest number.
    let small = |distance: &i64| distance.unsigned_abs() < 1 << 31;
    let mut conditions = Vec::new();
    for (k, (least, greatest)) in loops.distances.iter().enumerate() {
        let least = least.filter(small).map(|by| format!("dvm__t_end[{k}] <= {}", shifted("dvm__f", k, by)));
        let greatest = greatest.filter(small).map(|by| format!("dvm__t[{k}] >= {}", shifted("dvm__f_end", k, by)));
        conditions.extend(least.into_iter().chain(greatest));
    }
    if conditions.is_empty() {
        return String::new();
    }
    format!("  if ({})\n    return;\n", conditions.join(" || "))
}

fn comment(region: &Region, loops: &FlowLoops) -> String {
    let name = &region.arrays[loops.array].name;
    let text = match (loops.writer, loops.reader) {
        (Some(from), Some(to)) => format!("phase {from} hands to phase {to}"),
        (Some(from), None) => format!("phase {from} leaves behind"),
        (None, to) => format!("phase {} reads from before the region", to.unwrap_or(0)),
    };
    format!("/* What {text}: elements of `{name}`. */\n")
}
