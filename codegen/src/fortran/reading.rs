//! From a file with marks to regions that can be replaced, and refusals.

use super::clauses::FortranClauses;
use super::constants::{named_constants, shape_conditions};
use super::construct_names::{LoopEnd, is_select, loop_end};
use super::escape::escape;
use super::file::{FileGroup, FileParts, FortranFile};
use super::hlfir::{self, HlfirOp};
use super::inlining::{expand, expand_others};
use super::jumps;
use super::kept_texts::{OpenedText, OpenedTexts};
use super::modules::FileModules;
use super::refused::FortranRefusal;
use super::region::{RegionPlace, translate};
use super::rewriting::FortranRegion;
use super::scopes::names_around;
use super::statements::{FortranStatement, Mark, SourceForm, marks, statements};
use super::variables::Declared;
use super::variables::FortranKind;
use super::words;
use std::collections::BTreeSet;

/// What became of the marks of a file, in order.
#[derive(Debug, Default)]
pub struct FortranReading {
    /// Regions that can be replaced.
    pub regions: Vec<FortranRegion>,
    /// Names of regions that stay as they were, and why.
    pub refused: Vec<(String, FortranRefusal)>,
}

/// Reads a file; `hlfir` is what flang printed about `file`, and `find` finds texts of other files that it calls.
pub fn read(
    text: &str,
    file: &str,
    form: SourceForm,
    hlfir: Result<String, FortranRefusal>,
    modules: &FileModules,
    find: &dyn Fn(&[HlfirOp]) -> OpenedTexts,
) -> FortranReading {
    let (statements, marks) = (statements(text, form), marks(text, form));
    let all = hlfir.and_then(|text| procedures(&text, file));
    let opened = find(all.as_deref().unwrap_or_default());
    let own = FileParts::own(&statements, all.as_deref().unwrap_or_default(), modules);
    let files = std::iter::once(own).chain(opened.files.iter().map(OpenedText::parts)).collect();
    let group = FileGroup { files, problems: &opened.problems };
    let mut reading = FortranReading::default();
    let mut at = 0;
    while let Some(mark) = marks.get(at) {
        at += 1;
        let next = marks.get(at).filter(|next| next.text == "end region");
        at += usize::from(next.is_some());
        let name = format!("line_{}", mark.line);
        let one = extent(mark, next, &statements).and_then(|inside| {
            let last = inside.last().map_or(0, |statement| statement.last);
            if let Some(inner) = marks.get(at).filter(|inner| inner.line < last) {
                let remedy = "leave one of the two marks out";
                return Err(FortranRefusal::new(inner.line, "a mark inside of a region", remedy));
            }
            all.as_ref().map_err(|why| FortranRefusal { line: mark.line, ..why.clone() })?;
            translated(&FortranFile::new(&group), mark, inside, text)
        });
        match one {
            Ok(region) => reading.regions.push(region),
            Err(why) => {
                let named = FortranClauses::read(&mark.text, mark.line).ok().and_then(|clauses| clauses.name);
                reading.refused.push((named.unwrap_or(name), why));
            }
        }
    }
    reading
}

/// What flang's text tells of a file.
pub fn procedures(text: &str, file: &str) -> Result<Vec<HlfirOp>, FortranRefusal> {
    let reason = |why| FortranRefusal::new(1, &format!("flang's text is not understood: {why}"), "");
    let mut all = hlfir::parse(text, file).map_err(reason)?;
    jumps::structure(&mut all);
    Ok(all)
}

/// The region that a mark with clauses would make of the loop that begins at a line.
pub fn region_at(file: &FortranFile, text: &str, first: u32, clauses: &str) -> Result<FortranRegion, FortranRefusal> {
    let mark = Mark { line: first.saturating_sub(1), text: format!("region{clauses}") };
    let at_loop = |why: FortranRefusal| FortranRefusal { line: why.line.max(first), ..why };
    let region = extent(&mark, None, file.statements).and_then(|inside| translated(file, &mark, inside, text));
    region.map_err(at_loop)
}

/// The statements of the region behind `mark`: up to `end`, or one loop.
fn extent<'s>(
    mark: &Mark,
    end: Option<&Mark>,
    all: &'s [FortranStatement],
) -> Result<&'s [FortranStatement], FortranRefusal> {
    let refuse = |line: u32, reason: &str, remedy: &str| Err(FortranRefusal::new(line, reason, remedy));
    if !mark.text.starts_with("region") {
        return refuse(mark.line, "this mark is not understood", "write `!$dvm region` before a loop");
    }
    let first = all.iter().position(|s| s.first > mark.line).unwrap_or(all.len());
    let begins = |s: &FortranStatement| loop_end(&s.text).is_some() || is_about_arrays(&s.text);
    let Some(rest) = all.get(first..).filter(|rest| rest.first().is_some_and(begins)) else {
        let remedy = "put the mark directly before a `do`, a `where` or an assignment to an array";
        return refuse(mark.line, "no `do` loop and no statement about arrays follows", remedy);
    };
    let (mut open, mut length) = (Vec::new(), None);
    for (at, statement) in rest.iter().enumerate() {
        if let Some(label) = loop_end(&statement.text) {
            open.push(label);
        } else if words::is_where_construct(&statement.text) {
            open.push(LoopEnd::EndWhere);
        }
        let ends =
            |words: [&str; 2], end: LoopEnd| words.contains(&statement.text.as_str()) && open.last() == Some(&end);
        if ends(["end do", "enddo"], LoopEnd::EndDo) || ends(["end where", "endwhere"], LoopEnd::EndWhere) {
            open.pop();
        }
        while statement.label.is_some_and(|label| open.last() == Some(&LoopEnd::Label(label))) {
            if !(["continue", "end do", "enddo"].contains(&statement.text.as_str())
                || words::is_action(&statement.text))
            {
                let remedy = "end it with `end do`, `continue`, an assignment or a call";
                return refuse(statement.first, "what the loop ends with is not taken", remedy);
            }
            open.pop();
        }
        let enough = end.is_none_or(|end| rest.get(at + 1).is_none_or(|next| next.first > end.line));
        if open.is_empty() && enough {
            length = Some(at + 1);
            break;
        }
    }
    let Some(inside) = length.and_then(|length| rest.get(..length)) else {
        return refuse(mark.line, "the end of the loop is not found", "end it with `end do`");
    };
    if end.is_some_and(|end| inside.iter().any(|s| s.last > end.line)) {
        return refuse(mark.line, "`!$dvm end region` stands inside a loop", "put it behind the `end do`");
    }
    let ends = |s: &FortranStatement| s.last;
    let lines = (inside.first().map_or(0, |s| s.first), inside.last().map_or(0, ends));
    let before = first.checked_sub(1).and_then(|before| all.get(before)).map_or(0, ends);
    let behind = rest.get(inside.len()).map_or(u32::MAX, |s| s.first);
    if before >= lines.0 || behind <= lines.1 {
        let line = if before >= lines.0 { lines.0 } else { lines.1 };
        let remedy = "write what is no part of the region on a line of its own";
        return refuse(line, "several statements on the line where the region begins or ends", remedy);
    }
    Ok(inside)
}

/// Whether a statement may be about whole arrays or sections: a `where`, or an assignment.
fn is_about_arrays(text: &str) -> bool {
    let rest = text.strip_prefix("where").map_or("", str::trim_start);
    rest.starts_with('(') || words::is_assignment(text)
}

fn translated(
    file: &FortranFile,
    mark: &Mark,
    inside: &[FortranStatement],
    text: &str,
) -> Result<FortranRegion, FortranRefusal> {
    let clauses = FortranClauses::read(&mark.text, mark.line)?;
    let refuse = |reason: &str, remedy: &str| Err(FortranRefusal::new(mark.line, reason, remedy));
    let (Some(first), Some(last)) = (inside.first().map(|s| s.first), inside.last().map(|s| s.last)) else {
        return refuse("no statement follows", "put the mark directly before a `do`");
    };
    if let Some(line) = directive_before(text, first) {
        return Err(FortranRefusal::new(
            line,
            "a directive of gfortran that must stand directly before a loop, where the call will stand",
            "remove it: tiles are compiled without it",
        ));
    }
    // Words come first: they name what flang has turned into jumps and calls.
    let functions = || file.all.iter().filter(|op| op.name == "func.func");
    let holds =
        |op: &HlfirOp| op.is_own && op.place.0 <= first && op.inner().iter().any(|i| i.is_own && i.place.0 == first);
    let Some(function) = functions().filter(|op| holds(op)).max_by_key(|op| op.place.0) else {
        words_only(inside)?;
        return refuse("flang shows no loop here", "put the mark directly before a `do`");
    };
    if let Some(name) = entry_of(file, function) {
        let remedy = "put what follows the `entry` into a procedure of its own, and call that here";
        return refuse(&format!("the region stands behind the `entry` of `{name}`"), remedy);
    }
    if function.text.contains("fir.func_pure") {
        let reason = "the region stands in a `pure` or `elemental` procedure, which may not call what runs its tiles";
        return refuse(reason, "remove `pure`, or put the mark where the procedure is called");
    }
    if let Some(s) = file.equivalence(function) {
        let remedy = "give the arrays storage of their own";
        return Err(FortranRefusal::new(s.first, "the subprogram or the file has an EQUIVALENCE", remedy));
    }
    let declared = declared_around(file, function, first);
    let mut used = file.names_used(function, &declared, &inside.iter().collect::<Vec<_>>(), &clauses.pure)?;
    let expanded = expand(file, function, (first, last), &declared, &clauses.pure)?;
    let function = expanded.as_ref().map_or(function, |expanded| &expanded.function);
    let declared = if expanded.is_some() { declared_around(file, function, first) } else { declared };
    if let Some(expanded) = &expanded {
        used.extend(expanded.names.iter().map(|(name, line)| (name.clone(), *line)));
    }
    if let Some(word) = words::OF_THE_CALL.iter().find(|word| used.contains_key(**word)) {
        return refuse(&format!("a variable has the name `{word}`, which the call needs"), "give it another name");
    }
    file.without_macros(&used, mark.line)?;
    let constants = named_constants(&declared, &used, mark.line)?;
    let mut conditions: Vec<String> = constants.into_iter().flat_map(|one| one.conditions).collect();
    for variable in declared.variables.values().filter(|variable| used.contains_key(&variable.name)) {
        if let FortranKind::Array(array) = &variable.kind {
            conditions.extend(shape_conditions(&variable.name, array));
        }
    }
    let loops: Vec<u32> = inside.iter().flat_map(|s| vec![s.first; words::loops_begun(&s.text)]).collect();
    let Some(ops) = block(function, first, last, &loops) else {
        if let Some(why) = jump_that_stays(inside, function) {
            return Err(why);
        }
        return refuse(
            "the loops do not stand in one block of flang's text: something jumps",
            "write conditions as `if (...) then`",
        );
    };
    let others = || expand_others(file, function, &declared, &clauses.pure);
    let place = RegionPlace { function, lines: (first, last), mark: mark.line, others: &others };
    let mut translated = translate(file, &place, &ops, &declared, &clauses)?;
    if translated.has_logical && used.contains_key(words::OF_LOGICAL) {
        let reason = format!("a variable has the name `{}`, which the call needs", words::OF_LOGICAL);
        return refuse(&reason, "give it another name");
    }
    if !translated.lines.iter().any(|(text, _)| text.trim_start().starts_with("for (")) {
        let remedy = "put the mark directly before a loop or an assignment to an array or section";
        return refuse("there is neither a loop nor a statement about arrays", remedy);
    }
    conditions.extend(expanded.iter().flat_map(|expanded| expanded.conditions.iter().cloned()));
    translated.identities.extend(expanded.iter().flat_map(|expanded| expanded.identities.iter().cloned()));
    conditions.extend(translated.conditions.iter().cloned());
    conditions.extend(translated.arrays.values().flat_map(|(text, array)| shape_conditions(text, array)));
    conditions.extend(translated.functions.iter().flat_map(|function| function.conditions.iter().cloned()));
    conditions.sort();
    conditions.dedup();
    for one in &translated.declarations {
        if let Some(line) = escape(function, one, (first, last)) {
            let variable = declared.variables.get(one.as_str()).map_or("", |v| v.name.as_str());
            let reason = format!(
                "`{variable}` is used here, where it may have the value that the region at line {} leaves",
                mark.line
            );
            return Err(FortranRefusal::new(line, &reason, "use another variable in the region"));
        }
    }
    let procedure = super::variables::attribute(&function.text, "@", '(').unwrap_or_default();
    let symbol = format!("dvm__{}_{}", procedure.trim_start_matches('_'), mark.line);
    let name = clauses.name.clone().unwrap_or_else(|| {
        format!("{}_{}", procedure.rsplit('P').next().unwrap_or("main").replace("_QQ", ""), mark.line)
    });
    Ok(FortranRegion { name, mark: mark.line, first, last, symbol, clauses, translated, conditions })
}

/// The name of a procedure that begins with an `entry`: its variables have another procedure's names. Flang gives it that one's line.
fn entry_of<'f>(file: &'f FortranFile, function: &HlfirOp) -> Option<&'f str> {
    let symbol = super::variables::attribute(&function.text, "@", '(').unwrap_or_default();
    let of_head = |name: &str| {
        let mut heads = file.statements.iter().filter(|s| s.first == function.place.0);
        heads.any(|head| words::tokens(&head.text).contains(&name))
    };
    let entries = file.statements.iter().filter_map(|s| s.text.strip_prefix("entry ")?.split('(').next());
    let mut entries = entries.map(str::trim).filter(|name| symbol.rsplit('P').next() == Some(*name));
    entries.find(|name| !of_head(name))
}

/// The statement whose jumps have not become branches of a loop.
fn jump_that_stays(inside: &[FortranStatement], function: &HlfirOp) -> Option<FortranRefusal> {
    let remedy = "write the rest of the iteration as `if (...) then`";
    for statement in inside {
        let here = |op: &HlfirOp| op.is_own && (statement.first..=statement.last).contains(&op.place.0);
        let selects = |op: &&HlfirOp| op.name == "fir.select_case" && here(op);
        let of = function.inner().into_iter().find(selects).and_then(|op| op.text.split(" : ").nth(1));
        if is_select(&statement.text) && of.is_some_and(|of| !of.starts_with("i32 ") && !of.starts_with("i64 ")) {
            let reason = "a `select case` of an integer that has neither 4 nor 8 bytes";
            return Some(FortranRefusal::new(statement.first, reason, "select by `int(...)` of it"));
        }
    }
    if let Some(jump) = inside.iter().find(|statement| words::is_jump(&statement.text)) {
        let reason = "a `goto` that leaves its loop, leads back, or behind which loops would stand in several branches";
        return Some(FortranRefusal::new(jump.first, reason, "write the condition as `if (...) then`"));
    }
    for (word, what) in
        [("exit", "an `exit` of what is no counted loop, or"), ("cycle", "a `cycle` in a block of its loop,")]
    {
        let found = || inside.iter().filter(|s| words::leaves(&s.text, word));
        if let Some(leaves) = found().find(|s| s.text == word).or_else(|| found().next()) {
            let reason = format!("{what} behind which loops would stand in several branches");
            return Some(FortranRefusal::new(leaves.first, &reason, remedy));
        }
    }
    None
}

/// The line of a directive of gfortran, such as `!GCC$ ivdep`, of which only comments separate the statement at line `first`.
/// Other directives, such as OpenMP's, are comments here: options that make statements of them refuse all regions.
fn directive_before(text: &str, first: u32) -> Option<u32> {
    let above: Vec<(u32, &str)> = (1_u32..).zip(text.lines()).take_while(|(at, _)| *at < first).collect();
    let comments = above.iter().rev().take_while(|(_, line)| {
        line.trim().is_empty() || line.trim_start().starts_with('!') || line.starts_with(['c', 'C', '*', 'd', 'D'])
    });
    let of_gfortran =
        |line: &str| line.trim_start().get(1..5).is_some_and(|sentinel| sentinel.eq_ignore_ascii_case("gcc$"));
    comments.filter(|(_, line)| of_gfortran(line)).map(|(at, _)| *at).next()
}

/// Checks the words without knowing names: for refusals of what flang shows in another form.
fn words_only(inside: &[FortranStatement]) -> Result<(), FortranRefusal> {
    let all: BTreeSet<String> = BTreeSet::new();
    for statement in inside {
        match words::check(statement, &all, &|_| true, &mut BTreeSet::new()) {
            Err(why) if why.reason.starts_with('`') => {}
            other => other?,
        }
    }
    Ok(())
}

/// What the statement at a line of a function sees.
fn declared_around<'a>(file: &FortranFile<'a>, function: &'a HlfirOp, line: u32) -> Declared<'a> {
    let mut blocks = blocks_around(function, line).unwrap_or_default();
    if blocks.is_empty() {
        blocks = function.regions.iter().map(Vec::as_slice).collect();
    }
    let names = names_around(file.statements, line);
    Declared::of_region(function, &blocks, (line, &names), file.all, file.modules)
}

/// The blocks that hold the statement at a line, which is a loop or an assignment: the outermost first.
fn blocks_around(op: &HlfirOp, line: u32) -> Option<Vec<&[HlfirOp]>> {
    for region in &op.regions {
        if region.iter().any(|op| begins_at(op, line)) {
            return Some(vec![region]);
        }
        if let Some(mut inner) = region.iter().find_map(|op| blocks_around(op, line)) {
            inner.insert(0, region);
            return Some(inner);
        }
    }
    None
}

/// Whether an operation begins a region at a line.
fn begins_at(op: &HlfirOp, line: u32) -> bool {
    let begins = ["fir.do_loop", "hlfir.assign", "hlfir.where"];
    op.is_own && op.place.0 == line && begins.contains(&op.name.as_str())
}

/// The operations of the lines `first` to `last`, which have `loops` at these lines: those of the block that has the first.
fn block<'a>(op: &'a HlfirOp, first: u32, last: u32, loops: &[u32]) -> Option<Vec<&'a HlfirOp>> {
    for region in &op.regions {
        let here = |op: &HlfirOp| op.is_own && (first..=last).contains(&op.place.0);
        if let Some(head) = region.iter().position(|op| begins_at(op, first)) {
            // Variables without a declaration are declared where their name stands first.
            let declares = |op: &HlfirOp| op.name == "fir.alloca" || op.name == "hlfir.declare";
            let from = region[..head].iter().rposition(|op| !here(op) || declares(op)).map_or(0, |at| at + 1);
            let to = region.iter().rposition(|op| here(op) && !counts_around(op, region))? + 1;
            // Flang shows exactly the loops of the text, and nothing else stands between them.
            let ops: Vec<&HlfirOp> = region[from..to].iter().collect();
            let all = ops.iter().flat_map(|op| std::iter::once(*op).chain(op.inner()));
            let mut shown: Vec<u32> =
                all.filter(|op| op.name == "fir.do_loop" && op.inlined.is_none()).map(|op| op.place.0).collect();
            shown.sort_unstable();
            let inside = |op: &&HlfirOp| op.place.0 == 0 || here(op);
            let is_whole = ops.iter().all(|op| here(op) && op.inner().iter().all(inside));
            return (is_whole && shown == loops).then_some(ops);
        }
        for inner in region {
            if let Some(found) = block(inner, first, last, loops) {
                return Some(found);
            }
        }
    }
    None
}

/// Whether an operation counts the iterations of a loop around: such operations have the line of the last statement in
/// that loop. Where something jumps out of it, they store what they have counted, and jump back.
fn counts_around(op: &HlfirOp, block: &[HlfirOp]) -> bool {
    const COUNTS: [&str; 7] =
        ["arith.addi", "arith.subi", "arith.constant", "fir.convert", "fir.load", "fir.result", "cf.br"];
    // The last value of a region's own counter is a result of its loop.
    let is_counted = |value: &str| {
        let made = |op: &HlfirOp| op.results.iter().any(|result| result == hlfir::base(value));
        block.iter().any(|op| made(op) && ["arith.addi", "arith.subi"].contains(&op.name.as_str()))
    };
    COUNTS.contains(&op.name.as_str())
        || op.name == "fir.store" && op.operands().first().is_some_and(|value| is_counted(value))
}

#[cfg(test)]
mod tests {
    use super::directive_before;

    #[test]
    fn only_directives_that_belong_to_the_loop_count() {
        let text = "!GCC$ ivdep\nx = 1\n!$dvm region\n\n  !gcc$ unroll 4\n!$omp do\ndo i = 1, n\n";
        assert_eq!(directive_before(text, 7), Some(5));
        assert_eq!(directive_before(text, 5), None);
        assert_eq!(directive_before("cGCC$ ivdep\n      do i = 1, n\n", 2), Some(1));
    }
}
