//! The places of mutants, and the text that contains all of them at once, each behind a choice at run time.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use crate::list::Mutant;

/// The places of the mutants that apply, and the errors of the others.
#[derive(Debug, Default)]
pub(crate) struct Places<'m> {
    /// By file, in the order of the text.
    pub(crate) files: BTreeMap<String, Vec<(Range<usize>, &'m Mutant)>>,
    /// By name.
    pub(crate) problems: BTreeMap<String, String>,
}

impl<'m> Places<'m> {
    pub(crate) fn find(root: &Path, mutants: &'m [Mutant]) -> Self {
        let mut places = Self::default();
        for mutant in mutants {
            let found = std::fs::read_to_string(root.join(&mutant.file))
                .map_err(|error| format!("{}: {error}", mutant.file))
                .and_then(|text| find(&text, mutant));
            match found {
                Ok(range) => places.files.entry(mutant.file.clone()).or_default().push((range, mutant)),
                Err(problem) => {
                    places.problems.insert(mutant.name.clone(), problem);
                }
            }
        }
        for ranges in places.files.values_mut() {
            ranges.sort_by_key(|(range, _)| (range.start, range.end));
            let mut kept: Vec<(Range<usize>, &Mutant)> = Vec::new();
            for (range, mutant) in ranges.drain(..) {
                let last = kept.iter().rev().find(|(_, its)| !its.alone);
                match last {
                    Some((last, other)) if !mutant.alone && range.start < last.end && range != *last => {
                        let problem = format!("overlaps with {}", other.name);
                        places.problems.insert(mutant.name.clone(), problem);
                    }
                    _ => kept.push((range, mutant)),
                }
            }
            *ranges = kept;
        }
        places
    }
}

/// Where the mutant's original text is in its file.
pub(crate) fn find(whole: &str, mutant: &Mutant) -> Result<Range<usize>, String> {
    let once = |text: &str, part: &str, what: &str| {
        let mut places = text.match_indices(part).map(|(place, _)| place);
        match (places.next(), places.next()) {
            (Some(place), None) => Ok(place),
            (None, _) => Err(format!("{} has no `{part}` ({what})", mutant.file)),
            _ => Err(format!("{} has `{part}` more than once ({what})", mutant.file)),
        }
    };
    let (start, text) = match &mutant.within {
        Some(within) => (once(whole, within, "the text around the original")?, within.as_str()),
        None => (0, whole),
    };
    let place = once(text, &mutant.original, "the original")?;
    let range = start + place..start + place + mutant.original.len();
    if !mutant.alone {
        // Where a choice does not compile, no other mutant of the program can be tried.
        compiles(whole, &range, mutant)?;
    }
    Ok(range)
}

/// Whether a choice may stand at this place, as far as that can be seen without its types.
fn compiles(text: &str, range: &Range<usize>, mutant: &Mutant) -> Result<(), String> {
    if mutant.original.starts_with("let ") {
        return Err("its `let` would hold inside the choice only: take the value, or `alone`".to_owned());
    }
    if mutant.original.starts_with("&& ") || mutant.original.starts_with("|| ") {
        return Err("it begins with an operator: take the operand, or `alone`".to_owned());
    }
    let before = &text[..range.start];
    let line = before.rsplit('\n').next().unwrap_or_default();
    if !line.matches('"').count().is_multiple_of(2) {
        return Err("it is part of a text in quotes: take all of it, or `alone`".to_owned());
    }
    if before.rsplit_once("const {").is_some_and(|(_, inside)| is_open(inside)) {
        return Err("it is part of a constant, which no variable decides: `alone`".to_owned());
    }
    match syn::parse_file(&with_choices(text, &[(range.clone(), mutant)])) {
        Err(error) if syn::parse_file(text).is_ok() => Err(format!(
            "a choice cannot stand there ({error}): take all of an expression or statement, or `alone`"
        )),
        _ => Ok(()),
    }
}

/// Whether a brace before this text is still open at its end.
fn is_open(text: &str) -> bool {
    let depths = text.chars().scan(1, |depth, character| {
        *depth += i32::from(character == '{') - i32::from(character == '}');
        Some(*depth)
    });
    depths.min().is_none_or(|least| least > 0)
}

/// The text of a file with a choice at each place.
pub(crate) fn with_choices(text: &str, places: &[(Range<usize>, &Mutant)]) -> String {
    let mut new = String::with_capacity(text.len() * 2);
    let mut done = 0;
    let mut places = places.iter().filter(|(_, mutant)| !mutant.alone).peekable();
    while let Some((range, mutant)) = places.next() {
        let mut group = vec![*mutant];
        while let Some((_, other)) = places.next_if(|(its, _)| its == range) {
            group.push(other);
        }
        new.push_str(&text[done..range.start]);
        new.push_str(&choice(&text[range.clone()], &group));
        done = range.end;
    }
    new.push_str(&text[done..]);
    new
}

fn choice(original: &str, mutants: &[&Mutant]) -> String {
    let is_statement = original.trim_end().ends_with([';', '}']);
    let mut text = String::new();
    for mutant in mutants {
        let number = mutant.number();
        text.push_str(&format!("if crate::mutant::active({number}) {{ {} }} else ", mutant.mutated));
    }
    if is_statement { format!("{text}{{ {original} }}") } else { format!("({text}{{ ({original}) }})") }
}

/// The text of a file with a mutant that is built alone.
pub(crate) fn with_alone(text: &str, mutant: &Mutant) -> Result<String, String> {
    let range = find(text, mutant)?;
    Ok([&text[..range.start], &mutant.mutated, &text[range.end..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(name: &str, original: &str, mutated: &str) -> Mutant {
        let [name, original, mutated] = [name, original, mutated].map(str::to_owned);
        Mutant { name, original, mutated, ..Mutant::default() }
    }

    #[test]
    fn choices_stand_at_their_places() {
        let text = "fn f(x: u32) -> u32 {\n    g();\n    x + 1\n}\n";
        let (a, b, c) = (mutant("a", "x + 1", "x"), mutant("b", "x + 1", "x + 2"), mutant("c", "g();", ""));
        let places: Vec<_> = [&c, &a, &b].map(|its| (find(text, its).unwrap(), its)).into();
        let [a, b, c] = [&a, &b, &c].map(Mutant::number);
        let call = "crate::mutant::active";
        assert_eq!(
            with_choices(text, &places),
            format!(
                "fn f(x: u32) -> u32 {{\n    if {call}({c}) {{  }} else {{ g(); }}\n    \
                 (if {call}({a}) {{ x }} else if {call}({b}) {{ x + 2 }} else {{ (x + 1) }})\n}}\n"
            )
        );
    }

    #[test]
    fn a_place_is_found_once_or_not_at_all() {
        let text = "fn f() { let a = n - 1;\nlet b = n - 1; }\n";
        let mut twice = mutant("m", "n - 1", "n");
        assert!(find(text, &twice).unwrap_err().contains("more than once"));
        twice.within = Some("let b = n - 1;".to_owned());
        assert_eq!(find(text, &twice), Ok(32..37));
        assert!(find(text, &mutant("m", "n - 2", "n")).unwrap_err().contains("has no"));
    }

    #[test]
    fn places_that_no_choice_can_take_are_refused() {
        let text = "fn f() {\n    if const { D > 0 } { h(); }\n    let a = x.first(1);\n    if a == b || c {}\n    g(\"a\", \"b c\");\n}\n";
        for (part, word) in [
            ("let a = x.first(1);", "`let`"),
            ("first(1)", "cannot stand there"),
            (".first(1)", "cannot stand there"),
            ("if a == b", "cannot stand there"),
            ("== b", "cannot stand there"),
            ("|| c", "an operator"),
            ("b c", "in quotes"),
            ("D > 0", "constant"),
        ] {
            let error = find(text, &mutant("m", part, "d")).expect_err(part);
            assert!(error.contains(word), "{part}: {error}");
            let alone = Mutant { alone: true, ..mutant("m", part, "d") };
            assert_eq!(find(text, &alone).map(|range| &text[range]), Ok(part));
        }
        for part in ["x.first(1)", "h();", "a == b || c", "a == b", "g(\"a\", \"b c\");", "if a == b || c {}"]
        {
            assert_eq!(find(text, &mutant("m", part, "d")).map(|range| &text[range]), Ok(part));
        }
    }
}
