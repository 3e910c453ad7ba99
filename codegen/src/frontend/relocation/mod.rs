//! Checks that the user's text means the same in a tile's function, which precedes the user's own, and fits its stack.
//! It uses `survey` and the rooms before it.

pub mod collision;
pub mod hidden_names;
pub mod initializer;
pub mod made_tokens;
pub mod stack_space;
pub mod surroundings;
