//! The twin that compiles: layouts are sealed: a View to write has one place for each index.
use spelt::Layout;
use spelt::prelude::*;

fn rows_of<L: Layout>(view: &View<f64, 2, HostSpace, L>) -> usize {
    view.extents()[0]
}

pub(crate) fn main() {
    let view = View::<f64, 2, _, _>::zeros_in(Left, "view", [4, 3]).unwrap();
    assert_eq!(rows_of(&view), 4);
}
