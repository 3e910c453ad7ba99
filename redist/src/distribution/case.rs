//! A redistribution problem: two distributions of one array.

use crate::distribution::{Distribution, Parameters};
use crate::error::{Error, Result};

/// A redistribution to plan, from `source` to `target`.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its name in the file.
    pub id: String,
    /// Values of the symbolic parameters.
    pub parameters: Parameters,
    /// Name of the family; cases of a family differ only in their parameters.
    pub family: Option<String>,
    /// Bytes per element, 8 by default.
    pub element_size: i64,
    /// The present distribution.
    pub source: Distribution,
    /// The wanted distribution.
    pub target: Distribution,
}

impl Case {
    /// Checks both sides, their number of dimensions and the element size; an error names its place.
    pub fn check(&self) -> Result<()> {
        self.source.check(&self.parameters).map_err(|e| e.within("source"))?;
        self.target.check(&self.parameters).map_err(|e| e.within("target"))?;
        let (s, t) = (self.source.dimensions.len(), self.target.dimensions.len());
        if s != t {
            let what = format!("the target has {t} dimensions, the source has {s}");
            return Err(Error::new("target.dims", what, "both sides distribute the same array"));
        }
        if !(1..=1 << 32).contains(&self.element_size) {
            let what = format!("{} is not an element size", self.element_size);
            return Err(Error::new("element_size", what, "give the bytes of one element, at least 1"));
        }
        Ok(())
    }
}
