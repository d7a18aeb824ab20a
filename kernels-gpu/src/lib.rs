//! What runs inside a Spelt kernel on every side: accessors, argument traits, the tile loop.
#![no_std]

mod element;
mod raw_view;

pub use element::Element;
pub use raw_view::RawView;
