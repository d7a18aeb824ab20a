//! The modules of core depend on one another in one direction only.
//!
//! The sources are read as text: every path that begins with `crate::` or `super::`, in `use` or elsewhere. Code of tests is
//! left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The rooms of core from the bottom: each may use itself and those before it.
const ROOMS: &[&str] = &[
    "error",
    "variable",
    "primitive",
    "device",
    "unrolled",
    "isa",
    "moment",
    "launch_state",
    "tools",
    "environment",
    "pages",
    "memory",
    "arena",
    "on_heap",
    "view",
    "reach",
    "arguments",
    "described",
    "covered",
    "threads",
    "names",
    "team",
    "launch",
    "timer",
    "printer",
    "host",
    "patterns",
    "parts",
    "spaces",
    "graph",
    "cuda",
];

/// A module with its text.
struct Source {
    /// Its path from the root of the crate, such as `["view", "npy"]`; empty for the root itself.
    module: Vec<String>,
    text: String,
    /// Whether it is a folder's `mod.rs`, or the root.
    is_folder: bool,
}

/// A use of one module by another, as paths from the root.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Arrow {
    from: Vec<String>,
    to: Vec<String>,
}

/// The sources below `folder`, which are those of `module`.
fn read(folder: &Path, module: &[String], sources: &mut Vec<Source>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder of sources")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_stem().expect("a name").to_str().expect("UTF-8").to_owned();
        let below = [module, std::slice::from_ref(&name)].concat();
        if path.is_dir() {
            read(&path, &below, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source");
            let is_folder = name == "mod" || name == "lib";
            sources.push(Source { module: if is_folder { module.to_vec() } else { below }, text, is_folder });
        }
    }
}

/// The words and signs of a text, without comments, texts and characters.
fn tokens(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(raw) = rest.strip_prefix("r#\"") {
            raw.find("\"#").map_or(rest.len(), |end| end + 5)
        } else if rest.starts_with('"') {
            let mut end = 1;
            while bytes[at + end] != b'"' {
                end += if bytes[at + end] == b'\\' { 2 } else { 1 };
            }
            end + 1
        } else if let Some(escaped) = rest.strip_prefix("'\\") {
            4 + escaped[1..].find('\'').expect("the end of a character")
        } else if let Some(quoted) = rest.strip_prefix('\'') {
            // A character, or the sign of a lifetime, whose name is left out with it.
            let character = quoted.chars().next().expect("more than the quote").len_utf8();
            if quoted[character..].starts_with('\'') {
                character + 2
            } else {
                (1..).find(|&more| !is_word(at + more)).expect("an end")
            }
        } else if is_word(at) {
            let length = (1..).find(|&more| !is_word(at + more)).expect("an end");
            found.push(&rest[..length]);
            length
        } else if rest.starts_with("::") {
            found.push("::");
            2
        } else {
            let length = rest.chars().next().expect("a character").len_utf8();
            if !rest.starts_with(char::is_whitespace) {
                found.push(&rest[..length]);
            }
            length
        };
        at += length;
    }
    found
}

/// The end of the item at `at`: past its `;`, or past the brace that closes its first one.
fn past_item(tokens: &[&str], mut at: usize) -> usize {
    let mut depth = 0;
    while at < tokens.len() {
        match tokens[at] {
            "{" => depth += 1,
            "}" if depth <= 1 => return at + 1,
            "}" => depth -= 1,
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}

/// Past the bracket that closes the one at `at`.
fn past_bracket(tokens: &[&str], at: usize) -> usize {
    let mut depth = 0;
    for (after, token) in tokens[at..].iter().enumerate() {
        match *token {
            "[" => depth += 1,
            "]" if depth == 1 => return at + after + 1,
            "]" => depth -= 1,
            _ => {}
        }
    }
    tokens.len()
}

/// Whether these are the tokens of an attribute that leaves an item out unless tests are built.
fn is_for_tests(attribute: &[&str]) -> bool {
    let has = |word| attribute.contains(&word);
    let all_with_test = attribute.get(4..7) == Some(&["all", "(", "test"]);
    attribute.get(2) == Some(&"cfg") && (has("test") || has("doctest")) && (!has("not") || all_with_test)
}

/// The paths that continue `prefix` at `at`, groups taken apart, and the end of them.
fn continued(tokens: &[&str], mut at: usize, mut prefix: Vec<String>) -> (Vec<Vec<String>>, usize) {
    let is_name = |token: &str| token.starts_with(|c: char| c.is_alphabetic() || c == '_');
    loop {
        if tokens.get(at) != Some(&"::") {
            return (vec![prefix], at);
        }
        at += 1;
        match tokens.get(at) {
            Some(&"super") => {
                prefix.pop();
                at += 1;
            }
            Some(&"{") => {
                let mut paths = Vec::new();
                at += 1;
                while tokens[at] != "}" {
                    match tokens[at] {
                        "," => at += 1,
                        "self" => {
                            paths.push(prefix.clone());
                            at += 1;
                        }
                        "as" => at += 2,
                        "*" => {
                            paths.push(prefix.clone());
                            at += 1;
                        }
                        name => {
                            let (more, end) =
                                continued(tokens, at + 1, [&prefix[..], &[name.to_owned()]].concat());
                            paths.extend(more);
                            at = end;
                        }
                    }
                }
                return (paths, at + 1);
            }
            Some(name) if is_name(name) => {
                prefix.push((*name).to_owned());
                at += 1;
            }
            _ => return (vec![prefix], at),
        }
    }
}

/// Names that the root exports, each with the path that it has: empty for those of other crates.
fn exports(root: &str) -> BTreeMap<String, Vec<String>> {
    let tokens = tokens(root);
    let mut exports = BTreeMap::new();
    for at in 0..tokens.len() {
        if tokens[at] != "pub" || tokens.get(at + 1) != Some(&"use") {
            continue;
        }
        let first = tokens[at + 2].to_owned();
        let foreign = first.starts_with("spelt_");
        let (paths, end) = continued(&tokens, at + 3, vec![first]);
        let renamed = (tokens.get(end) == Some(&"as")).then(|| tokens[end + 1].to_owned());
        for path in paths {
            let name = renamed.clone().unwrap_or_else(|| path.last().expect("a name").clone());
            exports.insert(name, if foreign { Vec::new() } else { path });
        }
    }
    exports
}

/// All uses of one module by another, code of tests left out.
fn arrows(sources: &[Source]) -> BTreeSet<Arrow> {
    let root = sources.iter().find(|source| source.module.is_empty()).expect("a root");
    let exports = exports(&root.text);
    let rooms: BTreeSet<&String> = sources.iter().filter_map(|source| source.module.first()).collect();
    let mut for_tests = BTreeSet::new();
    let mut found = BTreeSet::new();
    for source in sources {
        let tokens = tokens(&source.text);
        let mut inline: Vec<(String, usize)> = Vec::new();
        let (mut at, mut depth) = (0, 0_usize);
        while at < tokens.len() {
            match tokens[at] {
                "#" if tokens.get(at + 1) == Some(&"[") => {
                    let end = past_bracket(&tokens, at + 1);
                    if is_for_tests(&tokens[at..end]) {
                        let past = past_item(&tokens, end);
                        if let Some(name) =
                            tokens[end..past].iter().skip_while(|token| **token != "mod").nth(1)
                        {
                            for_tests.insert([&source.module[..], &[(*name).to_owned()]].concat());
                        }
                        at = past;
                    } else {
                        at = end;
                    }
                    continue;
                }
                "mod" if tokens.get(at + 2) == Some(&"{") => inline.push((tokens[at + 1].to_owned(), depth)),
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    if inline.last().is_some_and(|(_, begin)| *begin == depth) {
                        inline.pop();
                    }
                }
                // `$crate` is for users of the macro.
                word @ ("crate" | "super")
                    if tokens.get(at + 1) == Some(&"::")
                        && (at == 0 || !["$", "::"].contains(&tokens[at - 1])) =>
                {
                    let mut start = Vec::new();
                    if word == "super" {
                        start.clone_from(&source.module);
                        start.extend(inline.iter().map(|(name, _)| name.clone()));
                        start.pop();
                    }
                    let (paths, end) = continued(&tokens, at + 1, start);
                    for mut to in paths {
                        if to.first().is_some_and(|first| !rooms.contains(first)) {
                            let exported = exports.get(&to[0]);
                            to = exported
                                .unwrap_or_else(|| panic!("`crate::{}` is unknown", to.join("::")))
                                .clone();
                        }
                        if !to.is_empty() {
                            found.insert(Arrow { from: source.module.clone(), to });
                        }
                    }
                    at = end;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
    }
    found.retain(|arrow| !for_tests.iter().any(|module| arrow.from.starts_with(module)));
    found
}

/// Arrows from a room to a later one, as pairs of rooms.
fn upward(rooms: &[&str], arrows: &BTreeSet<Arrow>) -> BTreeSet<(String, String)> {
    let number = |room: &str| {
        rooms.iter().position(|listed| *listed == room).unwrap_or_else(|| panic!("list the module `{room}`"))
    };
    let ends =
        arrows.iter().filter(|arrow| !arrow.from.is_empty()).map(|arrow| (&arrow.from[0], &arrow.to[0]));
    ends.filter(|(from, to)| number(from) < number(to)).map(|(from, to)| (from.clone(), to.clone())).collect()
}

/// Folders that use one another in a circle. A folder and those within it belong together.
fn circles(sources: &[Source], arrows: &BTreeSet<Arrow>) -> BTreeSet<(String, String)> {
    let folders: BTreeSet<&[String]> =
        sources.iter().filter(|source| source.is_folder).map(|source| &source.module[..]).collect();
    let folder = |path: &[String]| {
        (0..=path.len())
            .rev()
            .map(|end| path[..end].to_vec())
            .find(|prefix| folders.contains(&prefix[..]))
            .expect("a folder")
    };
    let mut reached: BTreeSet<(Vec<String>, Vec<String>)> = arrows
        .iter()
        .map(|arrow| (folder(&arrow.from), folder(&arrow.to)))
        .filter(|(from, to)| !from.starts_with(to) && !to.starts_with(from))
        .collect();
    loop {
        let longer: Vec<_> = reached
            .iter()
            .flat_map(|(from, over)| {
                let on = reached.iter().filter(move |(next, _)| next == over);
                on.map(move |(_, to)| (from.clone(), to.clone()))
            })
            .collect();
        let before = reached.len();
        reached.extend(longer);
        if reached.len() == before {
            break;
        }
    }
    let both = reached.iter().filter(|(from, to)| from < to && reached.contains(&(to.clone(), from.clone())));
    both.map(|(from, to)| (from.join("/"), to.join("/"))).collect()
}

#[test]
fn modules_of_core_use_those_below_them() {
    let mut sources = Vec::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("core/src"), &[], &mut sources);
    let there: BTreeSet<&str> =
        sources.iter().filter_map(|source| source.module.first()).map(String::as_str).collect();
    let listed: BTreeSet<&str> = ROOMS.iter().copied().collect();
    assert_eq!(there, listed, "the modules of core, and those listed here");
    let arrows = arrows(&sources);
    assert!(arrows.len() > 100, "{} arrows were found", arrows.len());
    assert_eq!(upward(ROOMS, &arrows), BTreeSet::new(), "arrows upward");
    assert_eq!(circles(&sources, &arrows), BTreeSet::new(), "circles between folders");
}

#[test]
fn arrows_are_found_in_every_form() {
    let source = |module: &[&str], is_folder, text: &str| Source {
        module: module.iter().map(|&name| name.to_owned()).collect(),
        text: text.to_owned(),
        is_folder,
    };
    let with = |text: &str| {
        let sources = [
            source(
                &[],
                true,
                "mod low; mod high; pub use low::One; pub use high::{Two, inner::Three as Four}; pub use spelt_a::Five;",
            ),
            source(&["high"], true, "mod inner; use crate::low;"),
            source(&["low"], true, "mod part;"),
            source(&["low", "part"], false, text),
        ];
        let arrows = arrows(&sources);
        (upward(&["low", "high"], &arrows).len(), circles(&sources, &arrows).len())
    };
    for found in [
        "use crate::high;",
        "use crate::{One, high::inner::{self, Three}};",
        "use crate::Two;",
        "fn f() -> super::super::high::Two { '{'; '\\''; \"}\"; todo!() }",
        "mod inline { fn f<'a>() { super::super::super::high::g::<'a>() } }",
        "#[cfg(not(test))] use crate::high::Two;",
        "#[cfg(test)] mod tests { fn f() {} } use crate::high::Two;",
    ] {
        assert_eq!(with(found), (1, 1), "{found}");
    }
    for nothing in [
        "use crate::{One, Five}; use super::One;",
        "// crate::high\n/* crate::high */ fn f() { \"crate::high\"; r#\"\"crate::high\"#; $crate::high::g() }",
        "mod inline { use super::super::high; }",
        "#[cfg(test)] use crate::high; #[cfg(all(test, x))] mod tests { use crate::high::{Two, inner}; }",
        "#[cfg(all(test, not(x)))] mod tests { use crate::high::Two; }",
    ] {
        assert_eq!(with(nothing), (0, 0), "{nothing}");
    }
}
