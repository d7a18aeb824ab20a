//! Every algorithm that launches tells tools of itself, under its own name.

use std::path::Path;

use crate::documented::sources;

/// The public functions of a source that take a space, with the first line of their bodies. A team's algorithms launch nothing.
fn algorithms(source: &str) -> Vec<(String, String)> {
    let mut lines = source.lines();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let Some(declared) = line.trim_start().strip_prefix("pub fn ") else { continue };
        let name: String =
            declared.chars().take_while(|c| c.is_alphanumeric() || "_$".contains(*c)).collect();
        let mut signature = line.to_owned();
        while !signature.ends_with('{') {
            let Some(next) = lines.next() else { return found };
            signature.push_str(next);
        }
        if signature.contains(" space: &S,") || signature.contains("(space: &S") {
            found.push((name, lines.next().unwrap_or_default().trim().to_owned()));
        }
    }
    found
}

#[test]
fn every_algorithm_is_a_region() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("algorithms/src");
    let (mut files, mut count) = (Vec::new(), 0);
    sources(&folder, &mut files);
    for path in files {
        for (name, first) in algorithms(&std::fs::read_to_string(&path).expect("a source")) {
            let is_itself = first == format!("let _region = algorithm(\"{name}\");");
            let is_of_a_macro = name == "$name" && first == "let _region = algorithm(stringify!($name));";
            assert!(is_itself || is_of_a_macro, "{}: `{name}` begins with `{first}`", path.display());
            count += 1;
        }
    }
    assert!(count > 100, "{count} algorithms");
}
