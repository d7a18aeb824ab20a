//! The programs of `docs/guide` and of `docs/tools.md` are doctests, one item for each page.

#[doc = include_str!("../docs/guide/kernels.md")]
pub struct Kernels;

#[doc = include_str!("../docs/guide/views.md")]
pub struct Views;

#[doc = include_str!("../docs/guide/boxes.md")]
pub struct Boxes;

#[doc = include_str!("../docs/guide/teams.md")]
pub struct Teams;

#[doc = include_str!("../docs/guide/vectors.md")]
pub struct Vectors;

#[cfg(feature = "mpi")]
#[doc = include_str!("../docs/guide/ranks.md")]
pub struct Ranks;

#[doc = include_str!("../docs/guide/beyond.md")]
pub struct Beyond;

#[doc = include_str!("../docs/tools.md")]
pub struct Tools;

#[doc = include_str!("../docs/guide/replacements.md")]
pub struct Replacements;

#[doc = include_str!("../docs/guide/device.md")]
pub struct Device;

#[doc = include_str!("../docs/guide/errors.md")]
pub struct Errors;
