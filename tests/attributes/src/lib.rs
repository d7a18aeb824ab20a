//! For tests of derives: attributes that change the item below them, and a macro that changes its mind, as any crate may have them. For tests of
//! pages: their programs with other words.

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

/// The first program of a page with other words, for a module: `program_of!("docs/page.md", "words", "other words", ..)`, where the page has each
/// of the words once in that program. The path is that in the workspace, and the caller's package lies in `tests/`.
#[proc_macro]
pub fn program_of(arguments: TokenStream) -> TokenStream {
    let texts: Vec<String> = arguments
        .into_iter()
        .map(|token| token.to_string())
        .filter(|token| token != ",")
        .map(|token| token.trim_matches('"').to_owned())
        .collect();
    let [page, words @ ..] = &*texts else { panic!("no page") };
    let package = std::env::var("CARGO_MANIFEST_DIR").expect("cargo names the package");
    let path = format!("{package}/../../{page}");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let (_, program) = text.split_once("```rust\n").expect("a program");
    let mut program = program.split_once("```").expect("its end").0.to_owned();
    for pair in words.chunks(2) {
        let [words, others] = pair else { panic!("`{}` is alone", pair[0]) };
        assert_eq!(program.matches(words.as_str()).count(), 1, "`{words}` in the first program of {page}");
        program = program.replace(words, others);
    }
    // The compiler looks at the page again when it changes.
    format!("const _: &str = include_str!({path:?});\n{program}").parse().expect("a program")
}
