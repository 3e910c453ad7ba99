//! One side of one component as flat tables: every location's memory, code and element.

use crate::distribution::domain::Domain;
use crate::error::{Error, Result};
use crate::room;
use crate::tables::mixed_radix::MixedRadix;
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
    /// The memory: an index into [`IndexTable::memories`].
    pub memory: u32,
}

/// All locations of one side of one component, in lexicographic order of their coordinates.
#[derive(Clone, Debug)]
pub struct IndexTable {
    /// The domain enumerated.
    pub domain: Domain,
    /// The architectural variables (indices into the domain).
    pub arch: Vec<usize>,
    /// The data variables (indices into the domain).
    pub data: Vec<usize>,
    /// The code of a place inside a memory.
    pub code: MixedRadix,
    /// The coordinates of each memory that holds a location, lexicographically.
    pub memories: Vec<Vec<i64>>,
    /// The locations.
    pub locations: Vec<Location>,
}

impl IndexTable {
    /// Enumerates a domain; `elements` codes the element indices of both sides of the component.
    pub fn new(domain: Domain, elements: &MixedRadix, place: &str) -> Result<Self> {
        let parts = [domain.clone()];
        Self::of_parts(domain, &parts, elements, place)
    }

    /// Enumerates some boxes of a domain whose bounds are constant.
    pub fn of_boxes(domain: Domain, boxes: &[Vec<(i64, i64)>], elements: &MixedRadix, place: &str) -> Result<Self> {
        let parts: Vec<Domain> = boxes.iter().map(|b| domain.boxed(b)).collect();
        Self::of_parts(domain, &parts, elements, place)
    }

    fn of_parts(domain: Domain, parts: &[Domain], elements: &MixedRadix, place: &str) -> Result<Self> {
        let arch: Vec<usize> = (0..domain.len()).filter(|&i| domain.arch[i]).collect();
        let data: Vec<usize> = (0..domain.len()).filter(|&i| !domain.arch[i]).collect();
        let ranges = |vars: &[usize]| -> Vec<(i64, i64)> { vars.iter().map(|&i| domain.bounding[i]).collect() };
        let code = MixedRadix::new(&ranges(&data), place)?;
        let grid = MixedRadix::new(&ranges(&arch), place)?;
        let grid = Grid::new(parts, &grid, &arch, place)?;
        let mut locations = room::list(grid.locations)?;
        let mut row = |at: &[i64], inner: Option<usize>, lo: i64, hi: i64| {
            let (de, dc) = inner.map_or((0, 0), |i| {
                let code = data.iter().position(|&k| k == i).map_or(0, |k| code.weight(k));
                (domain.coef[i] * elements.weight(domain.dimension[i]), code)
            });
            let mut location = Location {
                element: elements.encode(domain.element(at)),
                code: code.encode(data.iter().map(|&i| at[i])),
                memory: 0,
            };
            let (start, step) = grid.line(at, inner);
            if step == 0 {
                location.memory = grid.number(start);
            }
            for k in 0..=hi - lo {
                if step != 0 {
                    location.memory = grid.number(start + k * step);
                }
                locations.push(location);
                location.element += de;
                location.code += dc;
            }
        };
        parts.iter().for_each(|p| p.rows(&mut row));
        let memories = room::tried(grid.used.iter().map(|&g| room::collected(grid.code.digits(g))))?;
        let mut side = Self { domain, arch, data, code, memories, locations };
        if !side.domain.lexicographic() {
            side.sort()?;
        }
        Ok(side)
    }

    /// Brings the locations into the order of their coordinates.
    fn sort(&mut self) -> Result<()> {
        let width = self.domain.len();
        let mut at = room::list(self.locations.len() * width)?;
        self.locations.iter().for_each(|l| at.extend(self.coordinates(l)));
        let mut order: Vec<u32> = room::collected(0..self.locations.len() as u32)?;
        let key = |k: u32| &at[k as usize * width..][..width];
        order.sort_unstable_by(|&a, &b| key(a).cmp(key(b)));
        self.locations = room::collected(order.iter().map(|&k| self.locations[k as usize]))?;
        Ok(())
    }

    /// Whether no memory holds an element twice.
    ///
    /// # Errors
    /// [`Error::is_no_memory`].
    pub fn holds_once(&self) -> Result<bool> {
        let mut held: Vec<(u32, i64)> = room::collected(self.locations.iter().map(|l| (l.memory, l.element)))?;
        held.sort_unstable();
        Ok(held.windows(2).all(|w| w[0] != w[1]))
    }

    /// The coordinates of a location.
    pub fn coordinates(&self, location: &Location) -> Vec<i64> {
        let mut at = vec![0; self.domain.len()];
        let memory = self.memories[location.memory as usize].iter();
        for (&i, &v) in self.arch.iter().zip(memory).chain(self.data.iter().zip(&self.code.decode(location.code))) {
            at[i] = v;
        }
        at
    }
}

/// The memories that occur, numbered in the order of their coordinates.
struct Grid<'a> {
    code: &'a MixedRadix,
    arch: &'a [usize],
    /// The codes of the memories, ascending.
    used: Vec<i64>,
    numbers: Numbers,
    /// How many locations there are.
    locations: usize,
}

enum Numbers {
    Direct(Vec<u32>),
    Hashed(HashMap<i64, u32>),
}

impl<'a> Grid<'a> {
    fn new(parts: &[Domain], code: &'a MixedRadix, arch: &'a [usize], place: &str) -> Result<Self> {
        let direct = usize::try_from(code.size()).ok().filter(|&s| s <= 1 << 22);
        let mut marks = room::filled(false, direct.unwrap_or(0))?;
        let mut grid = Self { code, arch, used: Vec::new(), numbers: Numbers::Direct(Vec::new()), locations: 0 };
        let (mut used, mut locations, mut refused) = (Vec::new(), 0_i128, None);
        let mut row = |at: &[i64], inner: Option<usize>, lo: i64, hi: i64| {
            locations += i128::from(hi) - i128::from(lo) + 1;
            if locations > MOST_LOCATIONS as i128 {
                return false;
            }
            let (start, step) = grid.line(at, inner);
            for k in 0..=if step == 0 { 0 } else { hi - lo } {
                let memory = start + k * step;
                if direct.is_some() {
                    marks[memory as usize] = true;
                } else if used.last() != Some(&memory) {
                    refused = room::push(&mut used, memory).err();
                    if refused.is_some() {
                        return false;
                    }
                }
            }
            true
        };
        let whole = parts.iter().all(|p| p.rows_while(&mut row));
        if let Some(error) = refused {
            return Err(error);
        }
        if !whole {
            let what = format!("there are more than {MOST_LOCATIONS} locations in one component");
            return Err(Error::new(place, what, "redistribute a smaller part at a time"));
        }
        if direct.is_some() {
            used = room::collected((0..marks.len()).filter(|&g| marks[g]).map(|g| g as i64))?;
            let mut numbers = room::filled(0, marks.len())?;
            used.iter().enumerate().for_each(|(k, &g)| numbers[g as usize] = k as u32);
            grid.numbers = Numbers::Direct(numbers);
        } else {
            used.sort_unstable();
            used.dedup();
            let mut numbers = HashMap::new();
            room::keys(&mut numbers, used.len())?;
            numbers.extend(used.iter().enumerate().map(|(k, &g)| (g, k as u32)));
            grid.numbers = Numbers::Hashed(numbers);
        }
        grid.used = used;
        grid.locations = locations as usize;
        Ok(grid)
    }

    /// The code of a row's first memory, and its step along the row.
    fn line(&self, at: &[i64], inner: Option<usize>) -> (i64, i64) {
        let place = inner.and_then(|i| self.arch.iter().position(|&k| k == i));
        (self.code.encode(self.arch.iter().map(|&i| at[i])), place.map_or(0, |k| self.code.weight(k)))
    }

    fn number(&self, memory: i64) -> u32 {
        match &self.numbers {
            Numbers::Direct(table) => table[memory as usize],
            Numbers::Hashed(table) => table[&memory],
        }
    }
}
