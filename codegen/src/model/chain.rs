//! Statements of several assignments in loops, whose text means the same with vectors.

/// Assignments to elements and scalars of one type, in loops: the text means the same with vectors of that type in the
/// operands' places, as long as all parts of the vectors go through the same steps of the loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The C type, e.g. `double`.
    pub element: String,
    /// Number of scalars of that type that the statement has to itself.
    pub scalars: usize,
    /// Declarations of the loops' counters that the text does not declare itself.
    pub counters: String,
    /// The iterators that the loops' headers name.
    pub uneven: Vec<usize>,
    /// The assignments, in the text's order.
    pub steps: Vec<ChainStep>,
}

/// An assignment, or a declaration, with or without a first value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainStep {
    /// The bytes of the statement's text that it takes, without the semicolon.
    pub place: (usize, usize),
    /// `=`, `+=` and the like; empty: a declaration without a first value.
    pub operator: String,
    /// What it assigns to.
    pub target: Operand,
    /// The bytes of the value.
    pub value: (usize, usize),
    /// What the value names, in its order. All else there are numbers of the type.
    pub operands: Vec<Operand>,
}

/// A place in a chain's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Its bytes of the text.
    pub place: (usize, usize),
    /// What it names.
    pub named: Named,
}

/// What an operand names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// One of the statement's own scalars, by number.
    Scalar(usize),
    /// An array's element; by iterator: how the subscripts change with it.
    Element(Vec<Vec<i64>>),
    /// A number of another type, which C converts.
    Number,
}

impl Chain {
    /// The text has so many bytes more before all that the chain names.
    pub fn shift(&mut self, bytes: usize) {
        let moved = |place: &mut (usize, usize)| *place = (place.0 + bytes, place.1 + bytes);
        for step in &mut self.steps {
            moved(&mut step.place);
            moved(&mut step.value);
            moved(&mut step.target.place);
            step.operands.iter_mut().for_each(|operand| moved(&mut operand.place));
        }
    }

    /// All operands: of each step its target, then what its value names.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        self.steps.iter().flat_map(|step| std::iter::once(&step.target).chain(&step.operands))
    }
}
