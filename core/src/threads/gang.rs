//! Threads that run together.

/// What a member panics with when another member's panic is the cause.
pub(super) struct Abandoned;
