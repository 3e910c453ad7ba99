//! Reads HLFIR as flang prints it: a line is an operation, braces hold the operations of a region, and the places are a
//! table at the end. Types are kept as text.

use std::collections::HashMap;

/// An operation.
#[derive(Debug, Clone, Default)]
pub struct HlfirOp {
    /// Its name, such as `fir.load`; `^` for the label of a block.
    pub name: String,
    /// The names of its results, without their numbers: `%62` of `%62:2`.
    pub results: Vec<String>,
    /// What follows the name, without the place.
    pub text: String,
    /// The line and column in the source; 0 if unknown.
    pub place: (u32, u32),
    /// The place is in the file that was read, not in one that it includes.
    pub is_own: bool,
    /// Its regions.
    pub regions: Vec<Vec<HlfirOp>>,
    /// The name of its place.
    pub reference: String,
    /// The subroutine whose text it belongs to and its line there, if it stands for a call; its place is that of the call.
    pub inlined: Option<(String, u32)>,
}

impl HlfirOp {
    /// The types after the last colon that stands between blanks.
    pub fn types(&self) -> &str {
        self.text.rsplit_once(" : ").map_or("", |(_, types)| types)
    }

    /// The operands: words that begin with `%`, without punctuation.
    pub fn operands(&self) -> Vec<&str> {
        let text = self.text.split(" : ").next().unwrap_or_default();
        let words = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '[' | ']' | '{' | '}'));
        words.filter(|word| word.starts_with('%')).collect()
    }

    /// Whether it is a loop that something may leave before its last iteration.
    pub fn may_end_early(&self) -> bool {
        self.name == "fir.do_loop" && self.regions.iter().flatten().any(HlfirOp::leaves)
    }

    /// Whether it leaves the loop around it: loops that are left by one jump have an operation each.
    fn leaves(&self) -> bool {
        self.name == EXIT || self.name != "fir.do_loop" && self.regions.iter().flatten().any(HlfirOp::leaves)
    }

    /// All operations in its regions, in order.
    pub fn inner(&self) -> Vec<&HlfirOp> {
        let mut all = Vec::new();
        for op in self.regions.iter().flatten() {
            all.push(op);
            all.extend(op.inner());
        }
        all
    }
}

/// Operations that flang does not print: they stand where the text of a subroutine begins that stands for a call. The operand
/// is the number or element that an argument is, until the text ends.
pub const BIND: &str = "dvm.bind";
/// The operand is the array, section or first element that an argument is; it is kept until `VIEW` says how it is seen.
pub const HOLD: &str = "dvm.hold";
/// An array as the subroutine declares it: what `HOLD` kept, the lower bounds and the extents; `%none` for one that is not told.
pub const VIEW: &str = "dvm.view";
/// What follows is computed once, when the subroutine is entered.
pub const ENTER: &str = "dvm.enter";
/// The end of that.
pub const ENTERED: &str = "dvm.entered";
/// The operand is a local array of the subroutine: each time the text is entered, there is a new one without values.
pub const LOCAL: &str = "dvm.local";

/// The operands are what branches that follow in each other depend on: nothing is written before the last of them is read.
pub const KEEP: &str = "dvm.keep";

/// The loop around is left; the operand, if there is one, is a flag that is raised before.
pub const EXIT: &str = "dvm.exit";
/// Makes a flag that is not raised.
pub const FLAG: &str = "dvm.flag";
/// Whether the flag is raised.
pub const RAISED: &str = "dvm.raised";

/// The name of a value without the number of the result: `%62` of `%62#1`.
pub fn base(value: &str) -> &str {
    value.split('#').next().unwrap_or(value)
}

/// All operations of a module, which are globals and functions.
pub fn parse(text: &str, file: &str) -> Result<Vec<HlfirOp>, String> {
    let mut places = HashMap::new();
    let mut stack: Vec<HlfirOp> = vec![HlfirOp { regions: vec![Vec::new()], ..HlfirOp::default() }];
    for line in text.lines() {
        let line = line.trim();
        if let Some((name, place)) = line.strip_prefix('#').and_then(|rest| rest.split_once(" = loc(")) {
            places.insert(format!("#{name}"), place.trim_end_matches(')').to_owned());
            continue;
        }
        if line.is_empty() || line.starts_with("//") || line.starts_with("module") {
            continue;
        }
        read_line(line, &mut stack)?;
    }
    let mut root = stack.swap_remove(0);
    let mut all = root.regions.pop().unwrap_or_default();
    for op in &mut all {
        resolve(op, &places, file);
    }
    Ok(all)
}

fn read_line(line: &str, stack: &mut Vec<HlfirOp>) -> Result<(), String> {
    if let Some(rest) = line.strip_prefix('}') {
        let rest = rest.trim();
        // The module's own brace closes nothing that was opened here.
        if stack.len() == 1 {
            return Ok(());
        }
        if rest.ends_with('{') {
            if let Some(top) = stack.last_mut() {
                top.regions.push(Vec::new());
            }
            return Ok(());
        }
        let mut op = stack.pop().ok_or("a brace closes nothing")?;
        op.reference = split_place(rest).1;
        push(stack, op);
        return Ok(());
    }
    if line.starts_with('^') {
        push(stack, HlfirOp { name: "^".to_owned(), text: line.to_owned(), ..HlfirOp::default() });
        return Ok(());
    }
    let (head, opens) = match line.strip_suffix('{') {
        Some(head) => (head.trim_end(), true),
        None => (line, false),
    };
    let (head, reference) = if opens { (head, String::new()) } else { split_place(head) };
    let (results, rest) = match head.split_once(" = ") {
        Some((results, rest)) if results.starts_with('%') => (results, rest),
        _ => ("", head),
    };
    let results = results.split(',').map(|one| one.trim().split(':').next().unwrap_or_default().to_owned());
    let results = results.filter(|one| !one.is_empty()).collect();
    // Operations of LLVM have no blank behind their names.
    let (name, text) = match rest.split_once('(') {
        Some((name, _)) if name.starts_with("llvm.") && !name.contains(' ') => rest.split_at(name.len()),
        _ => rest.split_once(' ').unwrap_or((rest, "")),
    };
    let op = HlfirOp { name: name.to_owned(), results, text: text.trim().to_owned(), reference, ..HlfirOp::default() };
    if opens {
        stack.push(HlfirOp { regions: vec![Vec::new()], ..op });
    } else {
        push(stack, op);
    }
    Ok(())
}

fn push(stack: &mut [HlfirOp], op: HlfirOp) {
    if let Some(region) = stack.last_mut().and_then(|top| top.regions.last_mut()) {
        region.push(op);
    }
}

/// A line without its place, and the place.
fn split_place(line: &str) -> (&str, String) {
    match line.rfind("loc(") {
        Some(at) if line.ends_with(')') && (at == 0 || line[..at].ends_with(' ')) => {
            (line[..at].trim_end(), line[at + 4..line.len() - 1].to_owned())
        }
        _ => (line, String::new()),
    }
}

fn resolve(op: &mut HlfirOp, places: &HashMap<String, String>, file: &str) {
    let place = places.get(&op.reference).unwrap_or(&op.reference);
    let mut parts = place.rsplitn(3, ':');
    if let (Some(column), Some(line), Some(name)) = (parts.next(), parts.next(), parts.next())
        && let (Ok(line), Ok(column)) = (line.parse(), column.parse())
    {
        op.place = (line, column);
        op.is_own = name.trim_matches('"') == file;
    }
    op.regions.iter_mut().flatten().for_each(|inner| resolve(inner, places, file));
    // Flang gives these the place of the statement before; what they evaluate first has their own.
    if let ("hlfir.where" | "hlfir.forall", Some(first)) =
        (op.name.as_str(), op.regions.first().and_then(|r| r.first()))
    {
        (op.place, op.is_own) = (first.place, first.is_own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
#loc5 = loc(\"a.f90\":9:1)
module attributes {x = 1} {
  func.func @_QPf(%arg0: !fir.ref<i32> loc(\"a.f90\":1:1)) attributes {a} {
    %1:2 = hlfir.declare %arg0 {uniq_name = \"_QFfEn\"} : (!fir.ref<i32>) -> (!fir.ref<i32>, !fir.ref<i32>) loc(#loc5)
    %2 = fir.load %1#0 : !fir.ref<i32> loc(#loc1)
    fir.if %2 {
      %3 = arith.addi %2, %2 : i32 loc(#loc1)
    } else {
    } loc(#loc2)
    return loc(#loc1)
  } loc(#loc5)
} loc(#loc)
#loc1 = loc(\"a.f90\":4:7)
#loc2 = loc(\"other.inc\":2:3)
";

    #[test]
    fn lines_become_operations_with_places() {
        let all = parse(TEXT, "a.f90").unwrap();
        let [function] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((function.name.as_str(), function.place), ("func.func", (9, 1)));
        let [declare, load, branch, _] = function.regions[0].as_slice() else { panic!("{function:?}") };
        assert_eq!((declare.results.as_slice(), declare.operands()), (["%1".to_owned()].as_slice(), vec!["%arg0"]));
        assert_eq!((load.place, load.is_own, base(load.operands()[0])), ((4, 7), true, "%1"));
        assert_eq!((branch.regions.len(), branch.place, branch.is_own), (2, (2, 3), false));
        assert_eq!(branch.inner().len(), 1);
    }
}
