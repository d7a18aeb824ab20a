//! Lists of libraries.

use super::build::{calls, child, library, lines};

#[test]
fn a_library_may_lack_functions() {
    let wanted = ["push outer", "push inner 1", "pop", "pop"];
    assert_eq!(calls("regions", &library("tool", &["regions"])), wanted);
}

#[test]
fn libraries_that_are_none_are_named_and_the_others_run() {
    let (bare, tool) = (library("bare", &["bare"]), library("tool", &["regions"]));
    let list = format!("/no/such/tool.so; {bare} ;;{};{tool}", env!("CARGO_MANIFEST_PATH"));
    let output = child("regions", &list).output().expect("the child");
    assert!(output.status.success());
    let messages = lines(&output, &["KOKKOS_TOOLS_LIBS"]);
    let names = ["/no/such/tool.so", &bare, env!("CARGO_MANIFEST_PATH")];
    let reasons = ["No such file or directory", "it has no function of Kokkos's tools", "invalid ELF header"];
    assert_eq!(messages.len(), 3, "{messages:?}");
    for ((message, name), reason) in messages.iter().zip(names).zip(reasons) {
        let start = format!("KOKKOS_TOOLS_LIBS: the program runs without the tool {name}: ");
        assert!(message.starts_with(&start) && message.contains(reason), "{message}");
    }
    assert_eq!(lines(&output, &["tool"]).len(), 4);
}

#[test]
fn several_libraries_and_tools_of_spelt_run_together() {
    let list = format!("{};{}", library("first", &[]), library("second", &["unfenced"]));
    let output = child("regions", &list).env("SPELT_TOOLS", "log").output().expect("the child");
    assert!(output.status.success());
    let told = lines(&output, &["first", "second", "spelt"]);
    let begin = ["init 0", "settings 1 1", "interface 1", "args "];
    for (place, name) in ["first", "second"].iter().enumerate() {
        for (line, begin) in told[4 * place..].iter().zip(begin) {
            let begin = begin.replace("init 0", &format!("init {place}"));
            assert!(line.starts_with(&format!("{name}: {begin}")), "{line}");
        }
    }
    let wanted = [
        "spelt: metadata `mesh` is `coarse`",
        "first: metadata mesh is coarse",
        "second: metadata mesh is coarse",
        "spelt: region `outer` begins",
        "first: push outer",
        "second: push outer",
        "spelt: region `inner 1` begins",
        "first: push inner 1",
        "second: push inner 1",
        "spelt: mark `between`",
        "first: event between",
        "second: event between",
        "second: pop",
        "first: pop",
        "spelt: region `inner 1` ends",
    ];
    assert_eq!(told[8..8 + wanted.len()], wanted);
    assert_eq!(told[told.len() - 2..], ["second: finalize", "first: finalize"]);
}

#[test]
fn a_library_that_passes_events_on_has_the_others_to_itself() {
    let list = format!("{};{}", library("first", &["stack"]), library("second", &["regions"]));
    let output = child("Serial", &list).output().expect("the child");
    assert!(output.status.success());
    let told = lines(&output, &["second"]);
    assert_eq!(
        told,
        ["second: push a \"label\"", "second: push sum", "second: push offsets", "second: push Spelt::fence"]
    );
}

#[test]
fn libraries_stay_open() {
    let (bare, tool) = (library("bare", &["bare"]), library("tool", &[]));
    let output = child("open files", &format!("{bare};{tool}")).output().expect("the child");
    assert!(output.status.success());
    let open = lines(&output, &["open"]);
    for path in [bare, tool] {
        assert!(open.iter().any(|line| line.ends_with(&path)), "{path}: {open:?}");
    }
}

#[test]
fn an_exception_of_a_library_aborts_the_program_with_a_message() {
    use std::os::unix::process::ExitStatusExt;
    let output = child("regions", &library("tool", &["throws"])).output().expect("the child");
    assert_eq!(output.status.signal(), Some(6), "aborted: {output:?}");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("Rust cannot catch foreign exceptions"), "{text}");
}

#[test]
fn the_old_name_of_the_list_counts_where_the_new_one_is_unset() {
    let [old, new] = ["old", "new"].map(|name| library(name, &["regions"]));
    let run = |command: &mut std::process::Command| {
        let output = command.env("KOKKOS_PROFILE_LIBRARY", &old).output().expect("the child");
        [lines(&output, &["old"]).len(), lines(&output, &["new"]).len()]
    };
    assert_eq!(run(&mut child("regions", &new)), [0, 4]);
    assert_eq!(run(child("regions", "").env_remove("KOKKOS_TOOLS_LIBS")), [4, 0]);
    assert_eq!(run(&mut child("regions", "")), [0, 0]);
}
