//! The pages: `docs/SUMMARY.md` lists all that are in the book, links and anchors resolve, and the guide quotes messages as they are.
//!
//! mdBook and GitHub make the same anchors of the headings here, so one rule serves both.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The root of the repository.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// All pages below `folder`, but for those of builds.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() && !path.is_symlink() {
            if !name.starts_with('.') && !["target", "out"].contains(&&*name) {
                pages(&path, found);
            }
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// The blocks of code of a page, each with the word after its fence, and the lines between the blocks.
fn blocks(text: &str) -> (Vec<(String, String)>, Vec<&str>) {
    let (mut blocks, mut lines, mut open) = (Vec::new(), Vec::new(), false);
    for line in text.lines() {
        match line.trim_start().strip_prefix("```") {
            Some(word) if !open => {
                blocks.push((word.to_owned(), String::new()));
                open = true;
            }
            Some(_) => open = false,
            None if open => {
                let (_, block) = blocks.last_mut().expect("a block is open");
                *block += line;
                block.push('\n');
            }
            None => lines.push(line),
        }
    }
    assert!(!open, "a block of code does not end:\n{text}");
    (blocks, lines)
}

/// A line without its code.
fn prose(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

/// The targets of links to files of the repository, and to places on the same page.
fn links(text: &str) -> Vec<String> {
    let (_, lines) = blocks(text);
    // Code in the text of a link is left out with its backquotes, so that a link remains.
    let text = lines.iter().map(|line| prose(line)).collect::<Vec<_>>().join("\n");
    let targets = text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap_or_default().to_owned());
    targets.filter(|target| !target.contains("://")).collect()
}

/// The anchors of the headings, by the rule of mdBook and of GitHub.
fn anchors(text: &str) -> BTreeSet<String> {
    let (_, lines) = blocks(text);
    let headings = lines.iter().filter(|line| line.starts_with('#'));
    let names = headings.map(|line| line.trim_start_matches('#').trim().to_lowercase());
    names
        .map(|name| {
            let kept = name.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

/// `target` as seen from the page `from`, without `..`.
fn resolved(from: &Path, target: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for part in from.parent().expect("a folder").join(target).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            other => path.push(other),
        }
    }
    path
}

/// The links that lead nowhere, each with its page.
fn broken(page: &Path, text: &str) -> Vec<String> {
    let mut broken = Vec::new();
    for link in links(text) {
        let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
        let path = if file.is_empty() { page.to_owned() } else { resolved(page, file) };
        let has_anchor = || {
            anchor.is_empty() || fs::read_to_string(&path).is_ok_and(|text| anchors(&text).contains(anchor))
        };
        if !path.exists() || !has_anchor() {
            broken.push(format!("{}: {link}", page.display()));
        }
    }
    broken
}

#[test]
fn links_and_anchors_resolve() {
    let (mut found, mut count) = (Vec::new(), 0);
    pages(Path::new(ROOT), &mut found);
    let mut all = Vec::new();
    for page in &found {
        let text = fs::read_to_string(page).expect("a page");
        count += links(&text).len();
        all.extend(broken(page, &text));
    }
    assert!(all.is_empty(), "links that lead nowhere:\n{}", all.join("\n"));
    assert!(count > 150, "only {count} links are found");
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let page = Path::new(ROOT).join("docs/guide/kernels.md");
    let text = "# A heading: `x`\n[here](#a-heading-x) [`y`](../gpu.md#commands) [no](#other) [no](views.md#none) [no](gone.md)\n\
        `[code](no.md)`\n```text\n[code](no.md)\n```\n";
    // The heading is read from the file, which has another.
    let wrong = broken(&page, text);
    let wanted = ["#a-heading-x", "#other", "views.md#none", "gone.md"];
    let wanted: Vec<_> = wanted.iter().map(|link| format!("{}: {link}", page.display())).collect();
    assert_eq!(wrong, wanted);
    assert!(anchors(text).contains("a-heading-x"));
}

#[test]
fn the_book_has_every_page() {
    let docs = Path::new(ROOT).join("docs");
    let summary = docs.join("SUMMARY.md");
    let listed: Vec<_> = links(&fs::read_to_string(&summary).expect("the summary"))
        .iter()
        .map(|link| resolved(&summary, link))
        .collect();
    let mut found = Vec::new();
    pages(&docs, &mut found);
    let found: BTreeSet<_> = found.into_iter().filter(|page| *page != summary).collect();
    let once: BTreeSet<_> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), once.len(), "docs/SUMMARY.md lists a page twice");
    assert_eq!(once, found, "docs/SUMMARY.md lists each page of docs");
    // Each page of the guide is a doctest.
    let tests = fs::read_to_string(Path::new(ROOT).join("src/guide.rs")).expect("the list of doctests");
    for page in found.iter().filter(|page| page.starts_with(docs.join("guide"))) {
        let name = page.file_name().expect("a name").to_string_lossy();
        let (blocks, _) = blocks(&fs::read_to_string(page).expect("a page"));
        let has_programs = blocks.iter().any(|(word, _)| word == "rust");
        assert_eq!(tests.contains(&*name), has_programs, "{name} in src/guide.rs");
    }
}

#[test]
fn messages_of_the_compiler_are_quoted_as_recorded() {
    let cases = Path::new(ROOT).join("tests/compile_fail");
    let files = fs::read_dir(cases).expect("the cases").map(|entry| entry.expect("an entry").path());
    let recorded: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "stderr"))
        .map(|path| fs::read_to_string(path).expect("a message"))
        .collect();
    let page = fs::read_to_string(Path::new(ROOT).join("docs/guide/errors.md")).expect("the page of errors");
    let (blocks, _) = blocks(&page);
    let quoted: Vec<_> = blocks.iter().filter(|(_, block)| block.starts_with("error[E")).collect();
    assert!(quoted.len() >= 3, "only {} messages are quoted", quoted.len());
    for (_, quote) in quoted {
        assert!(
            recorded.iter().any(|text| text.contains(&**quote)),
            "no test has recorded this message:\n{quote}"
        );
    }
}

/// The lines of code in two columns that are longer than fit: 66 characters, in a window of 1400 pixels.
fn too_wide(page: &str) -> Vec<&str> {
    let columns = page.split("<div class=\"beside\"").skip(1).filter_map(|rest| rest.split("</div>").next());
    // Lines that begin with `# ` are part of the program but not shown.
    columns.flat_map(str::lines).filter(|line| line.chars().count() > 66 && !line.starts_with("# ")).collect()
}

#[test]
fn code_in_two_columns_fits() {
    let mut found = Vec::new();
    pages(&Path::new(ROOT).join("docs"), &mut found);
    let mut columns = 0;
    for page in found {
        let text = fs::read_to_string(&page).expect("a page");
        columns += text.matches("<div class=\"beside\"").count();
        assert_eq!(too_wide(&text), [""; 0], "{}: lines that reach out of their column", page.display());
    }
    assert!(columns > 20, "only {columns} pairs of columns are found");
    let [fits, wide] = [66, 67].map(|length| "x".repeat(length));
    let page = format!("{wide}\n<div class=\"beside\">\n{fits}\n{wide}\n# {wide}\n</div>\n{wide}\n");
    assert_eq!(too_wide(&page), [&*wide]);
}
