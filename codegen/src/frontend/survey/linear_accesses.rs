//! Accesses of arrays of rank 1 that may be used as arrays of higher rank, and the shapes that were recovered.

use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::values::affine::Cases;
use crate::frontend::values::shape::Shape;
use crate::frontend::values::surrounding_loops::Scope;
use std::collections::HashMap;

/// A subscript of an array of rank 1.
#[derive(Debug, Clone)]
pub struct LinearAccess<'a> {
    /// The access.
    pub node: &'a Node,
    /// The subscript.
    pub value: Cases,
    /// Where the access stands.
    pub scope: Scope,
}

/// What is known about linearised arrays.
#[derive(Debug, Clone, Default)]
pub struct Linearised<'a> {
    /// The subscripts of arrays of rank 1 that the first reading found.
    pub seen: HashMap<Id, Vec<LinearAccess<'a>>>,
    /// The shapes, when the region is read again.
    pub shapes: HashMap<Id, Shape>,
}

impl Linearised<'_> {
    /// Without the shapes in rows of constant length; `None` if there are none.
    pub fn without_constant_rows(&self) -> Option<Self> {
        let shapes = self.shapes.iter().filter(|(_, shape)| !shape.is_constant());
        let shapes: HashMap<Id, Shape> = shapes.map(|(id, shape)| (*id, shape.clone())).collect();
        (shapes.len() < self.shapes.len()).then(|| Linearised { seen: HashMap::new(), shapes })
    }
}
