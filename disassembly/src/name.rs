//! Names of functions: which crate they belong to.

/// The crates of Rust's library.
const LIBRARY: [&str; 3] = ["core", "alloc", "std"];

/// The crate of a demangled function; `None` for one without a path, such as a function of C.
fn crate_of(name: &str) -> Option<&str> {
    // `<Type as Trait>::function`: the type's crate, or the trait's if the type has no path.
    let qualified = name.strip_prefix('<');
    let path = qualified.unwrap_or(name).trim_start_matches(['&', '(', '[', '*', '<']);
    let path = ["mut ", "dyn ", "const "].iter().find_map(|word| path.strip_prefix(word)).unwrap_or(path);
    let end =
        path.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(path.len());
    let (first, rest) = path.split_at(end);
    if rest.starts_with("::") {
        return Some(first);
    }
    qualified.and_then(|_| rest.split_once(" as ")).and_then(|(_, of_trait)| crate_of(of_trait))
}

/// Whether a function belongs to Spelt.
fn is_of_spelt(name: &str) -> bool {
    crate_of(name).is_some_and(|name| name == "spelt" || name.starts_with("spelt_"))
}

/// Whether a function was written by the user: neither part of Spelt nor of Rust's library.
#[must_use]
pub fn is_of_user(name: &str) -> bool {
    crate_of(name).is_some_and(|name| !LIBRARY.contains(&name)) && !is_of_spelt(name)
}

/// Whether a function is the only use of a launch's closure: `spelt_order::body` has its protocol.
pub(crate) fn is_body(name: &str) -> bool {
    let name = name.split("::<").next().unwrap_or(name);
    name == "spelt_order::body::call"
        || (name.contains("spelt_order::body::Late<") && name.ends_with(">::call"))
}

/// Whether a function uses a closure of a launch, or of a nested loop: these have one function that calls them.
pub(crate) fn is_use(name: &str) -> bool {
    is_body(name) || name.starts_with("spelt_core::team::alone::each")
}

/// Whether a function is a closure of Spelt's algorithms: the user's is inside.
pub(crate) fn is_closure_of_algorithm(name: &str) -> bool {
    crate_of(name) == Some("spelt_algorithms") && name.contains("{closure")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_are_found_in_names() {
        for (name, of_user) in [
            ("program::main::{{closure}}", true),
            ("program::main::{closure#0}", true),
            ("<program::Body as spelt_core::patterns::Contribution<A>>::contribute", true),
            ("<F as spelt_core::patterns::Contribution<A>>::contribute", false),
            ("<&mut F as core::ops::function::FnOnce<A>>::call_once", false),
            ("<[T] as program::Trait>::f", true),
            ("spelt_core::isa::avx512", false),
            ("speltlike::f", true),
            ("memcpy", false),
            ("call<program::main::{closure_env#0}, <program::Type as program::Trait>::Item>", false),
        ] {
            assert_eq!(is_of_user(name), of_user, "{name}");
        }
    }

    #[test]
    fn bodies_are_known_in_both_manglings() {
        for name in [
            "spelt_order::body::call",
            "spelt_order::body::call::<[usize; 1], spelt_core::host::kernel::ForKernel<A, F, 1>>",
            "<spelt_core::host::kernel::ForKernel<A,F,_> as spelt_order::body::Late<[usize; N]>>::call",
        ] {
            assert!(is_body(name), "{name}");
        }
        for name in ["spelt_order::body::late", "spelt_order::tile::call", "program::call"] {
            assert!(!is_body(name), "{name}");
        }
    }
}
