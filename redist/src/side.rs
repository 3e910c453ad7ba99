//! One side of one component as flat tables: every location's memory, code and element.

use crate::codes::Code;
use crate::domain::Domain;
use crate::error::{Error, Result};
use std::collections::HashMap;

/// More locations than this in one component are refused: tables are proportional to them.
pub const MOST_LOCATIONS: usize = 1 << 27;

/// One location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The element, as a code over the component's dimensions.
    pub element: i64,
    /// The place inside the memory, as a code over the data variables.
    pub code: i64,
    /// The memory: an index into [`Side::memories`].
    pub memory: u32,
}

/// All locations of one side of one component, in lexicographic order of their coordinates.
#[derive(Clone, Debug)]
pub struct Side {
    /// The domain enumerated.
    pub domain: Domain,
    /// The architectural variables (indices into the domain).
    pub arch: Vec<usize>,
    /// The data variables (indices into the domain).
    pub data: Vec<usize>,
    /// The code of a place inside a memory.
    pub code: Code,
    /// The coordinates of each memory that holds a location, lexicographically.
    pub memories: Vec<Vec<i64>>,
    /// The locations.
    pub locations: Vec<Location>,
}

impl Side {
    /// Enumerates a domain; `elements` codes the element indices of both sides of the component.
    pub fn new(domain: Domain, elements: &Code, place: &str) -> Result<Self> {
        let arch: Vec<usize> = (0..domain.len()).filter(|&i| domain.arch[i]).collect();
        let data: Vec<usize> = (0..domain.len()).filter(|&i| !domain.arch[i]).collect();
        let ranges = |vars: &[usize]| -> Vec<(i64, i64)> { vars.iter().map(|&i| domain.bounding[i]).collect() };
        let code = Code::new(&ranges(&data), place)?;
        let grid = Code::new(&ranges(&arch), place)?;
        let (raw, count) = enumerate(&domain, elements, &code, &grid, &arch, &data, place)?;
        let memories = number_memories(raw, count);
        let names = memories.1.iter().map(|&g| grid.decode(g)).collect();
        Ok(Self { domain, arch, data, code, memories: names, locations: memories.0 })
    }
}

struct Raw {
    location: Location,
    grid: i64,
}

fn enumerate(
    domain: &Domain,
    elements: &Code,
    code: &Code,
    grid: &Code,
    arch: &[usize],
    data: &[usize],
    place: &str,
) -> Result<(Vec<Raw>, i64)> {
    let (mut out, mut full) = (Vec::new(), false);
    let step = |i: usize| {
        let element = domain.coef[i] * elements.weight(domain.dimension[i]);
        let of = |vars: &[usize], c: &Code| vars.iter().position(|&k| k == i).map_or(0, |k| c.weight(k));
        (element, of(data, code), of(arch, grid))
    };
    let mut lexical = domain.lexicographic();
    domain.rows(|at, inner, lo, hi| {
        let width = i128::from(hi) - i128::from(lo) + 1;
        full = full || out.len() as i128 + width > MOST_LOCATIONS as i128;
        if full {
            return;
        }
        let mut location = Location {
            element: elements.encode(domain.element(at)),
            code: code.encode(data.iter().map(|&i| at[i])),
            memory: 0,
        };
        let mut memory = grid.encode(arch.iter().map(|&i| at[i]));
        let (de, dc, dg) = inner.map_or((0, 0, 0), step);
        for _ in lo..=hi {
            out.push(Raw { location, grid: memory });
            location.element += de;
            location.code += dc;
            memory += dg;
        }
    });
    if full {
        let what = format!("there are more than {MOST_LOCATIONS} locations in one component");
        return Err(Error::new(place, what, "redistribute a smaller part at a time"));
    }
    // Lexicographic order over all coordinates, when the enumeration could not follow it.
    if !lexical {
        let mut keyed: Vec<(Vec<i64>, Raw)> =
            out.into_iter().map(|r| (coordinates(domain, code, grid, arch, data, &r), r)).collect();
        keyed.sort_by(|a, b| a.0.cmp(&b.0));
        out = keyed.into_iter().map(|(_, r)| r).collect();
        lexical = true;
    }
    debug_assert!(lexical);
    Ok((out, grid.size()))
}

fn coordinates(domain: &Domain, code: &Code, grid: &Code, arch: &[usize], data: &[usize], raw: &Raw) -> Vec<i64> {
    let mut at = vec![0; domain.len()];
    for (&i, v) in arch.iter().zip(grid.decode(raw.grid)).chain(data.iter().zip(code.decode(raw.location.code))) {
        at[i] = v;
    }
    at
}

/// Numbers the memories that occur, in the order of their coordinates.
fn number_memories(raw: Vec<Raw>, size: i64) -> (Vec<Location>, Vec<i64>) {
    let small = usize::try_from(size).ok().filter(|&s| s <= (1 << 20).max(4 * raw.len()));
    let mut used: Vec<i64>;
    let number: Box<dyn Fn(i64) -> u32> = if let Some(size) = small {
        let mut table = vec![u32::MAX; size];
        raw.iter().for_each(|r| table[r.grid as usize] = 0);
        used = (0..size as i64).filter(|&g| table[g as usize] == 0).collect();
        used.iter().enumerate().for_each(|(k, &g)| table[g as usize] = k as u32);
        Box::new(move |g| table[g as usize])
    } else {
        used = raw.iter().map(|r| r.grid).collect();
        used.sort_unstable();
        used.dedup();
        let table: HashMap<i64, u32> = used.iter().enumerate().map(|(k, &g)| (g, k as u32)).collect();
        Box::new(move |g| table[&g])
    };
    let (mut last, mut memory) = (i64::MIN, 0);
    let locations = raw
        .into_iter()
        .map(|r| {
            if r.grid != last {
                (last, memory) = (r.grid, number(r.grid));
            }
            Location { memory, ..r.location }
        })
        .collect();
    (locations, used)
}
