//! Objects of the integer set library, owned and freed by Rust.
