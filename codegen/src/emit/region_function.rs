//! Prints the whole region: context, phases, the function that runs the phases, and the text that calls this function.

use super::{
    across_functions, body, check_function, entry_conditions, entry_reads,
    expression::CScope,
    generated_names::Mentions,
    overlap_check,
    phase_functions::{PhaseParts, Writer},
    printer::Printer,
    reductions,
    region_context::{Reach, RegionContext},
    row_tables,
    text_mark::TextMark,
};
use crate::planted::planted;
use crate::refusal::Code;
use crate::{
    Refusal,
    c_tokens::{identifiers, is_keyword},
    lowered::{AcrossParts, Ends, HostLoops, OverlapChecks, TileBox, phase_of},
    model::{Region, Statement},
};
use dvm_isl::{AstExprKind, AstNode, AstNodeKind, Operator};
use std::fmt::Write;

/// The helper functions of generated text; a guard keeps them to one copy per file.
const HELPERS: &str = concat!(include_str!("helpers.h"), include_str!("launch_helpers.h"));

/// What replaces a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// C functions for the file scope before the enclosing function.
    pub file_scope: String,
    /// C text that replaces the region; it contains the original loops as the fallback.
    pub call: String,
    /// Why the region does not run on several processes, though the pragma asks for that.
    pub in_own_process: Option<Refusal>,
}

/// A region with what the passes made of it.
pub struct RegionParts<'a> {
    /// Names.
    pub shared: &'a RegionContext<'a>,
    /// By statement and iterator: the original order never goes down.
    pub increasing: &'a [Vec<bool>],
    /// By phase.
    pub phases: &'a [PhaseParts<'a>],
    /// The loops around the phases.
    pub host_loops: &'a HostLoops,
    /// Which arrays to compare first.
    pub overlaps: &'a OverlapChecks,
    /// What it needs to run on several processes, if it may.
    pub across: Option<&'a AcrossParts>,
}

/// Writes a region as C; `original` is its text.
pub fn emit(parts: &RegionParts, original: &str) -> Result<Generated, Refusal> {
    let RegionParts { shared, increasing, phases, host_loops, .. } = *parts;
    let region = shared.region;
    let names: Vec<String> = (0..phases.len()).map(|at| function_name(region, phases, at)).collect();
    let (run, hosts) = run(parts, &names)?;
    let writer = Writer { shared, increasing, hosts, across: parts.across.is_some() };
    let old = if crate::planted::planted("a10-environment") { "#define DVM__RUN_TILE dvm__run\n" } else { "" };
    let spans = row_tables::helpers(parts.overlaps);
    let across_asked = region.options.across || parts.across.is_some();
    let more = if across_asked { across_functions::HELPERS } else { "" };
    let mut file_scope = format!(
        "{old}{HELPERS}
{more}{spans}DVM__QUIET
{}{}",
        shared.structure(),
        records(region, phases)
    );
    for (at, (phase, name)) in phases.iter().zip(&names).enumerate() {
        file_scope.push_str(&writer.phase(phase, at, name)?);
    }
    file_scope.push_str(&overlap_check::function(shared, parts.overlaps)?);
    file_scope.push_str(&check_function::function(shared, parts.overlaps)?);
    if region.reductions.is_empty() {
        file_scope.push_str(&work(shared, host_loops));
    }
    if region.options.offered && parts.across.is_some() {
        file_scope.push_str(&across_functions::offered(shared));
    }
    if let Some(across) = parts.across {
        let tiles: Vec<Option<&TileBox>> = phases.iter().map(|phase| phase.tiles).collect();
        let mut reach = Reach { hosts, band: 0 };
        for tiles in tiles.iter().flatten() {
            reach.band = reach.band.max(writer.reach(tiles)?.band);
        }
        file_scope.push_str(&across_functions::functions(shared, across, &tiles, reach)?);
    }
    file_scope.push_str(&run);
    if across_asked {
        file_scope.push_str(&across_functions::known(shared, parts.across));
    }
    file_scope.push_str(&reductions::functions(shared));
    file_scope.push_str("DVM__LOUD\n");
    Ok(Generated { file_scope, call: call(region, shared, original, across_always(parts)), in_own_process: None })
}

/// Whether all processes come to each entry, also where the original loops are to run.
fn across_always(parts: &RegionParts) -> bool {
    parts.across.is_some() && !parts.shared.region.options.offered
}

/// The C function that runs a phase.
fn function_name(region: &Region, phases: &[PhaseParts], at: usize) -> String {
    let kind = if phases[at].tiles.is_some() { "graph" } else { "sequence" };
    if phases.len() == 1 { format!("dvm__{}_{kind}", region.name) } else { format!("dvm__{}_{kind}_{at}", region.name) }
}

/// The function that runs the phases in sequence, and the greatest distance of its counters' values from 0.
fn run(parts: &RegionParts, names: &[String]) -> Result<(String, i128), Refusal> {
    let RegionParts { shared, host_loops, overlaps, .. } = *parts;
    let mentions = Mentions::of(shared.region, []);
    let mut writer = RunWriter { shared, names, scope: shared.scope(&mentions), lines: String::new(), reach: 0 };
    writer.node(&host_loops.tree, 1)?;
    let told_left = overlap_check::sequential(shared.region, "a subscript leaves its row");
    let left = host_loops.leaves_row.as_ref().map(|condition| writer.scope.text(condition)).transpose()?;
    let leaves = left.as_ref().map_or_else(String::new, |condition| format!("(({condition}) && {told_left}) || "));
    let rows =
        left.as_ref().map_or_else(String::new, |condition| format!("  if ({condition})\n    return {told_left};\n"));
    let body = parts.across.map_or_else(String::new, |across| {
        body_function(shared, &writer, &mentions) + &across_functions::table(shared, across)
    });
    let mut text = format!(
        "{body}/* Runs region `{}`; nonzero: it cannot run here, and nothing was done. */\n",
        shared.region.name
    );
    // The generated text disables warnings. Inlined loops would raise warnings in the program's function.
    let _ = writeln!(
        text,
        "__attribute__((__noinline__)) static int dvm__{}_run(struct {} *{}{})\n{{",
        shared.region.name,
        shared.context,
        shared.own,
        if across_always(parts) { ", int dvm__failing" } else { "" }
    );
    text.push_str(&shared.locals(&writer.scope, &mentions));
    let overlap = overlap_check::needed(shared.region, overlaps)
        .then(|| format!("dvm__{}_overlap({})", shared.region.name, shared.own));
    let check = overlap.as_ref().map_or_else(String::new, |overlap| format!("{overlap} || "));
    let cannot_start = format!("dvm__cannot_start(\"{}\", {})", shared.region.name, shared.region.line);
    let start = format!("{check}{cannot_start}");
    let (name, own, tiles) = (&shared.region.name, &shared.own, &shared.tiles);
    if let Some(across) = parts.across {
        let failing = if across_always(parts) { "dvm__failing || " } else { "" };
        let cannot = format!("{failing}dvm__checks() || {leaves}{start}");
        text.push_str(&across_functions::entry(shared, across, &cannot));
    }
    let mut leave = String::new();
    if shared.region.reductions.is_empty() {
        let work = &shared.work;
        let entry = format!("&{own}->{tiles}.dvm__entry");
        let _ = writeln!(text, "  const dvm__int64 {work} = dvm__{name}_work({own});");
        let _ = writeln!(text, "  if (dvm__unasked(dvm__{name}_records, {work}))\n    return 1;");
        let short = shared.region.statements.iter().all(is_short);
        if short {
            let _ = writeln!(
                text,
                "  if (dvm__waits({work}))\n    return dvm__sequential(\"{name}\", {}, \
                 \"the loops so far take less time than libdvm's start\");",
                shared.region.line
            );
        }
        text.push_str(&rows);
        if short {
            let _ = writeln!(text, "  if ({start})\n    return 1;");
            let _ = writeln!(text, "  if (!dvm__enter(dvm__{name}_records, {work}, {entry}))\n    return 1;");
        } else {
            let alone = format!("dvm__begin_alone(&{own}->{tiles})");
            let enter = format!("dvm__enter(dvm__{name}_records, {work}, {entry})");
            if let Some(overlap) = &overlap {
                let _ = writeln!(text, "  if ({overlap})\n    return 1;");
            }
            let _ = writeln!(text, "  if (!{alone} && ({cannot_start} || !{enter}))\n    return 1;");
            leave = format!("  dvm__end_alone(&{own}->{tiles});\n");
        }
        let _ = writeln!(leave, "  dvm__leave(dvm__{name}_records, {entry});");
    } else {
        // In order the tiles do what the loops do, in the same blocks: the original loops would add up otherwise.
        let mut in_order = leaves;
        // Where a subscript leaves its row, what the tiles touch is not known: nothing that is kept, or copied, can be compared.
        if let Some(condition) = left.filter(|_| !planted("a47-left-rows")) {
            let known = if shared.region.kept.is_empty() { "dvm__checks() && " } else { "" };
            let _ = writeln!(text, "  if ({known}({condition}))\n    return {told_left};");
        }
        if let Some(overlap) = &overlap {
            let _ = writeln!(text, "  const int dvm__shared = {overlap};\n  if (dvm__shared == 2)\n    return 1;");
            in_order.push_str("dvm__shared || ");
        }
        let _ = writeln!(text, "  {own}->{tiles}.dvm__serial = {in_order}{cannot_start};");
    }
    let independent = shared.region.statements.iter().any(|statement| statement.independent.is_some());
    let backwards = if independent { format!("    {own}->{tiles}.dvm__serial = 2;\n") } else { String::new() };
    let _ = writeln!(
        text,
        "  struct dvm__written *dvm__copies = 0;\n  if (dvm__checks())\n    dvm__copies = dvm__{name}_written({own});\n  \
         if (dvm__copies) {{\n{backwards}    {own}->{tiles}.dvm__copies = dvm__copies;\n  }}"
    );
    let _ = writeln!(text, "{}{leave}  return dvm__copies ? dvm__swapped(dvm__copies) : 0;\n}}\n", writer.lines);
    Ok((text, writer.reach))
}

/// The function that runs the phases for a call on several processes.
fn body_function(shared: &RegionContext, writer: &RunWriter, mentions: &Mentions) -> String {
    let (own, tiles) = (&shared.own, &shared.tiles);
    format!(
        "/* Gives the phases of region `{0}` to a call on several processes. */\nstatic int dvm__{0}_body(void *{1}, void *dvm__across)\n{{\n  \
         struct {2} *{own} = {1};\n{3}  {own}->{tiles}.dvm__across = dvm__across;\n  {own}->{tiles}.dvm__take = dvm__take_tiles;\n  {own}->{tiles}.dvm__failed = 0;\n{4}  \
         {own}->{tiles}.dvm__across = 0;\n  return {own}->{tiles}.dvm__failed;\n}}\n\n",
        shared.region.name,
        shared.argument,
        shared.context,
        shared.locals(&writer.scope, mentions),
        writer.lines
    )
}

/// Whether the time of an instance follows from its text: it has no loops, and calls nothing. Arithmetic calls nothing,
/// whatever macros its text names.
fn is_short(statement: &Statement) -> bool {
    if statement.arithmetic.is_some() {
        return true;
    }
    let text = &statement.text;
    let repeats = |word: &String| matches!(word.as_str(), "for" | "while" | "do" | "goto");
    let calls = |word: &String| {
        let called = |(at, _): (usize, &str)| text[at + word.len()..].trim_start().starts_with('(');
        !is_keyword(word) && text.match_indices(word.as_str()).any(called)
    };
    !identifiers(text).iter().any(|word| repeats(word) || calls(word))
}

/// What libdvm keeps of the region and its phases.
fn records(region: &Region, phases: &[PhaseParts]) -> String {
    let (name, line) = (&region.name, region.line);
    let records: String = (0..phases.len()).map(|at| format!(",\n  DVM__RECORD(\"{name}\", {line}, {at})")).collect();
    format!(
        "/* What libdvm learns of region `{name}`, and of each of its phases. */\nstatic struct dvm__record dvm__{name}_records[] = {{\n  DVM__RECORD(\"{name}\", {line}, -1){records}\n}};\n\n"
    )
}

/// The greatest length of the text of a box: a longer one would cost more than it tells.
const MOST_TEXT: usize = 400;

/// The function that tells how much a region has to do: the sum of the boxes' volumes.
fn work(shared: &RegionContext, host_loops: &HostLoops) -> String {
    let mentions = Mentions::of(shared.region, []);
    let volume = |scope: &CScope, ends: &Vec<Ends>| -> Result<String, Refusal> {
        ends.iter().try_fold("1".to_owned(), |product, Ends { least, greatest }| {
            let values = format!("dvm__values({}, {})", scope.text(least)?, scope.text(greatest)?);
            Ok(if product == "1" { values } else { format!("dvm__product({product}, {values})") })
        })
    };
    // Counters of isl's own cannot stand there, and numbers beyond 64 bits are no reason to refuse a region.
    let tried = shared.scope(&mentions);
    let is_said = |ends: &&Vec<Ends>| volume(&tried, ends).is_ok_and(|volume| volume.len() <= MOST_TEXT);
    // The names of what is left out are not declared.
    let scope = shared.scope(&mentions);
    let volumes = host_loops.work.iter().filter(is_said).filter_map(|ends| volume(&scope, ends).ok());
    let sum = volumes.reduce(|sum, volume| format!("dvm__sum({sum},\n      {volume})"));
    let name = &shared.region.name;
    let mut text = format!("/* About the number of iterations of region `{name}`. */\n");
    let _ = writeln!(text, "static dvm__int64 dvm__{name}_work(const struct {} *{})\n{{", shared.context, shared.own);
    let locals = shared.locals(&scope, &mentions);
    if locals.is_empty() {
        let _ = writeln!(text, "  (void){};", shared.own);
    }
    let _ = writeln!(text, "{locals}  return {};\n}}\n", sum.unwrap_or_else(|| "1".to_owned()));
    text
}

/// Writes the host loops.
struct RunWriter<'a> {
    shared: &'a RegionContext<'a>,
    names: &'a [String],
    scope: CScope,
    lines: String,
    reach: i128,
}

impl Printer for RunWriter<'_> {
    fn scope(&self) -> &CScope {
        &self.scope
    }

    fn lines(&mut self) -> &mut String {
        &mut self.lines
    }

    fn node(&mut self, node: &AstNode, indent: usize) -> Result<(), Refusal> {
        match node.kind()? {
            AstNodeKind::Block(children) => self.block(&children, indent),
            AstNodeKind::If { cond, then, otherwise } => self.branch(&cond, &then, otherwise.as_ref(), indent),
            AstNodeKind::For { iterator, init, cond, inc, body, .. } => {
                body::check_counter(&iterator)?;
                self.scope.own_counter(&iterator, &init, &cond)?;
                let (init, cond) = (self.scope.text(&init)?, self.scope.text(&cond)?);
                let inc = self.scope.text(&inc)?;
                // C90 knows no declaration in a loop's header.
                let (before, declared, after) = if self.shared.region.c90 {
                    (format!("{{ dvm__int64 {iterator}; "), "", "} }")
                } else {
                    (String::new(), "dvm__int64 ", "}")
                };
                let header = format!("for ({declared}{iterator} = {init}; {cond}; {iterator} += {inc}) {{");
                self.line(indent, &format!("{before}{header}"));
                self.node(&body, indent + 1)?;
                self.line(indent, after);
                Ok(())
            }
            AstNodeKind::User(call) => {
                let AstExprKind::Op(Operator::Call, operands) = call.kind()? else { return Err(unexpected()) };
                let AstExprKind::Id(name) = operands[0].kind()? else { return Err(unexpected()) };
                let at = phase_of(&name).ok_or_else(unexpected)?;
                for (host, value) in self.shared.symbols.hosts.iter().zip(&operands[1..]) {
                    self.reach = self.reach.max(self.scope.bound(value)?);
                    let value = self.scope.text(value)?;
                    self.line(indent, &format!("{}->{host} = {value};", self.shared.own));
                }
                self.line(indent, &format!("{}({});", self.names[at], self.shared.own));
                Ok(())
            }
        }
    }
}

fn unexpected() -> Refusal {
    Refusal::new(Code::Defect, "isl made a call of an unexpected form", "report this region as a defect")
}

/// The inside of a C string.
fn c_string(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '"' | '\\') || c.is_control() { '?' } else { c }).collect()
}

/// The text in place of the region.
fn call(region: &Region, shared: &RegionContext, original: &str, across: bool) -> String {
    let name = &region.name;
    let variable = format!("{}_self", shared.context);
    let failing = entry_conditions::failing(region);
    let (failing, argument) =
        if across { (String::new(), format!(",\n      {failing}0")) } else { (failing, String::new()) };
    if !region.entry.is_empty() {
        return call_after_reads(region, shared, original);
    }
    format!(
        "{{\n  DVM__QUIET\n  struct {} {variable} = {};\n  DVM__LOUD\n  if ({failing}dvm__{name}_run(&{variable}{argument}) != 0) {{\n{}\n{}\n{}\n    dvm__leave(dvm__{name}_records, &{variable}.{}.dvm__entry);\n  }}{}\n  if ({variable}.{}.dvm__copies)\n    dvm__compare(\"{name}\", \"{}\", {}, {variable}.{}.dvm__copies);\n}}\n",
        shared.context,
        shared.initialiser(),
        TextMark::Original,
        original.trim_end(),
        TextMark::End,
        shared.tiles,
        reductions::assignments(region, &variable),
        shared.tiles,
        c_string(&region.file),
        region.line,
        shared.tiles,
    )
}

/// The text in place of a region that reads values at its entry.
fn call_after_reads(region: &Region, shared: &RegionContext, original: &str) -> String {
    let name = &region.name;
    let variable = format!("{}_self", shared.context);
    let failing = entry_conditions::failing(region);
    format!(
        "{{\n  DVM__QUIET\n{}  struct dvm__written *dvm__checked = 0;\n  struct dvm__entry dvm__timed = {{0}};\n  DVM__LOUD\n  if ({entered}) {{\n    \
         DVM__QUIET\n    struct {} {variable} = {};\n    DVM__LOUD\n    \
         if ({failing}dvm__{name}_run(&{variable}) != 0) {{\n      {entered} = 0;\n    }}{}\n    \
         dvm__checked = {variable}.{tiles}.dvm__copies;\n    dvm__timed = {variable}.{tiles}.dvm__entry;\n  }}\n  \
         if (!{entered}) {{\n{}\n{}\n{}\n    dvm__leave(dvm__{name}_records, &dvm__timed);\n  }}\n  \
         if (dvm__checked)\n    dvm__compare(\"{name}\", \"{}\", {}, dvm__checked);\n}}\n",
        entry_reads::declarations(region),
        shared.context,
        shared.initialiser(),
        reductions::assignments(region, &variable),
        TextMark::Original,
        original.trim_end(),
        TextMark::End,
        c_string(&region.file),
        region.line,
        entered = entry_reads::ENTERED,
        tiles = shared.tiles,
    )
}
