//! `KOKKOS_TOOLS_ARGS`: the command line of a tool.

use core::ffi::c_char;

/// The word that asks for a tool's help: Kokkos's option of that name.
const HELP: &str = "--kokkos-tools-help";

/// The words of a command line, each ending in a zero byte, which C may change.
pub(super) struct Arguments {
    words: Vec<Vec<u8>>,
    pub(super) asks_for_help: bool,
}

impl Arguments {
    /// The words of `text`, between spaces and tabs; without a text, the program's name, as in Kokkos.
    pub(super) fn new(text: Option<&[u8]>, program: &[u8]) -> Self {
        let words: Vec<&[u8]> = match text {
            Some(text) => text.split(|byte| b" \t".contains(byte)).filter(|word| !word.is_empty()).collect(),
            None => vec![program],
        };
        let asks_for_help = words.contains(&HELP.as_bytes());
        let words = words.into_iter().filter(|word| *word != HELP.as_bytes());
        Self { words: words.map(|word| [word, b"\0"].concat()).collect(), asks_for_help }
    }

    /// Pointers to the words, and a null pointer: `argv`.
    pub(super) fn pointers(&mut self) -> Vec<*mut c_char> {
        let words = self.words.iter_mut().map(|word| word.as_mut_ptr().cast());
        words.chain([core::ptr::null_mut()]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Arguments;

    fn words(text: Option<&str>) -> (Vec<String>, bool) {
        let arguments = Arguments::new(text.map(str::as_bytes), b"program");
        let words = arguments.words.iter().map(|word| String::from_utf8(word.clone()).expect("text"));
        (words.collect(), arguments.asks_for_help)
    }

    #[test]
    fn words_are_between_spaces_and_tabs() {
        assert_eq!(words(None), (vec!["program\0".to_owned()], false));
        assert_eq!(words(Some("")), (vec![], false));
        assert_eq!(words(Some(" -c\t 3  ")), (vec!["-c\0".to_owned(), "3\0".to_owned()], false));
        assert_eq!(words(Some("--kokkos-tools-help -c")), (vec!["-c\0".to_owned()], true));
    }

    #[test]
    fn the_last_pointer_is_null() {
        let mut arguments = Arguments::new(Some(b"a b"), b"");
        let pointers = arguments.pointers();
        assert_eq!(
            pointers.iter().map(|pointer| pointer.is_null()).collect::<Vec<_>>(),
            [false, false, true]
        );
    }
}
