//! Attributes that change the item below them, as any crate's may: for tests of derives above them.

use proc_macro::TokenStream;

/// Puts its argument in the place of the item.
#[proc_macro_attribute]
pub fn becomes(argument: TokenStream, _item: TokenStream) -> TokenStream {
    argument
}
