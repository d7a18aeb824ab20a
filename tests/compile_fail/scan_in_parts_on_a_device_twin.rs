//! The twin that compiles: spaces of the host scan in parts; a device does not, and neither does a space that may be one.
use spelt::ScansParts;
use spelt::prelude::*;

fn prefixes<S: ScansParts>(space: &S) {
    let mut part = ScanPart::new(4, Sum::<f64>::new());
    part.scan("k", space.range(0..4), (), |_, sum, _, ()| *sum += 1.0).unwrap();
}

pub(crate) fn main() {
    prefixes(&Serial::new());
}
