//! Which arrays may share storage, and what the region touches of them.

use super::IslRegion;
use crate::{
    Refusal,
    lowered::{ArrayHull, ArraySpan, Ends, OverlapChecks, TableHull, TableLevel, WrittenExtent, place_in_table},
    model::{AccessKind, Array, Region, Storage},
    planted::planted,
};
use dvm_isl::{AstBuild, PwAff, Set, UnionSet};

/// The comparisons that a region needs before it runs.
pub fn checks(region: &Region, isl_region: &IslRegion) -> Result<OverlapChecks, Refusal> {
    isl_region.begin_stage();
    let pairs = pairs(region);
    let tables = tables(region, isl_region)?;
    let beside = beside(region, &tables);
    let mut involved: Vec<usize> = pairs.iter().flat_map(|(one, other)| [*one, *other]).collect();
    involved.extend(&beside);
    let of_kept = region.kept.iter().flat_map(|kept| &kept.against);
    involved.extend(of_kept.filter_map(|symbol| region.arrays.iter().position(|array| array.symbol == *symbol)));
    involved.retain(|at| region.arrays[*at].tables == 0);
    involved.sort_by_key(|at| &region.arrays[*at].name);
    involved.dedup();
    let mut hulls = Vec::new();
    for at in involved {
        hulls.push((at, hull(isl_region, &region.arrays[at])?));
    }
    let written = region.arrays.iter().enumerate().filter(|(_, array)| is_written(region, array));
    let extents = written.map(|(at, array)| (at, extent(isl_region, array))).collect();
    // What comes next does not pay for the last extent, known or not.
    isl_region.begin_stage();
    Ok(OverlapChecks { pairs, hulls, written: extents, tables, beside })
}

/// A box around what the region touches of each array; `None`: nothing.
pub fn touched_boxes(region: &Region, isl_region: &IslRegion) -> Result<Vec<Option<ArrayHull>>, Refusal> {
    isl_region.begin_stage();
    region.arrays.iter().map(|array| hull(isl_region, array)).collect()
}

/// What the region touches of the rows that tables of pointers name, if they are compared.
fn tables(region: &Region, isl_region: &IslRegion) -> Result<Vec<TableHull>, Refusal> {
    let mut all = Vec::new();
    if !region.arrays.iter().any(|array| is_written(region, array)) {
        return Ok(all);
    }
    // What is read at entry has to stay as it is, whatever iterations share.
    let against = |array: &Array| region.kept.iter().any(|kept| kept.against.contains(&array.symbol));
    let kept = |array: &Array| against(array) && !planted("a46-kept");
    let compared = |array: &Array| array.tables > 0 && (!region.is_independent() || kept(array));
    for (at, array) in region.arrays.iter().enumerate().filter(|(_, array)| compared(array)) {
        isl_region.begin_stage();
        all.extend(table(isl_region, at, array, is_written(region, array))?);
    }
    Ok(all)
}

fn table(isl_region: &IslRegion, at: usize, array: &Array, written: bool) -> Result<Option<TableHull>, Refusal> {
    let Some(touched) = touched(isl_region, array)? else { return Ok(None) };
    let places: Vec<String> = (0..array.tables).map(place_in_table).collect();
    let context = &isl_region.context;
    let exists = AstBuild::from_context(context)?.condition(&touched.params()?.gist(context)?)?;
    let mut levels = Vec::new();
    for level in 0..array.tables {
        let read = touched.first_dimensions(level + 1)?.coalesce()?;
        let inside = read.as_condition(&places[..=level])?;
        let known = context.intersect(&read.first_dimensions(level)?.as_condition(&places[..level])?)?;
        let inside = AstBuild::from_context(&known)?.condition(&inside.gist(&known)?)?;
        levels.push(TableLevel { ends: ends(isl_region, &read, &places[..level])?, inside });
    }
    let row = ends(isl_region, &touched, &places)?;
    Ok(Some(TableHull { array: at, exists, levels, row, written }))
}

/// The ends of a set's next subscript for each choice of those before, which have the names `before`.
fn ends(isl_region: &IslRegion, set: &Set, before: &[String]) -> Result<Ends, Refusal> {
    let known = isl_region.context.intersect(&set.first_dimensions(before.len())?.as_condition(before)?)?;
    let build = AstBuild::from_context(&known)?;
    let values = set.with_parameters(before)?;
    let value = |value: PwAff| build.expression(&value.coalesce()?.gist(&known)?);
    Ok(Ends { least: value(values.dim_min(0)?)?, greatest: value(values.dim_max(0)?)? })
}

/// What the region may touch of an array that it writes.
fn extent(isl_region: &IslRegion, array: &Array) -> WrittenExtent {
    let number = |length: &Option<String>| {
        length.as_ref().is_some_and(|length| !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if array.storage == Storage::Object && !array.linearised && array.dims.iter().all(number) {
        return WrittenExtent::Whole;
    }
    if array.scattered.is_some() || array.tables > 0 {
        return WrittenExtent::Unknown;
    }
    isl_region.begin_stage();
    if let Ok(span) = span(isl_region, array) {
        return WrittenExtent::Span(span);
    }
    // A box has more than what lies between the first and the last element, but its ends are simpler.
    isl_region.begin_stage();
    match hull(isl_region, array) {
        // Only the check of a run needs to know.
        Err(_) => WrittenExtent::Unknown,
        Ok(hull) => WrittenExtent::Span(hull.map(|hull| ArraySpan { exists: hull.exists, ends: hull.ends })),
    }
}

/// The first and the last element that the region touches of an array. What lies between them belongs to the array, but
/// the rest of the last row may not.
fn span(isl_region: &IslRegion, array: &Array) -> Result<Option<ArraySpan>, Refusal> {
    let Some(touched) = touched(isl_region, array)? else { return Ok(None) };
    let everywhere = AstBuild::from_context(&isl_region.context)?;
    let exists = everywhere.condition(&touched.params()?.coalesce()?.gist(&isl_region.context)?)?;
    let places: Vec<String> = (0..array.dims.len()).map(place_in_table).collect();
    let of_subscript = |at: usize| ends(isl_region, &touched, &places[..at]);
    let ends = (0..places.len()).map(of_subscript).collect::<Result<_, Refusal>>()?;
    Ok(Some(ArraySpan { exists, ends }))
}

fn is_written(region: &Region, array: &Array) -> bool {
    let accesses = region.statements.iter().flat_map(|statement| &statement.accesses);
    accesses.filter(|access| access.array == array.symbol).any(|access| access.kind != AccessKind::Read)
}

/// Pairs of arrays that may overlap and of which one is written.
fn pairs(region: &Region) -> Vec<(usize, usize)> {
    let accesses = |array: &Array| {
        let symbol = array.symbol.clone();
        region.statements.iter().flat_map(|statement| &statement.accesses).filter(move |access| access.array == symbol)
    };
    let written = |at: usize| is_written(region, &region.arrays[at]);
    let touched: Vec<usize> =
        (0..region.arrays.len()).filter(|at| accesses(&region.arrays[*at]).next().is_some()).collect();
    let mut pairs = Vec::new();
    if region.is_independent() {
        return pairs;
    }
    for (place, &one) in touched.iter().enumerate() {
        for &other in &touched[place + 1..] {
            if region.arrays[one].tables + region.arrays[other].tables > 0 {
                continue;
            }
            if region.arrays[one].may_overlap(&region.arrays[other]) && (written(one) || written(other)) {
                pairs.push((one, other));
            }
        }
    }
    pairs
}

/// The arrays to compare with the rows of tables: those that are written, and all if rows are.
fn beside(region: &Region, tables: &[TableHull]) -> Vec<usize> {
    let all = tables.iter().any(|table| table.written);
    let chosen = |array: &Array| {
        let touched = region.statements.iter().flat_map(|s| &s.accesses).any(|access| access.array == array.symbol);
        array.tables == 0 && touched && (all || is_written(region, array))
    };
    let none = tables.is_empty() || region.is_independent();
    (0..region.arrays.len()).filter(|at| !none && chosen(&region.arrays[*at])).collect()
}

/// The elements of an array that the region touches.
fn touched(isl_region: &IslRegion, array: &Array) -> Result<Option<Set>, Refusal> {
    let mut touched: Option<Set> = None;
    for access in isl_region.statements.iter().flat_map(|statement| &statement.accesses) {
        if access.output_name().as_ref() == Some(&array.symbol) {
            let range = access.range()?;
            touched = Some(touched.map_or(Ok(range.clone()), |all| all.union(&range))?);
        }
    }
    let Some(touched) = touched else { return Ok(None) };
    let touched = touched.coalesce()?;
    Ok(if touched.is_empty()? { None } else { Some(touched) })
}

/// A box around the elements of an array that the region touches.
fn hull(isl_region: &IslRegion, array: &Array) -> Result<Option<ArrayHull>, Refusal> {
    let Some(touched) = touched(isl_region, array)? else { return Ok(None) };
    let known = isl_region.context.intersect(&UnionSet::from_set(&touched)?.params()?)?;
    let everywhere = AstBuild::from_context(&isl_region.context)?;
    let build = AstBuild::from_context(&known)?;
    let value = |value: PwAff| build.expression(&value.coalesce()?.gist(&known)?);
    let mut ends = Vec::new();
    for at in 0..array.dims.len() {
        ends.push(Ends { least: value(touched.dim_min(at)?)?, greatest: value(touched.dim_max(at)?)? });
    }
    let exists = everywhere.condition(&known.gist(&isl_region.context)?)?;
    Ok(Some(ArrayHull { exists, ends }))
}
