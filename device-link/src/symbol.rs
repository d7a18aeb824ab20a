//! Names: mangled, readable, and legal in PTX.

/// The name that a symbol has in PTX: characters that PTX does not allow become `_`.
pub(crate) fn ptx_name(symbol: &str) -> String {
    let legal = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$';
    symbol.chars().map(|letter| if legal(letter) { letter } else { '_' }).collect()
}

/// The name as its author wrote it: `core::panicking::panic_fmt`; any other symbol as it is.
pub(crate) fn readable(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}

/// The readable name without the type arguments of the function itself.
pub(crate) fn path(symbol: &str) -> String {
    let mut name = readable(symbol);
    if name.ends_with('>') {
        // The `<` that belongs to the last `>`; `->` in a function type is not a bracket.
        let (mut depth, mut start) = (0, None);
        let bytes = name.as_bytes();
        for place in (0..bytes.len()).rev() {
            match bytes[place] {
                b'>' if place > 0 && bytes[place - 1] == b'-' => {}
                b'>' => depth += 1,
                b'<' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                start = Some(place);
                break;
            }
        }
        if let Some(start) = start
            && name[..start].ends_with("::")
        {
            name.truncate(start - 2);
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_characters_that_ptx_allows() {
        assert_eq!(ptx_name("_ZN4main3run17h0E.llvm.12"), "_ZN4main3run17h0E_llvm_12");
    }

    #[test]
    fn both_manglings_are_readable() {
        assert_eq!(
            readable("_ZN4core9panicking9panic_fmt17h0123456789abcdefE"),
            "core::panicking::panic_fmt"
        );
        assert_eq!(readable("_RNvNtCsgEmfK2I1SDS_4core9panicking9panic_fmt"), "core::panicking::panic_fmt");
        assert_eq!(readable("memcpy"), "memcpy");
    }

    #[test]
    fn paths_lack_type_arguments() {
        let symbol = "_RINvNtCsgEmfK2I1SDS_4core9panicking13assert_failedmmECskKyl3YCpE6P_3dev";
        assert_eq!(readable(symbol), "core::panicking::assert_failed::<u32, u32>");
        assert_eq!(path(symbol), "core::panicking::assert_failed");
        // The arrow of a function's type closes nothing.
        let symbol = "_RINvNtCsgEmfK2I1SDS_4core9panicking13assert_failedFmEmmECskKyl3YCpE6P_3dev";
        assert_eq!(readable(symbol), "core::panicking::assert_failed::<fn(u32) -> u32, u32>");
        assert_eq!(path(symbol), "core::panicking::assert_failed");
    }
}
