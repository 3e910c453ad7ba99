//! Code that scans sets: syntax trees that isl builds.
#![allow(unsafe_code)]

use crate::{Error, PwAff, Result, Set, UnionMap, ctx::Ctx, object::c_text, raw};
use std::ffi::{CStr, c_void};

/// From what code is built: what is known of the parameters, options, names.
///
/// isl's own build reads parameters by their positions in places (a guard `m mod 3 = 0` became one on another parameter),
/// so the parameters of everything in one call must stand in one order. This type keeps the parts, and each call makes
/// a build of isl's in one function (`Aligned`), from parts that have been brought into one order.
#[derive(Clone)]
pub struct AstBuild {
    context: Set,
    options: Option<UnionMap>,
    iterators: Vec<String>,
    ctx: Ctx,
}

object! {
    /// A statement of the generated code.
    AstNode(isl_ast_node), isl_ast_node_copy, isl_ast_node_free
}
prints! { AstNode, isl_ast_node_to_C_str }
object! {
    /// An expression of the generated code.
    AstExpr(isl_ast_expr), isl_ast_expr_copy, isl_ast_expr_free
}
prints! { AstExpr, isl_ast_expr_to_C_str }

/// A statement taken apart.
#[derive(Clone, Debug)]
pub enum AstNodeKind {
    /// A loop.
    For {
        /// The counter.
        iterator: String,
        /// Its first value.
        init: AstExpr,
        /// The condition to go on.
        cond: AstExpr,
        /// What is added each time.
        inc: AstExpr,
        /// What is repeated.
        body: AstNode,
        /// The loop runs exactly once.
        degenerate: bool,
        /// What the observer of the build said of the loop.
        note: String,
    },
    /// A condition.
    If {
        /// The condition.
        cond: AstExpr,
        /// When it is true.
        then: AstNode,
        /// When it is false.
        otherwise: Option<AstNode>,
    },
    /// One after the other.
    Block(Vec<AstNode>),
    /// An instance of a statement: its name applied to its coordinates.
    User(AstExpr),
}

/// An expression taken apart.
#[derive(Clone, Debug)]
pub enum AstExprKind {
    /// An operator and its operands.
    Op(Operator, Vec<AstExpr>),
    /// A name.
    Id(String),
    /// A number, in decimal.
    Int(String),
}

/// The operators of expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operator {
    And,
    AndThen,
    Or,
    OrElse,
    Max,
    Min,
    Minus,
    Add,
    Sub,
    Mul,
    /// Exact division.
    Div,
    /// Division rounded down.
    FloorDiv,
    /// Division of a value that is not negative.
    PositiveDiv,
    /// Remainder of a value that is not negative.
    PositiveRem,
    /// Remainder of which only the comparison with zero counts.
    ZeroRem,
    Cond,
    Select,
    Eq,
    Le,
    Lt,
    Ge,
    Gt,
    Call,
}

/// Passes isl's callback on to the closure and keeps the first error.
struct Observer<'a> {
    ctx: Ctx,
    note: &'a mut dyn FnMut(&UnionMap) -> Result<String>,
    error: Option<Error>,
}

unsafe extern "C" fn before_for(build: *mut raw::isl_ast_build, user: *mut c_void) -> *mut raw::isl_id {
    // SAFETY: `user` is the observer that `scan` keeps on its stack while isl builds, and nobody else uses
    // it; `build` is live during the call. A panic in the closure ends the process at this boundary.
    unsafe {
        let observer = &mut *user.cast::<Observer>();
        let order = UnionMap::own(&observer.ctx, "isl_ast_build_get_schedule", raw::isl_ast_build_get_schedule(build));
        match order.and_then(|order| (observer.note)(&order)) {
            Ok(note) => raw::isl_id_alloc(observer.ctx.as_ptr(), c_text(&note).as_ptr(), std::ptr::null_mut()),
            Err(error) => {
                observer.error.get_or_insert(error);
                std::ptr::null_mut()
            }
        }
    }
}

/// Something that is given to a build, together with the build for it.
struct Aligned<T> {
    build: RawBuild,
    subject: T,
}

/// isl's build; only `AstBuild::aligned` makes one.
struct RawBuild(*mut raw::isl_ast_build);

impl RawBuild {
    /// Gives the build away.
    fn give(self) -> *mut raw::isl_ast_build {
        let build = self.0;
        std::mem::forget(self);
        build
    }
}

impl Drop for RawBuild {
    fn drop(&mut self) {
        // SAFETY: the value owns the build (or null, which isl takes as well).
        unsafe {
            raw::isl_ast_build_free(self.0);
        }
    }
}

impl AstBuild {
    /// Code for parameters in `context`.
    pub fn from_context(context: &Set) -> Result<AstBuild> {
        Ok(AstBuild { context: context.clone(), options: None, iterators: Vec::new(), ctx: context.ctx().clone() })
    }

    /// The same with options for the loops, as a map from schedule space to `separate[i]`, `atomic[i]` or `unroll[i]`.
    pub fn with_options(&self, options: &UnionMap) -> Result<AstBuild> {
        Ok(AstBuild { options: Some(options.clone()), ..self.clone() })
    }

    /// The same with names for the loops' counters, outermost first.
    pub fn with_iterators(&self, names: &[String]) -> Result<AstBuild> {
        Ok(AstBuild { iterators: names.to_vec(), ..self.clone() })
    }

    /// The one place where isl's builds are made: all parts and the subject get their parameters in one order.
    fn aligned<T: Parametric>(&self, subject: &T) -> Result<Aligned<T>> {
        let mut space = subject.parameters()?;
        if let Some(options) = &self.options {
            space = options.parameters()?.aligned(&space)?.parameters()?;
        }
        // The context in the order of the others, then the others with all that the context has.
        let context = self.context.aligned(&space)?;
        let space = context.parameters()?;
        let context = if crate::planted("a1-align") { self.context.clone() } else { context };
        let subject = subject.aligned(&space)?;
        let options = self.options.as_ref().map(|options| options.aligned(&space)).transpose()?;
        // SAFETY: isl takes the references made here, and the list with its names; the build is owned at once.
        let build = unsafe {
            let mut build = raw::isl_ast_build_from_context(context.give());
            if let Some(options) = options {
                build = raw::isl_ast_build_set_options(build, options.give());
            }
            if !self.iterators.is_empty() {
                let mut list = raw::isl_id_list_alloc(self.ctx.as_ptr(), self.iterators.len() as i32);
                for name in &self.iterators {
                    let id = raw::isl_id_alloc(self.ctx.as_ptr(), c_text(name).as_ptr(), std::ptr::null_mut());
                    list = raw::isl_id_list_add(list, id);
                }
                build = raw::isl_ast_build_set_iterators(build, list);
            }
            RawBuild(build)
        };
        if build.0.is_null() {
            Err(self.ctx.error("isl_ast_build_from_context"))
        } else {
            Ok(Aligned { build, subject })
        }
    }

    /// Code that visits the instances in the order of `schedule`. `note` sees, for each loop, the order of the instances
    /// in it up to and with its own counter; what it says is kept with the loop.
    pub fn scan(&self, schedule: &UnionMap, note: &mut dyn FnMut(&UnionMap) -> Result<String>) -> Result<AstNode> {
        let Aligned { build, subject } = self.aligned(schedule)?;
        let mut observer = Observer { ctx: self.ctx.clone(), note, error: None };
        // SAFETY: the observer outlives the call that uses it, and the build that knows of it is freed here; isl
        // takes the references made for it; the node is handed over.
        let node = unsafe {
            let user = (&raw mut observer).cast::<c_void>();
            let build = RawBuild(raw::isl_ast_build_set_before_each_for(build.give(), Some(before_for), user));
            let node = raw::isl_ast_build_node_from_schedule_map(build.0, subject.give());
            AstNode::own(&self.ctx, "isl_ast_build_node_from_schedule_map", node)
        };
        if let Some(error) = observer.error {
            return Err(error);
        }
        let node = node?;
        crate::visits::check(&node, &schedule.domain()?, &self.context.aligned(&schedule.parameters()?)?)?;
        Ok(node)
    }

    /// An expression that is true for the parameters in `set`.
    pub fn condition(&self, set: &Set) -> Result<AstExpr> {
        let Aligned { build, subject } = self.aligned(set)?;
        // SAFETY: the build is kept, the set's reference is made for isl; the expression is handed over.
        let condition = unsafe {
            let expr = raw::isl_ast_build_expr_from_set(build.0, subject.give());
            AstExpr::own(&self.ctx, "isl_ast_build_expr_from_set", expr)?
        };
        crate::visits::check_condition(&condition, set, &self.context.aligned(&set.parameters()?)?)?;
        Ok(condition)
    }

    /// An expression with the value of `value`, wherever it has one.
    pub fn expression(&self, value: &PwAff) -> Result<AstExpr> {
        // Isl refuses to write what has no value for any parameters of the context ("void expression"). Nobody asks for
        // that value, and any will do.
        if value.domain()?.intersect(&self.context)?.is_empty()? {
            // SAFETY: isl takes the number; the expression is handed over.
            return unsafe {
                let zero = raw::isl_val_int_from_si(self.ctx.as_ptr(), 0);
                AstExpr::own(&self.ctx, "isl_ast_expr_from_val", raw::isl_ast_expr_from_val(zero))
            };
        }
        let Aligned { build, subject } = self.aligned(value)?;
        // SAFETY: the build is kept, the value's reference is made for isl; the expression is handed over.
        unsafe {
            let expr = raw::isl_ast_build_expr_from_pw_aff(build.0, subject.give());
            AstExpr::own(&self.ctx, "isl_ast_build_expr_from_pw_aff", expr)
        }
    }
}

/// What has parameters that can be brought into an order.
trait Parametric: Sized {
    /// The parameters, as a set of all their values.
    fn parameters(&self) -> Result<Set>;
    /// The same with the parameters of `order` first, in their order.
    fn aligned(&self, order: &Set) -> Result<Self>;
}

macro_rules! parametric {
    ($name:ident, $space:ident, $align:ident) => {
        impl Parametric for $name {
            fn parameters(&self) -> Result<Set> {
                // SAFETY: the object is live and only looked at; each space is handed on; the set is handed over.
                unsafe {
                    let space = raw::isl_space_params(raw::$space(self.keep()));
                    Set::own(self.ctx(), stringify!($space), raw::isl_set_universe(space))
                }
            }

            fn aligned(&self, order: &Set) -> Result<$name> {
                // SAFETY: isl takes the references made here; the result is handed over.
                unsafe {
                    let space = raw::isl_set_get_space(order.keep());
                    $name::own(self.ctx(), stringify!($align), raw::$align(self.give(), space))
                }
            }
        }
    };
}

parametric!(Set, isl_set_get_space, isl_set_align_params);
parametric!(UnionMap, isl_union_map_get_space, isl_union_map_align_params);
parametric!(PwAff, isl_pw_aff_get_space, isl_pw_aff_align_params);

impl AstNode {
    /// Takes the statement apart.
    pub fn kind(&self) -> Result<AstNodeKind> {
        // SAFETY: the node is live and kept; each part is handed over; isl checks the kinds.
        unsafe {
            match raw::isl_ast_node_get_type(self.keep()) {
                raw::isl_ast_node_type_isl_ast_node_for => self.for_kind(),
                raw::isl_ast_node_type_isl_ast_node_if => {
                    let has_else = raw::isl_ast_node_if_has_else_node(self.keep());
                    let otherwise =
                        if self.ctx.truth("isl_ast_node_if_has_else_node", has_else)? {
                            Some(self.node(
                                "isl_ast_node_if_get_else_node",
                                raw::isl_ast_node_if_get_else_node(self.keep()),
                            )?)
                        } else {
                            None
                        };
                    Ok(AstNodeKind::If {
                        cond: self.expr("isl_ast_node_if_get_cond", raw::isl_ast_node_if_get_cond(self.keep()))?,
                        then: self
                            .node("isl_ast_node_if_get_then_node", raw::isl_ast_node_if_get_then_node(self.keep()))?,
                        otherwise,
                    })
                }
                raw::isl_ast_node_type_isl_ast_node_block => {
                    let list = raw::isl_ast_node_block_get_children(self.keep());
                    let size = self.ctx.count("isl_ast_node_block_get_children", raw::isl_ast_node_list_size(list));
                    let children = size.and_then(|n| {
                        (0..n)
                            .map(|i| {
                                self.node("isl_ast_node_list_get_at", raw::isl_ast_node_list_get_at(list, i as i32))
                            })
                            .collect()
                    });
                    raw::isl_ast_node_list_free(list);
                    children.map(AstNodeKind::Block)
                }
                raw::isl_ast_node_type_isl_ast_node_mark => {
                    self.node("isl_ast_node_mark_get_node", raw::isl_ast_node_mark_get_node(self.keep()))?.kind()
                }
                raw::isl_ast_node_type_isl_ast_node_user => {
                    let call = self.expr("isl_ast_node_user_get_expr", raw::isl_ast_node_user_get_expr(self.keep()))?;
                    Ok(AstNodeKind::User(call))
                }
                _ => Err(self.ctx.error("isl_ast_node_get_type")),
            }
        }
    }

    fn for_kind(&self) -> Result<AstNodeKind> {
        // SAFETY: the node is live, kept, and a loop; each part is handed over; the annotation is freed here.
        unsafe {
            let node = self.keep();
            let iterator = self.expr("isl_ast_node_for_get_iterator", raw::isl_ast_node_for_get_iterator(node))?;
            let AstExprKind::Id(iterator) = iterator.kind()? else {
                return Err(self.ctx.error("isl_ast_node_for_get_iterator"));
            };
            let id = raw::isl_ast_node_get_annotation(node);
            let mut note = String::new();
            if !id.is_null() {
                let name = raw::isl_id_get_name(id);
                if !name.is_null() {
                    note = CStr::from_ptr(name).to_string_lossy().into_owned();
                }
                raw::isl_id_free(id);
            }
            Ok(AstNodeKind::For {
                iterator,
                init: self.expr("isl_ast_node_for_get_init", raw::isl_ast_node_for_get_init(node))?,
                cond: self.expr("isl_ast_node_for_get_cond", raw::isl_ast_node_for_get_cond(node))?,
                inc: self.expr("isl_ast_node_for_get_inc", raw::isl_ast_node_for_get_inc(node))?,
                body: self.node("isl_ast_node_for_get_body", raw::isl_ast_node_for_get_body(node))?,
                degenerate: self
                    .ctx
                    .truth("isl_ast_node_for_is_degenerate", raw::isl_ast_node_for_is_degenerate(node))?,
                note,
            })
        }
    }

    /// # Safety
    /// As `AstNode::own`.
    unsafe fn node(&self, operation: &'static str, ptr: *mut raw::isl_ast_node) -> Result<AstNode> {
        // SAFETY: the caller's promise is the same.
        unsafe { AstNode::own(&self.ctx, operation, ptr) }
    }

    /// # Safety
    /// As `AstExpr::own`.
    unsafe fn expr(&self, operation: &'static str, ptr: *mut raw::isl_ast_expr) -> Result<AstExpr> {
        // SAFETY: the caller's promise is the same.
        unsafe { AstExpr::own(&self.ctx, operation, ptr) }
    }
}

impl AstExpr {
    /// Takes the expression apart.
    pub fn kind(&self) -> Result<AstExprKind> {
        // SAFETY: the expression is live and kept; identifiers and values are freed here; operands are handed over.
        unsafe {
            match raw::isl_ast_expr_get_type(self.keep()) {
                raw::isl_ast_expr_type_isl_ast_expr_id => {
                    let id = raw::isl_ast_expr_get_id(self.keep());
                    let name = raw::isl_id_get_name(id);
                    let text = (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned());
                    raw::isl_id_free(id);
                    text.map(AstExprKind::Id).ok_or_else(|| self.ctx.error("isl_ast_expr_get_id"))
                }
                raw::isl_ast_expr_type_isl_ast_expr_int => {
                    let value = raw::isl_ast_expr_get_val(self.keep());
                    let text = crate::object::take_text(raw::isl_val_to_str(value));
                    raw::isl_val_free(value);
                    text.map(AstExprKind::Int).ok_or_else(|| self.ctx.error("isl_ast_expr_get_val"))
                }
                _ => {
                    let operator = operator(raw::isl_ast_expr_get_op_type(self.keep()));
                    let operator = operator.ok_or_else(|| self.ctx.error("isl_ast_expr_get_op_type"))?;
                    let size =
                        self.ctx.count("isl_ast_expr_get_op_n_arg", raw::isl_ast_expr_get_op_n_arg(self.keep()))?;
                    let operands = (0..size).map(|i| {
                        let operand = raw::isl_ast_expr_get_op_arg(self.keep(), i as i32);
                        AstExpr::own(&self.ctx, "isl_ast_expr_get_op_arg", operand)
                    });
                    Ok(AstExprKind::Op(operator, operands.collect::<Result<_>>()?))
                }
            }
        }
    }
}

fn operator(kind: raw::isl_ast_expr_op_type) -> Option<Operator> {
    Some(match kind {
        raw::isl_ast_expr_op_type_isl_ast_expr_op_and => Operator::And,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_and_then => Operator::AndThen,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_or => Operator::Or,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_or_else => Operator::OrElse,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_max => Operator::Max,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_min => Operator::Min,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_minus => Operator::Minus,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_add => Operator::Add,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_sub => Operator::Sub,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_mul => Operator::Mul,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_div => Operator::Div,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_fdiv_q => Operator::FloorDiv,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_pdiv_q => Operator::PositiveDiv,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_pdiv_r => Operator::PositiveRem,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_zdiv_r => Operator::ZeroRem,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_cond => Operator::Cond,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_select => Operator::Select,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_eq => Operator::Eq,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_le => Operator::Le,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_lt => Operator::Lt,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_ge => Operator::Ge,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_gt => Operator::Gt,
        raw::isl_ast_expr_op_type_isl_ast_expr_op_call => Operator::Call,
        _ => return None,
    })
}
