//! Syntax trees that isl builds.
#![allow(unsafe_code)]

use crate::{Result, raw};
use std::ffi::CStr;

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

/// The parts of a statement.
#[derive(Clone, Debug)]
pub enum AstNodeKind {
    /// A loop.
    For {
        /// The counter.
        iterator: String,
        /// Its first value.
        init: AstExpr,
        /// The condition for another iteration.
        cond: AstExpr,
        /// The increment.
        inc: AstExpr,
        /// What is repeated.
        body: AstNode,
        /// Whether the loop runs exactly once.
        degenerate: bool,
        /// The build observer's note on the loop.
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
    /// A sequence of statements.
    Block(Vec<AstNode>),
    /// An instance of a statement: its name applied to its coordinates.
    User(AstExpr),
}

/// The parts of an expression.
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
    /// Division of a non-negative value.
    PositiveDiv,
    /// Remainder of a non-negative value.
    PositiveRem,
    /// A remainder that is only compared with zero.
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

impl AstNode {
    /// Decomposes the statement.
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
    /// Decomposes the expression.
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
