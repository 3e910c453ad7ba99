//! Prints what reductions need: the blocks' values in the context, and the tree that joins them.
//!
//! A block is a tile of the region's one loop, whose size follows from the number of iterations alone. The tree joins
//! neighbours, then pairs of neighbours, and so on; the sequential run has the same blocks.

use super::region_context::{BLOCKS, RegionContext, block_values};
use crate::c_tokens::identifiers;
use crate::model::{Reduction, Region};
use std::fmt::Write;

/// The least number of iterations of a block, if an iteration is a few operations.
const LEAST_ITERATIONS: u32 = 1024;

/// The beginning of a tile's function: its own values.
pub fn begin(region: &Region) -> String {
    region
        .reductions
        .iter()
        .map(|r| format!("  {} {} = ({})({});\n", r.partial, r.name, r.partial, r.neutral))
        .collect()
}

/// The end of a tile's function.
pub fn end(shared: &RegionContext) -> String {
    let (context, argument, tile) = (&shared.context, &shared.argument, &shared.tile);
    let keep =
        |r: &Reduction| format!("  ((struct {context} *){argument})->{}[{tile}[0]] = {};\n", block_values(r), r.name);
    shared.region.reductions.iter().map(keep).collect()
}

/// In the launcher: the blocks of a loop, whose least and greatest counters are known.
pub fn blocks(shared: &RegionContext) -> String {
    let region = shared.region;
    if region.reductions.is_empty() {
        return String::new();
    }
    let loops = |text: &str| ["for", "while", "do"].iter().any(|word| identifiers(text).contains(*word));
    let least = if region.statements.iter().any(|s| loops(&s.text)) { 1 } else { LEAST_ITERATIONS };
    let [lowest, highest, _] = &shared.corners;
    let (own, tiles, count) = (&shared.own, &shared.tiles, format!("{highest}[0] - {lowest}[0] + 1"));
    let mut text = format!(
        "  {own}->{tiles}.dvm__fixed[0] = dvm__block({count}, {least});\n  {own}->{BLOCKS} = dvm__blocks({count}, {least});\n"
    );
    // Between two iterations of a loop with steps there may be blocks without one, whose tiles do not run.
    let set = |r: &Reduction| format!("      {own}->{}[dvm__k] = ({})({});\n", block_values(r), r.partial, r.neutral);
    let values: String = region.reductions.iter().map(set).collect();
    let _ = write!(
        text,
        "  {{\n    int dvm__k;\n    for (dvm__k = 0; dvm__k < {own}->{BLOCKS}; dvm__k++) {{\n{values}    }}\n  }}\n"
    );
    text
}

/// The functions that join the blocks' values with the value before the loop.
pub fn functions(shared: &RegionContext) -> String {
    let mut text = String::new();
    for reduction in &shared.region.reductions {
        let (ctype, own, values) = (&reduction.ctype, &shared.own, block_values(reduction));
        let joined = reduction.joined("dvm__v[dvm__k]", "dvm__v[dvm__k + dvm__w]");
        let last = reduction.joined("dvm__first", "dvm__v[0]");
        let _ = writeln!(
            text,
            "/* Joins the blocks' values of `{0}`: neighbours first. */
static {ctype} {1}(struct {2} *{own}, {ctype} dvm__before)
{{
  {3} *dvm__v = {own}->{values};
  const {3} dvm__first = ({3})dvm__before;
  int dvm__w, dvm__k;
  for (dvm__w = 1; dvm__w < {own}->{BLOCKS}; dvm__w *= 2)
    for (dvm__k = 0; dvm__k + dvm__w < {own}->{BLOCKS}; dvm__k += 2 * dvm__w)
      dvm__v[dvm__k] = ({3}){joined};
  return {own}->{BLOCKS} == 0 ? dvm__before : ({ctype}){last};
}}
",
            reduction.name,
            function_name(shared.region, reduction),
            shared.context,
            reduction.partial,
        );
    }
    text
}

fn function_name(region: &Region, reduction: &Reduction) -> String {
    format!("dvm__{}_total_{}", region.name, reduction.name)
}

/// After the tiles: sets the variables of the function.
pub fn assignments(region: &Region, context: &str) -> String {
    let set = |r: &Reduction| format!(" {} = {}(&{context}, {});", r.name, function_name(region, r), r.name);
    let all: String = region.reductions.iter().map(set).collect();
    if all.is_empty() { all } else { format!(" else {{{all} }}") }
}
