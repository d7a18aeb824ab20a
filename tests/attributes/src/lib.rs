//! Attributes that change the item below them, and a macro that changes its mind, as any crate may have them: for tests of derives.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use proc_macro::TokenStream;

/// Puts its argument in the place of the item.
#[proc_macro_attribute]
pub fn becomes(argument: TokenStream, _item: TokenStream) -> TokenStream {
    argument
}

/// A reference to a View: shared at its first expansion, mutable afterwards.
#[proc_macro]
pub fn shared_then_mutable(lifetime: TokenStream) -> TokenStream {
    static EXPANSIONS: AtomicUsize = AtomicUsize::new(0);
    let mutable = if EXPANSIONS.fetch_add(1, Relaxed) == 0 { "" } else { "mut" };
    format!("&{lifetime} {mutable} View<f64, 1>").parse().expect("a type")
}
