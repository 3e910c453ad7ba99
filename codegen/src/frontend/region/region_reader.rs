//! Builds the model of one region from its pragma and its statements in the syntax tree.

use super::process_ties;
use super::start_values::FinalScalars;
use super::statement;
use crate::Refusal;
use crate::frontend::clang::ast::{Node, Unit};
use crate::frontend::clang::extent;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::effects::control_flow;
use crate::frontend::effects::statement_effects::unknown;
use crate::frontend::relocation::collision;
use crate::frontend::relocation::made_tokens;
use crate::frontend::relocation::surroundings;
use crate::frontend::survey::continues;
use crate::frontend::survey::hoisted_loads::HoistedLoads;
use crate::frontend::survey::jumps::{self, ForwardJumps};
use crate::frontend::survey::linear_accesses::Linearised;
use crate::frontend::survey::reaching_definitions::ReachingDefinitions;
use crate::frontend::survey::region_builder::{Callees, ParameterOfShape, RegionBuilder};
use crate::frontend::survey::scalar_homes::{self, ScalarHome};
use crate::frontend::survey::variables::RegionVariables;
use crate::frontend::text::pragma::{self, Site};
use crate::frontend::text::preprocess::Seen;
use crate::frontend::values::surrounding_loops;
use crate::frontend::values::symbols;
use crate::limits;
use crate::model::Region;
use crate::refusal::Code;
use crate::source::{Directive, Source};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A region with its model.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Found {
    /// Its model.
    pub region: Region,
    /// Offset of its first token.
    pub begin: usize,
    /// Offset after its last token.
    pub end: usize,
    /// Offset of the enclosing function's first token (with `static` and attributes).
    pub function_begin: usize,
    /// Offset at which functions can be inserted before the enclosing one and its comments.
    pub insert: usize,
    /// Byte range of the pragma.
    pub pragma: (usize, usize),
    /// Byte ranges of hints for the compiler about the region's loop: they are not about what replaces it.
    pub hints: Vec<(usize, usize)>,
    /// Byte range of `#pragma endscop`.
    pub endscop: Option<(usize, usize)>,
    /// C texts that give scalars their final values; usually empty.
    pub final_scalars: FinalScalars,
    /// C text that sets counters to their final values after the tiles; usually empty.
    pub final_counters: String,
    /// Remarks other than refusals: (offset, text).
    pub notes: Vec<(usize, String)>,
    /// Some subscript or bound depends on data: the model has all elements that it may mean.
    pub depends_on_data: bool,
}

/// Analyses one region, whose pragma the compiler sees as `seen`.
pub fn analyse(
    unit: &Unit,
    source: &Source,
    site: &Site,
    seen: &Seen,
    taken: &mut BTreeSet<String>,
) -> Result<Found, Refusal> {
    let structured = structured(unit, site);
    let (found, names) = analyse_somehow(structured.as_ref().unwrap_or(unit), source, site, seen, taken)?;
    *taken = names;
    Ok(found)
}

/// Analyses a region as it stands, or with values that it reads at its entry; also gives the names taken then.
fn analyse_somehow(
    unit: &Unit,
    source: &Source,
    site: &Site,
    seen: &Seen,
    taken: &BTreeSet<String>,
) -> Result<(Found, BTreeSet<String>), Refusal> {
    let read = |unit: &Unit, hoisted: &HoistedLoads| {
        let mut names = taken.clone();
        let (found, homes) = analyse_with(unit, hoisted, source, site, seen, &mut names)?;
        // With elements in the places of scalars more loops may be tiled.
        if let Some((unit, hoisted)) = scalar_homes::rewritten(unit, hoisted, site.pragma.begin, &homes) {
            let mut names = taken.clone();
            if let Ok((found, _)) = analyse_with(&unit, &hoisted, source, site, seen, &mut names) {
                return Ok((found, names));
            }
        }
        Ok((found, names))
    };
    let as_it_stands = || read(unit, &HoistedLoads::default());
    let Some((rewritten, hoisted)) = hoisted(unit, source, site) else { return as_it_stands() };
    let plain = if hoisted.necessary { None } else { as_it_stands().ok() };
    match plain {
        // What seems to depend on data may be a value that never changes.
        Some((found, names)) if !found.depends_on_data => Ok((found, names)),
        Some(plain) => read(&rewritten, &hoisted).or(Ok(plain)),
        None => read(&rewritten, &hoisted).or_else(|refused: Refusal| {
            let plain = if hoisted.necessary { as_it_stands().ok() } else { None };
            plain.ok_or_else(|| readable(&hoisted, refused))
        }),
    }
}

/// The tree in which the region's loops have `else` for `continue`, if they have any.
fn structured(unit: &Unit, site: &Site) -> Option<Unit> {
    let function = unit.function_at(site.pragma.begin)?;
    let nodes = statements(function.body()?, site);
    check_size(&nodes).ok()?;
    continues::rewritten(unit, function, &nodes)
}

/// The tree in which the region reads values at its entry, if it does.
fn hoisted(unit: &Unit, source: &Source, site: &Site) -> Option<(Unit, HoistedLoads)> {
    let function = unit.function_at(site.pragma.begin)?;
    let nodes = statements(function.body()?, site);
    check_size(&nodes).ok()?;
    HoistedLoads::of(unit, source, function, &nodes)
}

/// A refusal in the user's words.
fn readable(hoisted: &HoistedLoads, refused: Refusal) -> Refusal {
    let others = refused.others.into_iter().map(|other| readable(hoisted, other)).collect();
    Refusal { reason: hoisted.readable(&refused.reason), remedy: hoisted.readable(&refused.remedy), others, ..refused }
}

/// Analyses a region that reads some values at its entry; also gives the elements that may stand for scalars.
fn analyse_with(
    unit: &Unit,
    hoisted: &HoistedLoads,
    source: &Source,
    site: &Site,
    seen: &Seen,
    taken: &mut BTreeSet<String>,
) -> Result<(Found, Vec<ScalarHome>), Refusal> {
    let at_pragma = |reason: &str, remedy: &str| {
        Refusal::span(Code::MisplacedPragma, site.pragma.begin, site.pragma.end, reason, remedy)
    };
    let outside = || at_pragma("the pragma is not inside a function", "put it before a loop or block of a function");
    let function = unit.function_at(site.pragma.begin).ok_or_else(outside)?;
    let body = function.body().ok_or_else(outside)?;
    let nodes = statements(body, site);
    let (first, last) = nodes.first().zip(nodes.last()).ok_or_else(|| nothing_marked(source, site))?;
    if site.end.is_none() && !matches!(first.kind, SyntaxKind::ForStmt | SyntaxKind::CompoundStmt) {
        return Err(Refusal::at(
            Code::MisplacedPragma,
            first,
            "the pragma stands before something else than a loop or block",
            "put it before a `for` loop or a `{` block",
        ));
    }
    let (begin, end) = (first.begin.offset, extent::statement_end(source, last));
    if let Some(directive) = site.end.as_ref().filter(|d| d.begin < end) {
        return Err(Refusal::span(
            Code::UnpairedScop,
            directive.begin,
            directive.end,
            "`#pragma endscop` stands inside a statement that begins before it",
            "put it after the last loop of the region, in the block that has `#pragma scop`",
        ));
    }
    check_size(&nodes)?;
    check_directives(source, site, begin, end, seen)?;
    check_before(source, function.begin.offset, &site.pragma, seen)?;
    check_vouched(unit, site)?;
    check_head(source, function, body)?;
    made_tokens::check_text(source, begin, end, &seen.macros)?;
    let roots: Vec<&Node> = match nodes.as_slice() {
        [block] if block.is(&SyntaxKind::CompoundStmt) => block.inner.iter().collect(),
        _ => nodes.clone(),
    };
    check_escapes(body, &nodes, end)?;
    check_whole(body, &nodes, begin, end)?;
    check_around(body, first)?;
    let insert = insertion(unit, source, function.begin.offset);
    surroundings::check(unit, source, seen, function, (insert, end))?;
    check_names(&roots, hoisted, source, begin, end)?;
    let graph = control_flow::ControlFlowGraph::of_function(body, last);
    let jumps = ForwardJumps::of(body);
    let mut variables = RegionVariables::new(unit, function, roots.clone())?;
    let named = surroundings::named(source, seen, function);
    variables.passed.retain(|id, _| !named.contains(id));
    variables.addressed.extend(named);
    variables.addressed.extend(&hoisted.uses.addressed);
    variables.changed.extend(&hoisted.uses.changed);
    let counters = variables.counters.keys().filter_map(|id| unit.declaration(*id));
    let counters: Vec<&str> = counters.map(|d| d.name.as_str()).collect();
    let read = |linearised, of_shapes: Vec<ParameterOfShape>, looks_for_closed| -> Result<RegionBuilder, Refusal> {
        let mut symbols = symbols::Symbols::of_counters(counters.iter().copied());
        let mut ground = surrounding_loops::Ground::default();
        let mut parameters = vec![];
        // The shapes name these: they keep their symbols.
        for ParameterOfShape { known, range } in of_shapes {
            symbols.fresh(&known.parameter.symbol);
            ground.ranges.extend(range.map(|range| (known.parameter.symbol.clone(), range)));
            parameters.push(known);
        }
        let mut builder = RegionBuilder {
            unit,
            source,
            function,
            macros: &seen.macros,
            preprocessed: &seen.whole.text,
            pure: site.options.pure.clone(),
            independent: site.options.independent.clone(),
            reductions: vec![],
            independent_met: HashSet::new(),
            symbols,
            variables: variables.clone(),
            parameters,
            unknown_subscript: None,
            unknown_loops: HashMap::new(),
            values: vec![],
            arrays: vec![],
            statements: vec![],
            ground,
            entry_reads: vec![],
            entry_objects: vec![],
            groups: HashMap::new(),
            definitions: ReachingDefinitions::default(),
            jumps: jumps.clone(),
            forwarded: HashMap::new(),
            closed: HashSet::new(),
            looks_for_closed,
            definitions_open: 0,
            private: HashSet::new(),
            homes: vec![],
            rows: vec![],
            conditions: vec![],
            hoisted,
            kept: vec![],
            linearised,
            sums: HashMap::new(),
            allows_products: false,
            obstacles: vec![],
            callees: Callees::default(),
            mentioned: vec![],
        };
        builder.find_reductions(&site.options.reductions, &roots, &graph, &site.pragma)?;
        if site.options.reassociate {
            builder.reassociate(&roots, &site.pragma)?;
        }
        builder.find_private(&site.options.private, &roots, &graph, &site.pragma)?;
        builder.find_scratch(&roots)?;
        builder.follow_definitions(&roots, &graph);
        builder.group(&roots, &graph)?;
        let leaving = |root: &&'_ Node| jumps::open_break(root).or_else(|| jumps::open_continue(root)).map(unknown);
        builder.obstacles.extend(roots.iter().filter_map(leaving));
        builder.block(0, &roots, &surrounding_loops::Scope::default());
        Refusal::all(std::mem::take(&mut builder.obstacles)).map_or(Ok(builder), Err)
    };
    let read_twice = |looks_for_closed| -> Result<(RegionBuilder, FinalScalars), Refusal> {
        let mut builder = read(Linearised::default(), vec![], looks_for_closed)?;
        let shapes = builder.recovered_shapes()?;
        if !shapes.shapes.is_empty() {
            let parameters = builder.parameters_of_shapes(&shapes);
            // Rows of constant length are a guess that the region can do without.
            let fewer = shapes.without_constant_rows().map(|fewer| (fewer, builder.parameters_of_shapes(&shapes)));
            builder = read(shapes, parameters, looks_for_closed).or_else(|refused| match fewer {
                Some((fewer, parameters)) => read(fewer, parameters, looks_for_closed),
                None => Err(refused),
            })?;
        }
        let final_scalars = builder.final_scalars(&graph)?;
        Ok((builder, final_scalars))
    };
    // Scalars that have no closed form may be copied, or stand in memory.
    let (mut builder, final_scalars) = read_twice(true).or_else(|_| read_twice(false))?;
    builder.doubt_restrict();
    if builder.statements.is_empty() {
        return Err(at_pragma("the region has no statements", "remove the pragma"));
    }
    builder.check_independent(&site.pragma)?;
    check_kept(&builder, site)?;
    builder.check_hidden()?;
    builder.check_attributes()?;
    builder.pass_named()?;
    builder.check_room()?;
    builder.check_aliases(source)?;
    let final_counters = builder.final_counters(&roots, &graph)?;
    let mut region = model(&builder, source, site, function, taken);
    region.c90 = is_c90(seen);
    let notes = notes(&region, site).into_iter().map(|(at, text)| (at, hoisted.readable(&text))).collect();
    let function_begin = function.begin.offset;
    let pragma = (site.pragma.begin, site.pragma.end);
    let endscop = site.end.as_ref().map(|d| (d.begin, d.end));
    collision::check(&region, unit, seen, source, (function_begin, &site.pragma))?;
    let hints = hints(source, site, function_begin, seen);
    let depends_on_data = builder.unknown_subscript.is_some() || !builder.unknown_loops.is_empty();
    let homes = builder.proven_homes();
    let found = Found {
        region,
        begin,
        end,
        function_begin,
        insert,
        pragma,
        hints,
        endscop,
        final_scalars,
        final_counters,
        notes,
        depends_on_data,
    };
    Ok((found, homes))
}

/// Whether the file is compiled as a C before C99.
fn is_c90(seen: &Seen) -> bool {
    let version = seen.macros.get("__STDC_VERSION__").map(|v| v.trim().trim_end_matches('L').parse::<u32>());
    !matches!(version, Some(Ok(199_901..)))
}

/// Limits the number and nesting of a region's statements and expressions, which bounds all later work.
fn check_size(nodes: &[&Node]) -> Result<(), Refusal> {
    let (mut count, mut open) = (0, nodes.iter().rev().map(|node| (*node, 1)).collect::<Vec<_>>());
    while let Some((node, depth)) = open.pop() {
        count += 1;
        let reason = if count > limits::NODES {
            format!("the region has more than {} statements, operators and operands", limits::NODES)
        } else if depth > limits::DEPTH {
            format!("statements or operators stand in more than {} others", limits::DEPTH)
        } else {
            open.extend(node.inner.iter().rev().map(|inner| (inner, depth + 1)));
            continue;
        };
        return Err(Refusal::at(
            Code::TooLarge,
            nodes[0],
            reason,
            "mark each nest with a pragma of its own; of a single nest, mark an inner loop instead",
        ));
    }
    Ok(())
}

/// Refuses names that the generated text could not use as the region does.
fn check_names(
    roots: &[&Node],
    hoisted: &HoistedLoads,
    source: &Source,
    begin: usize,
    end: usize,
) -> Result<(), Refusal> {
    let ours = |name: &str| name.starts_with("dvm__") || name.starts_with("DVM__");
    for node in roots.iter().flat_map(|root| root.walk()) {
        let name = node.reference.as_ref().map_or(&node.name, |reference| &reference.name);
        if ours(name) && !hoisted.loads.iter().any(|(_, load)| load.name == *name) {
            let reason = format!("`{name}` has a name of the kind that generated code gives");
            return Err(Refusal::at(
                Code::GeneratedName,
                node,
                reason,
                "give it a name that does not begin with `dvm__`",
            ));
        }
    }
    if crate::c_tokens::has_universal(&source.text(begin, end)) {
        let reason = "a name is written with `\\u` or `\\U`";
        return Err(Refusal::span(Code::Spelling, begin, begin, reason, "write the letter itself, or another name"));
    }
    Ok(())
}

/// The refusal of a visible pragma that marks no statement.
fn nothing_marked(source: &Source, site: &Site) -> Refusal {
    let next = source.directives(site.begin, site.begin + 1).into_iter().next().filter(|d| d.begin == site.begin);
    let (reason, remedy) = match (&site.end, next) {
        (Some(_), _) => (
            "there is no statement between `#pragma scop` and `#pragma endscop`",
            "put both into the block that has the loops, around them, or remove them",
        ),
        (None, Some(next)) if next.name() == "pragma" => {
            ("the pragma stands before another pragma", "put it directly before the loop or block")
        }
        (None, Some(_)) => {
            ("the pragma stands before a line for the preprocessor", "put it directly before the loop or block")
        }
        (None, None) => (
            "the pragma does not stand before a statement",
            "put it directly before a `for` loop or a `{` block, or remove it",
        ),
    };
    Refusal::span(Code::MisplacedPragma, site.pragma.begin, site.pragma.end, reason, remedy)
}

/// An offset at file scope before a function and its comments: after the preceding declaration or directive.
fn insertion(unit: &Unit, source: &Source, function_begin: usize) -> usize {
    let mut at = 0;
    for node in unit.root.inner.iter().filter(|n| n.end.known && n.begin.offset < function_begin) {
        let end = extent::token_end(source, node);
        let defined = node.body().is_some();
        let mut semicolon = end;
        while !defined && semicolon < function_begin && source.byte(semicolon) != b';' {
            semicolon = source.skip_blank(source.skip_token(semicolon));
        }
        let end = if !defined && semicolon < function_begin { semicolon + 1 } else { end };
        if end <= function_begin {
            at = at.max(end);
        }
    }
    for directive in source.directives(at, function_begin) {
        at = at.max(directive.end);
    }
    let line_end = source.bytes[at..].iter().position(|b| *b == b'\n').map_or(source.bytes.len(), |k| at + k + 1);
    let rest_blank = source.bytes[at..line_end].iter().all(u8::is_ascii_whitespace);
    if at > 0 && rest_blank && line_end <= function_begin { line_end } else { at }
}

fn model(
    builder: &RegionBuilder,
    source: &Source,
    site: &Site,
    function: &Node,
    taken: &mut BTreeSet<String>,
) -> Region {
    let base = site.options.name.clone();
    let mut name = base.clone().unwrap_or_else(|| format!("{}_1", function.name));
    let mut ordinal = 1;
    let all = || builder.unit.root.inner.iter().filter(|n| n.kind.is_declaration());
    // The names generated for the region begin with dvm__NAME_.
    let ours = |n: &Node, name: &str| {
        n.name.strip_prefix("dvm__").and_then(|n| n.strip_prefix(name)).is_some_and(|rest| rest.starts_with('_'))
    };
    let used = |name: &str| all().any(|n| ours(n, name));
    while used(&name) || !taken.insert(name.clone()) {
        ordinal += 1;
        name = format!("{}_{ordinal}", base.as_ref().unwrap_or(&function.name));
    }
    let statements = builder.statements_of_model();
    let (options, conditions) = (site.options.model.clone(), builder.conditions_of_model());
    let integers: HashSet<u64> = builder.parameters.iter().map(|p| p.variable).collect();
    let (line, file) = source.presumed(site.pragma.begin);
    Region {
        name,
        file,
        line,
        function: function.name.clone(),
        c90: false,
        options,
        conditions,
        entry: builder.hoisted.entry(),
        kept: builder.kept.clone(),
        entry_arrays: builder.entry_arrays(),
        ties: if site.options.model.across || site.options.model.offered {
            process_ties::ties(builder)
        } else {
            Vec::new()
        },
        parameters: builder.parameters.iter().map(|p| p.parameter.clone()).collect(),
        context: builder.context(),
        values: builder.values.iter().filter(|(id, _)| !integers.contains(id)).map(|(_, v)| v.clone()).collect(),
        arrays: builder.arrays.iter().map(|a| a.array.clone()).collect(),
        reductions: builder.reductions.iter().map(|(_, r)| r.clone()).collect(),
        rows: builder.rows_of_model(&builder.space()),
        statements,
    }
}

/// Refuses `keep` of what is no array of the region.
fn check_kept(builder: &RegionBuilder, site: &Site) -> Result<(), Refusal> {
    let is_array = |name: &String| builder.arrays.iter().any(|a| &a.array.name == name && !a.array.dims.is_empty());
    let Some(name) = site.options.model.keep.iter().find(|name| !is_array(name)) else { return Ok(()) };
    let (begin, end) = (site.pragma.begin, site.pragma.end);
    let reason = format!("`keep({name})`: the region has no array `{name}`");
    Err(Refusal::span(Code::WrongClause, begin, end, reason, "name arrays that the region reads or writes"))
}

/// The statements that a pragma marks.
fn statements<'a>(body: &'a Node, site: &Site) -> Vec<&'a Node> {
    match &site.end {
        None => body
            .walk()
            .find(|n| n.begin.known && n.begin.offset == site.begin && !n.kind.is_declaration())
            .into_iter()
            .collect(),
        Some(end) => {
            let holder = body
                .walk()
                .filter(|n| n.is(&SyntaxKind::CompoundStmt))
                .filter(|n| n.begin.offset < site.begin && site.begin < n.end.offset)
                .last();
            let inside = |n: &&Node| site.begin <= n.begin.offset && n.begin.offset < end.begin;
            holder.map(|h| h.inner.iter().filter(inside).collect()).unwrap_or_default()
        }
    }
}

/// Refuses a macro at the region's end that also contains statements after the region: they would vanish with it.
fn check_whole(body: &Node, nodes: &[&Node], begin: usize, end: usize) -> Result<(), Refusal> {
    let own: HashSet<*const Node> = nodes.iter().flat_map(|n| n.walk()).map(std::ptr::from_ref).collect();
    let strange = body.walk().find(|n| {
        let at = n.begin.offset;
        n.begin.known && begin <= at && at < end && !own.contains(&std::ptr::from_ref(*n))
    });
    strange.map_or(Ok(()), |node| {
        let reason = "a macro holds statements of the region and others";
        Err(Refusal::at(
            Code::MacroStatements,
            node,
            reason,
            "write the loops and statements out, macros only inside expressions",
        ))
    })
}

/// Nodes that may enclose a region: they run its statements in a known order.
const AROUND: [SyntaxKind; 9] = [
    SyntaxKind::CompoundStmt,
    SyntaxKind::IfStmt,
    SyntaxKind::ForStmt,
    SyntaxKind::WhileStmt,
    SyntaxKind::DoStmt,
    SyntaxKind::SwitchStmt,
    SyntaxKind::CaseStmt,
    SyntaxKind::DefaultStmt,
    SyntaxKind::LabelStmt,
];

/// Refuses a region that is not a statement among ordinary statements.
fn check_around(body: &Node, first: &Node) -> Result<(), Refusal> {
    let mut node = body;
    while !std::ptr::eq(node, first) {
        let holds = |n: &&Node| n.walk().any(|inner| std::ptr::eq(inner, first));
        let next = node.inner.iter().filter(|n| !n.kind.is_absent()).find(holds);
        let Some(next) = next.filter(|_| AROUND.contains(&node.kind)) else {
            let reason = format!("the region stands inside an expression or a construct like one ({})", node.kind);
            return Err(Refusal::at(
                Code::MisplacedPragma,
                first,
                reason,
                "put the region among the ordinary statements of a function",
            ));
        };
        node = next;
    }
    Ok(())
}

/// Refuses declarations between `scop` and `endscop` that are used later: they would vanish into a block.
fn check_escapes(body: &Node, nodes: &[&Node], end: usize) -> Result<(), Refusal> {
    for variable in nodes.iter().filter(|n| n.is(&SyntaxKind::DeclStmt)).flat_map(|n| &n.inner) {
        let later = |n: &&Node| n.begin.offset >= end && n.reference.as_ref().is_some_and(|r| r.id == variable.id);
        if body.walk().any(|n| later(&n)) {
            let reason = format!("`{}` is declared in the region and used after it", variable.name);
            return Err(Refusal::at(Code::LocalObject, variable, reason, "declare it before the region"));
        }
    }
    Ok(())
}

/// Pragmas that do not apply to a statement, and so may precede a region.
const DETACHED: [&str; 8] =
    ["GCC diagnostic", "clang diagnostic", "GCC poison", "STDC", "message", "pack", "weak", "redefine_extname"];

/// Refuses a pragma directly before the region's: it would apply to the code that replaces the loop.
fn check_before(source: &Source, begin: usize, pragma: &Directive, seen: &Seen) -> Result<(), Refusal> {
    let mut next = pragma.begin;
    for before in source.directives(begin, pragma.begin).into_iter().rev() {
        if source.skip_blank(before.end) != next {
            return Ok(());
        }
        next = before.begin;
        if before.name() != "pragma" || !seen.has_pragma(source, &before) {
            continue;
        }
        if pragma::is_openmp(&before) {
            seen.check_openmp(&before)?;
            continue;
        }
        let words = before.rest().split_whitespace().collect::<Vec<_>>().join(" ");
        if pragma::is_hint(&before) {
            continue;
        }
        if DETACHED.iter().any(|detached| words.starts_with(detached)) || pragma::ends_scop(&before) {
            continue;
        }
        return Err(Refusal::span(
            Code::OtherPragma,
            before.begin,
            before.end,
            "another pragma stands before the region's and is about the same loop",
            "keep one of the two pragmas",
        ));
    }
    Ok(())
}

/// The visible hints for the compiler directly before the region's pragma, and after it.
fn hints(source: &Source, site: &Site, begin: usize, seen: &Seen) -> Vec<(usize, usize)> {
    let mut all: Vec<(usize, usize)> = Vec::new();
    let mut next = site.pragma.begin;
    for before in source.directives(begin, site.pragma.begin).into_iter().rev() {
        if source.skip_blank(before.end) != next {
            break;
        }
        next = before.begin;
        if pragma::is_hint(&before) && seen.has_pragma(source, &before) {
            all.push((before.begin, before.end));
        }
    }
    let after = source.directives(site.pragma.end, site.begin).into_iter();
    all.extend(after.filter(|d| pragma::is_hint(d) && seen.has_pragma(source, d)).map(|d| (d.begin, d.end)));
    all
}

impl Seen {
    /// Whether the compiler sees a pragma of the compiled file.
    fn has_pragma(&self, source: &Source, directive: &Directive) -> bool {
        let lines = source.position(directive.begin).0..=source.position(directive.end).0;
        self.pragmas.iter().any(|line| lines.contains(line))
    }

    /// Refuses an OpenMP pragma inside a region, unless the compiler ignores it because OpenMP is off.
    fn check_openmp_inside(&self, directive: &Directive) -> Result<(), Refusal> {
        if !self.macros.contains_key("_OPENMP") {
            return Ok(());
        }
        Err(Refusal::span(
            Code::OpenMp,
            directive.begin,
            directive.end,
            "OpenMP is on (-fopenmp), and the region carries OpenMP",
            "compile the file without -fopenmp, or put the pragma between `#ifndef DVM_REGIONS` and `#endif`, and define that macro",
        ))
    }

    /// Refuses OpenMP pragmas, unless the compiler ignores them because OpenMP is off.
    fn check_openmp(&self, directive: &Directive) -> Result<(), Refusal> {
        if !self.macros.contains_key("_OPENMP") {
            return Ok(());
        }
        Err(Refusal::span(
            Code::OpenMp,
            directive.begin,
            directive.end,
            "OpenMP is on (-fopenmp), and its pragma is about the same loop",
            "compile the file without -fopenmp, or keep one of the two with `#ifdef`, `#else` and `#endif`",
        ))
    }
}

/// Refuses a type declared in the function's head: it is unknown before the function, where the tiles are. The syntax
/// tree omits types declared among the parameters, but only they put braces there.
fn check_head(source: &Source, function: &Node, body: &Node) -> Result<(), Refusal> {
    let mut at = source.skip_blank(function.begin.offset);
    while at < body.begin.offset && source.byte(at) != b'{' {
        at = source.skip_blank(source.skip_token(at));
    }
    if at >= body.begin.offset {
        return Ok(());
    }
    let reason = "a type is declared in the head of the function";
    Err(Refusal::span(
        Code::LocalName,
        function.begin.offset,
        source.skip_brackets(at),
        reason,
        "declare the type before the function",
    ))
}

/// Checks that the file knows the functions that `pure(f)` names.
fn check_vouched(unit: &Unit, site: &Site) -> Result<(), Refusal> {
    let known = |name: &str| unit.root.walk().any(|n| n.is(&SyntaxKind::FunctionDecl) && n.name == name);
    match site.options.pure.iter().find(|name| !known(name)) {
        None => Ok(()),
        Some(name) => Err(Refusal::span(
            Code::PureClause,
            site.pragma.begin,
            site.pragma.end,
            format!("`pure({name})`: no function of this name is declared in the file"),
            "correct the name, declare the function before the region, or remove it from the pragma",
        )),
    }
}

/// Checks the directives inside a region; between the pragma and the first token only pragmas matter.
fn check_directives(source: &Source, site: &Site, begin: usize, end: usize, seen: &Seen) -> Result<(), Refusal> {
    if let Some(directive) = source.torn(begin, end) {
        return Err(statement::torn(&directive));
    }
    let relevant = |d: &Directive| d.begin >= begin || d.name() == "pragma";
    for directive in source.directives(site.pragma.end, end).into_iter().filter(relevant) {
        if directive.begin < begin && pragma::is_openmp(&directive) {
            if seen.has_pragma(source, &directive) {
                seen.check_openmp(&directive)?;
            }
            continue;
        }
        let (reason, remedy) = match directive.name() {
            "define" | "undef" => ("a macro is defined inside the region", "define macros before the region"),
            "include" => ("a file is included inside the region", "include it before the region"),
            "pragma" => {
                let ours = directive.rest().starts_with("dvm") || directive.rest().starts_with("scop");
                let ours = ours && seen.has_pragma(source, &directive);
                let openmp = pragma::is_openmp(&directive) && seen.has_pragma(source, &directive);
                if openmp {
                    seen.check_openmp_inside(&directive)?;
                }
                if !ours {
                    continue;
                }
                ("a region begins inside another", "keep one pragma, on the outermost loop")
            }
            "" | "if" | "ifdef" | "ifndef" | "elif" | "elifdef" | "elifndef" | "else" | "endif" | "line" | "error"
            | "warning" | "ident" | "sccs" => continue,
            _ => ("this directive is not understood inside a region", "put it before the region"),
        };
        return Err(Refusal::span(Code::Directive, directive.begin, directive.end, reason, remedy));
    }
    Ok(())
}

fn notes(region: &Region, site: &Site) -> Vec<(usize, String)> {
    let written = |symbol: &str| {
        let mut accesses = region.statements.iter().flat_map(|s| &s.accesses);
        accesses.any(|a| a.array == symbol && a.kind != crate::model::AccessKind::Read)
    };
    let mut all = Vec::new();
    if !region.ties.is_empty() {
        let text = format!(
            "where process 0 alone runs main, the region runs there, and no process serves it: {}",
            region.ties.join("; ")
        );
        all.push((site.pragma.begin, text));
    }
    if region.is_independent() {
        return all;
    }
    let mut pairs = Vec::new();
    for (k, a) in region.arrays.iter().enumerate() {
        for b in &region.arrays[k + 1..] {
            if a.may_overlap(b) && (written(&a.symbol) || written(&b.symbol)) {
                pairs.push(format!("`{}` and `{}`", a.name, b.name));
            }
        }
    }
    if pairs.is_empty() {
        return all;
    }
    let text = format!(
        "{} might overlap: a check at run time decides; `restrict` on both, as parameters that the function never \
         assigns, drops the check",
        pairs.join(", ")
    );
    all.push((site.pragma.begin, text));
    all
}
