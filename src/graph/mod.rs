//! Parameterised task graphs for generated code: tiles described by functions of integer coordinates.
//!
//! A tile becomes a task when its first input arrives and is forgotten when it has run, so the whole graph is never held.
//! Tiles without predecessors are found by all workers in parallel while others already run. A ready tile is one word (its number
//! in the box) in its worker's deque; the tile that was released last runs next on the same worker, thieves take the oldest.

mod callbacks;
mod pending;
mod roots;
mod running;
mod sizes;
mod space;

#[cfg(test)]
mod tests;
