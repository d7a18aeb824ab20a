//! Segments of a View, each reduced, scanned or made from a count.
//!
//! | file | content |
//! |---|---|
//! | `offsets` | the limits of segments, by flags, offsets or counts |
//! | `order` | the order of the joins in one segment of a reduction |
//! | `reduce`, `scan`, `scan_in_place` | the segmented forms of both |
//! | `runs`, `large_runs`, `marks` | the order of a segmented scan and its launches on a device, the runs of values too large for a stack, and the beginnings that it reads |
//! | `host`, `walk` | its launches on a host, and its loop over segments that offsets delimit |
//! | `staged`, `teams` | a segmented reduction on a device: of segments of one tile each, and the pieces of others |
//! | `expand`, `expand_reduce` | segments made from one element each, and their reductions without storing them |

mod expand;
mod expand_reduce;
mod host;
mod large_runs;
mod marks;
mod offsets;
mod order;
mod reduce;
mod runs;
mod scan;
mod scan_in_place;
mod staged;
mod teams;
mod walk;

pub use expand::{expand, expand_outer_reduce, offsets_from_counts, replicated_iota};
pub use offsets::{offsets_from_flags, offsets_from_integers};
pub(crate) use reduce::segmented_reduce;
pub use reduce::{segmented_reduce_by_flags, segmented_reduce_by_offsets};
pub use scan::{
    segmented_exclusive_scan_by_flags, segmented_exclusive_scan_by_offsets,
    segmented_inclusive_scan_by_flags, segmented_inclusive_scan_by_offsets,
};
pub use scan_in_place::{
    segmented_exclusive_scan_by_flags_in_place, segmented_exclusive_scan_by_offsets_in_place,
    segmented_inclusive_scan_by_flags_in_place, segmented_inclusive_scan_by_offsets_in_place,
};
