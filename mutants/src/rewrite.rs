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
pub(crate) fn find(text: &str, mutant: &Mutant) -> Result<Range<usize>, String> {
    let once = |text: &str, part: &str, what: &str| {
        let mut places = text.match_indices(part).map(|(place, _)| place);
        match (places.next(), places.next()) {
            (Some(place), None) => Ok(place),
            (None, _) => Err(format!("{} has no `{part}` ({what})", mutant.file)),
            _ => Err(format!("{} has `{part}` more than once ({what})", mutant.file)),
        }
    };
    let (start, text) = match &mutant.within {
        Some(within) => (once(text, within, "the text around the original")?, within.as_str()),
        None => (0, text),
    };
    let place = once(text, &mutant.original, "the original")?;
    if !mutant.alone {
        // Both would be a program that does not compile, and no other mutant could be tried.
        let before = &text[..place];
        let original = mutant.original.trim_end();
        if original.starts_with("let ") {
            return Err("its `let` would hold inside the choice only: take the value, or `alone`".to_owned());
        }
        if original.ends_with([',', '{', '>']) || original.starts_with("if ") && !original.ends_with('}') {
            return Err(
                "it is not all of an expression: take the condition or the value, or `alone`".to_owned()
            );
        }
        let line = before.lines().next_back().filter(|_| !before.ends_with('\n')).unwrap_or_default();
        if !line.matches('"').count().is_multiple_of(2) {
            return Err("it is part of a text in quotes: take all of it, or `alone`".to_owned());
        }
        if original.starts_with('.') || before.ends_with('.') && !before.ends_with("..") {
            return Err("it begins in the middle of an expression, after a `.`: take all of it".to_owned());
        }
    }
    Ok(start + place..start + place + mutant.original.len())
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
        let text = "let a = n - 1;\nlet b = n - 1;\n";
        let mut twice = mutant("m", "n - 1", "n");
        assert!(find(text, &twice).unwrap_err().contains("more than once"));
        twice.within = Some("let b = n - 1;".to_owned());
        assert_eq!(find(text, &twice), Ok(23..28));
        assert!(find(text, &mutant("m", "n - 2", "n")).unwrap_err().contains("has no"));
    }

    #[test]
    fn places_that_no_choice_can_take_are_refused() {
        let text = "let a = x.first(1);\nfor i in 0..last(a) {}\n";
        assert!(find(text, &mutant("m", "let a = x.first(1);", "let a = 0;")).unwrap_err().contains("`let`"));
        assert!(find(text, &mutant("m", "first(1)", "first(2)")).unwrap_err().contains("after a `.`"));
        assert_eq!(find(text, &mutant("m", "last(a)", "0")), Ok(32..39));
        let quoted = "f(\"a\", \"b c\");\ng(c);\n";
        assert!(find(quoted, &mutant("m", "b c", "b")).unwrap_err().contains("in quotes"));
        assert_eq!(find(quoted, &mutant("m", "g(c);", "")), Ok(15..20));
        let choice = "if a == b { c } else { d }";
        assert!(find(choice, &mutant("m", "if a == b", "if true")).unwrap_err().contains("the condition"));
        assert_eq!(find(choice, &mutant("m", "a == b", "true")), Ok(3..9));
        let alone = Mutant { alone: true, ..mutant("m", "first(1)", "first(2)") };
        assert_eq!(find(text, &alone), Ok(10..18));
    }
}
