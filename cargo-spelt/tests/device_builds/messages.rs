//! Errors of kernels end a build as those of rustc do.

use serde_json::Value;

use crate::project::Project;

#[test]
fn an_error_of_a_kernel_is_an_error_of_its_program() {
    let project = Project::new();
    // The closure takes `factor` by reference.
    project.replace("program/src/main.rs", "move |i|", "|i|");
    let output = project.spelt("build -p program --bin program");
    assert!(!output.success);
    for text in
        ["error: kernel `own`", "program/src/main.rs:6", "could not compile `program` (bin \"program\")"]
    {
        assert!(output.err.contains(text), "{text}: {}", output.err);
    }
    // The host's side was on its way, and is not to blame.
    assert!(!output.err.contains("linking with"), "{}", output.err);
    let output = project.spelt("build -p program --bin program --message-format json");
    assert!(!output.success);
    let messages = output.out.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut errors = messages.filter(|message| message["message"]["level"] == "error");
    let error = &errors.next().expect("an error")["message"];
    let span = &error["spans"][0];
    assert_eq!(
        (&span["file_name"], &span["line_start"]),
        (&"program/src/main.rs".into(), &6.into()),
        "{error}"
    );
    assert!(
        error["rendered"].as_str().is_some_and(|text| text.starts_with("error: kernel `own`")),
        "{error}"
    );

    // Nothing of the failure stays.
    project.replace("program/src/main.rs", "|i| factor", "move |i| factor");
    let output = project.spelt("run -p program").succeeded();
    assert!(output.out.contains("own: [1, 13,"), "{}", output.out);
}

#[test]
fn warnings_stay_while_the_program_is_fresh() {
    let project = Project::new();
    let from = "move |i| factor * i";
    project.replace("program/src/main.rs", from, "move |i| factor * down(i)");
    project.replace(
        "program/src/main.rs",
        "fn main",
        "#[inline(never)]\nfn down(i: u32) -> u32 {\n    if i < 2 { i } else { down(i - 1) + down(i - 2) }\n}\n\nfn main",
    );
    let warning = "warning: kernel `own` is recursive";
    // Optimised, since unoptimised code of the library has loops of calls itself.
    let first = project.spelt("build --release -p program --bin program").succeeded();
    assert_eq!(first.err.matches(warning).count(), 1, "{}", first.err);
    assert!(first.err.contains("`program` (bin \"program\") generated 1 warning"), "{}", first.err);
    let fresh = project.spelt("build --release -p program --bin program").succeeded();
    assert_eq!(fresh.err.matches(warning).count(), 1, "{}", fresh.err);
    assert!(fresh.compiled().is_empty() && fresh.device_linked().is_empty(), "{}", fresh.err);
}

#[test]
fn errors_of_rustc_are_shown_once() {
    let project = Project::new();
    project.replace(
        "program/src/main.rs",
        "let (factor, table)",
        "let wrong: u32 = \"\";\n    let (factor, table)",
    );
    let output = project.spelt("build -p program --bin program");
    assert!(!output.success);
    assert_eq!(output.err.matches("error[E0308]").count(), 1, "{}", output.err);
    assert!(output.device_linked().is_empty());
}

#[test]
fn errors_of_the_device_pass_alone_are_shown_too() {
    let project = Project::new();
    // Devices know no unwinding.
    let text = "#[cfg(panic = \"abort\")]\ncompile_error!(\"only for devices\");\n\nfn main";
    project.replace("program/src/main.rs", "fn main", text);
    let output = project.spelt("build -p program --bin program");
    assert!(!output.success);
    assert_eq!(output.err.matches("error: only for devices").count(), 1, "{}", output.err);
    assert!(!output.err.contains("linking with"), "{}", output.err);
}
