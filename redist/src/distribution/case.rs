//! What there is to plan: two distributions of one array.

use crate::distribution::{Distribution, Parameters};
use crate::error::{Error, Result};

/// One redistribution to plan: from `source` to `target`.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its name in the file.
    pub id: String,
    /// Values of the symbolic parameters.
    pub parameters: Parameters,
    /// Cases of one family differ only in their parameters.
    pub family: Option<String>,
    /// Bytes per element, 8 unless told.
    pub element_size: i64,
    /// Where the elements are.
    pub source: Distribution,
    /// Where they are wanted.
    pub target: Distribution,
}

impl Case {
    /// Checks both sides, their number of dimensions and the element size; the error names the place.
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
