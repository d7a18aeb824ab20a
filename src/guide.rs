//! The programs of `docs/guide` are doctests, one item for each page.

#[doc = include_str!("../docs/guide/kernels.md")]
pub struct Kernels;

#[doc = include_str!("../docs/guide/views.md")]
pub struct Views;

#[doc = include_str!("../docs/guide/boxes.md")]
pub struct Boxes;

#[doc = include_str!("../docs/guide/teams.md")]
pub struct Teams;
