//! Parts of reductions and scans: pieces of an iteration space, computed anywhere and merged, with the bits of one launch.
//!
//! | file | concept |
//! |---|---|
//! | `part.rs` | [`Part`]: the reduced iterations, merged and finished |
//! | `scan_part.rs` | [`ScanPart`]: the same for scans |
//! | `shares.rs` | [`reduce_shares`]: one reduction by several spaces at the same time |
//! | `policy.rs` | [`PartPolicy`], [`MapPartPolicy`] and [`ScanPartPolicy`]: the policies whose iterations a part appends |
//! | `bytes.rs` | a part as bytes, to be sent or stored |
//! | `portable.rs` | [`Portable`]: values as bytes |
//! | `message.rs` | the elements in the bytes of a message |
//! | `checks.rs` | the checks that both share |

mod bytes;
mod checks;
mod message;
mod part;
mod policy;
mod portable;
mod scan_part;
mod shares;

pub use part::Part;
pub use policy::{MapPartPolicy, PartPolicy, ScanPartPolicy};
pub use portable::{Portable, PortableForm};
pub use scan_part::ScanPart;
pub use shares::reduce_shares;
