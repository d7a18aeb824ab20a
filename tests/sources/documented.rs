//! Every public type and function of the crates and folders that users read first has an example.
//!
//! The sources are scanned by line, in the form that rustfmt gives them. `cargo test` runs the examples.

use std::path::{Path, PathBuf};

/// The folders and files in which everything public has an example.
const SOURCES: &[&str] = &[
    "policies/src",
    "access/src",
    "core/src/view",
    "core/src/arguments",
    "core/src/parts",
    "core/src/spaces",
    "core/src/launch/execution_space.rs",
    "core/src/error.rs",
    "core/src/threads/builder.rs",
    "mpi/src",
    "random/src",
    "simd/src",
    "containers/src",
];

/// Public items that no documentation shows, because their module is private or hidden.
const INTERNAL: &[(&str, &str)] = &[
    ("access/src/failure.rs", "Describer"),
    ("core/src/arguments/scatter.rs", "Replicas"),
    ("core/src/view/slice.rs", "Kind"),
    ("core/src/view/slice.rs", "Index"),
    ("core/src/view/slice.rs", "Whole"),
    ("core/src/view/slice.rs", "Run"),
    ("core/src/view/slice.rs", "Gaps"),
    ("mpi/src/files/vtk.rs", "Field"),
    ("mpi/src/plan/messages.rs", "RowsOf"),
    ("mpi/src/plan/messages.rs", "Filling"),
    ("mpi/src/plan/messages.rs", "Received"),
];

/// The name of the public type, trait or function that a line declares.
fn public_item(line: &str) -> Option<&str> {
    let declared = line.strip_prefix("pub ")?;
    let declared = declared.trim_start_matches("const ").trim_start_matches("unsafe ");
    let (kind, rest) = declared.split_once(' ')?;
    matches!(kind, "fn" | "struct" | "enum" | "trait" | "type").then(|| name(rest))
}

fn name(rest: &str) -> &str {
    rest.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).next().unwrap_or(rest)
}

/// The items of a source without an example, with their lines.
fn lacking(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    // The comments and attributes above the current line.
    let (mut docs, mut has_docs, mut hidden) = (String::new(), false, false);
    let (mut in_attribute, mut in_trait, mut in_call) = (false, false, false);
    let mut sealed: Option<&str> = None;
    for (number, line) in source.lines().enumerate() {
        let text = line.trim_start();
        let indentation = &line[..line.len() - text.len()];
        if let Some(outer) = sealed {
            sealed = (!(text.starts_with('}') && indentation == outer)).then_some(outer);
            continue;
        }
        if text.starts_with("#[cfg(test)]") {
            break;
        }
        if text.ends_with("mod sealed {") {
            sealed = Some(indentation);
            continue;
        }
        if text.starts_with("///") {
            docs += text;
            has_docs = true;
            continue;
        }
        if text.starts_with("#[") || in_attribute {
            docs += text;
            hidden |= text.starts_with("#[doc(hidden)]");
            // An attribute of several lines ends with the line that closes its bracket.
            in_attribute = if in_attribute {
                text != ")]"
            } else {
                text.matches('[').count() > text.matches(']').count()
            };
            continue;
        }
        if text.starts_with("//") || text.is_empty() {
            continue;
        }
        // An item of a macro whose documentation comes from the macro's call.
        let from_call = text.starts_with("$(#[$");
        if from_call {
            docs += "```";
            continue;
        }
        let item = public_item(text).or_else(|| {
            let is_function = in_trait && (text.starts_with("fn ") || text.starts_with("unsafe fn "));
            is_function.then(|| name(text.trim_start_matches("unsafe ").trim_start_matches("fn ")))
        });
        let documented_call = in_call && has_docs;
        if (item.is_some() || documented_call) && !hidden && !docs.contains("```") {
            found.push((number + 1, item.unwrap_or(text).to_owned()));
        }
        if indentation.is_empty() {
            in_trait = (text.starts_with("pub trait") || text.starts_with("pub unsafe trait")) && !hidden;
        }
        // A call of a macro that defines items: the documentation in it is theirs.
        if text.ends_with("! {") && !text.starts_with("macro_rules!") {
            in_call = true;
        } else if text == "}" {
            in_call = false;
        }
        docs.clear();
        (has_docs, hidden) = (false, false);
    }
    found
}

/// The sources of a folder, or the one that `folder` is.
pub(crate) fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    if folder.is_file() {
        return files.push(folder.to_owned());
    }
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn public_items_have_examples() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut missing = Vec::new();
    for source in SOURCES {
        let mut files = Vec::new();
        sources(&root.join(source), &mut files);
        assert!(!files.is_empty(), "{source} has no sources");
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a source");
            let file = file.strip_prefix(root).expect("below the root").display().to_string();
            for (line, item) in lacking(&text) {
                if !INTERNAL.contains(&(file.as_str(), item.as_str())) {
                    missing.push(format!("{file}:{line}: {item}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "no example for\n{}", missing.join("\n"));
}

/// Examples of a crate are compiled together. One that names a crate at its root cannot be: unless it says so, all of them are compiled one
/// by one, which takes six times as long.
#[test]
fn examples_that_rename_a_crate_are_compiled_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for package in ["access", "algorithms", "containers", "core", "derive", "mpi", "order", "random", "simd"]
    {
        sources(&root.join(package).join("src"), &mut files);
    }
    let mut renamed = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source");
        let lines: Vec<&str> = text.lines().collect();
        for [fence, first] in lines.array_windows() {
            if first.trim_start().starts_with("/// # extern crate ") {
                assert!(fence.contains("standalone_crate"), "{}: {fence}", file.display());
                renamed += 1;
            }
        }
    }
    assert!(renamed > 0, "the examples of derives have such lines");
}

#[test]
fn an_item_without_an_example_is_found() {
    let with = "/// Text.\n///\n/// ```\n/// ```\n";
    for (text, expected) in [
        ("/// Text.\npub fn f() {}\n", vec![(2, "f")]),
        ("/// Text.\n#[inline]\npub const fn f() {}\n", vec![(3, "f")]),
        (
            "/// Text.\n#[on(\n    \"pub fn\"\n)]\npub unsafe trait T {\n    /// Text.\n    fn f();\n}\n",
            vec![(5, "T"), (7, "f")],
        ),
        ("/// Text.\n#[doc(hidden)]\npub struct S;\n", vec![]),
        ("mod sealed {\n    pub trait T {}\n}\npub(crate) fn f() {}\nfn g() {}\n", vec![]),
        (
            "call! {\n    /// Text.\n    add fetch_add;\n}\n/// Text.\nfn f() {}\n",
            vec![(3, "add fetch_add;")],
        ),
        ("$(#[$doc])*\npub struct $name;\n", vec![]),
        ("#[cfg(test)]\nmod tests {\n    pub fn f() {}\n}\n", vec![]),
    ] {
        let found = lacking(text);
        let found: Vec<_> = found.iter().map(|(line, item)| (*line, item.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }
    for item in ["pub fn f() {}", "pub struct S;", "pub enum E {", "pub type T = u8;", "pub unsafe trait T {"]
    {
        assert_eq!(lacking(&format!("{with}{item}\n")), [], "{item}");
    }
}
