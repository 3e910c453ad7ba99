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
