//! The calls of one library, in order.

use super::build::{calls, child, library, lines};

/// The calls at the begin.
const BEGIN: [&str; 4] = ["init 0 20240906 0 true", "settings 1 1 true", "interface 1 true", "args PROGRAM"];

#[test]
fn patterns_are_told_alike_on_every_space() {
    let library = library("tool", &[]);
    for (part, device) in [("Serial", "0.0.1"), ("Threads", "6.0.1"), ("Rayon", "6.0.2")] {
        let on = format!("on {device}");
        let wanted = [
            format!("for a \"label\" {on}: 0"),
            "end for 0".to_owned(),
            format!("reduce sum {on}: 1"),
            "end reduce 1".to_owned(),
            format!("scan offsets {on}: 2"),
            "end scan 2".to_owned(),
            format!("fence Spelt::fence {on}: 3"),
            "end fence 3".to_owned(),
            "finalize".to_owned(),
        ];
        let told = calls(part, &library);
        assert_eq!(told[..4], BEGIN, "{part}");
        assert_eq!(told[4..], wanted, "{part}");
    }
}

#[test]
fn views_are_allocated_initialised_filled_and_copied() {
    let wanted = [
        "allocate Host x pointer 24",
        "allocate Host y pointer 24",
        "for Spelt::View::initialization [y] on 0.0.1: 0",
        "end for 0",
        "copy to Host y pointer from Host Scalar null 24",
        "end copy",
        "allocate Host z pointer 24",
        "copy to Host z pointer from Host x pointer 24",
        "end copy",
        "allocate Host empty null 0",
        "deallocate Host empty null 0",
        "allocate Host end pointer 1",
        "for Spelt::View::initialization [end on 0.0.1: 1",
        "end for 1",
        "deallocate Host end pointer 1",
        "deallocate Host z pointer 24",
        "deallocate Host y pointer 24",
        "deallocate Host x pointer 24",
        "finalize",
    ];
    assert_eq!(calls("views", &library("tool", &[]))[4..], wanted);
}

#[test]
fn regions_sections_marks_and_facts_are_told() {
    let wanted = [
        "metadata mesh is coarse",
        "push outer",
        "push inner 1",
        "event between",
        "pop",
        "create input: 5",
        "create solve: 6",
        "start 5",
        "start 6",
        "stop 5",
        "stop 6",
        "destroy 6",
        "destroy 5",
        "pop",
        "finalize",
    ];
    assert_eq!(calls("regions", &library("tool", &[]))[4..], wanted);
}

#[test]
fn panics_end_what_has_begun() {
    let output = child("panic", &library("tool", &[])).output().expect("the child");
    assert_eq!(output.status.code(), Some(101));
    let wanted = [
        "tool: push region",
        "tool: for panics on 0.0.1: 0",
        "tool: end for 0",
        "tool: pop",
        "tool: push open",
        "tool: for panics too on 0.0.1: 1",
        "tool: end for 1",
        "tool: pop",
        "tool: finalize",
    ];
    assert_eq!(lines(&output, &["tool"])[4..], wanted);
}

#[test]
fn an_exit_in_a_kernel_ends_what_has_begun() {
    let output = child("exit", &library("tool", &[])).output().expect("the child");
    assert_eq!(output.status.code(), Some(3));
    let wanted = [
        "tool: push not left",
        "tool: for exits on 0.0.1: 0",
        "tool: end for 0",
        "tool: pop",
        "tool: finalize",
    ];
    assert_eq!(lines(&output, &["tool"])[4..], wanted);
}

#[test]
fn a_library_ends_before_its_variables_are_destroyed() {
    let told = calls("regions", &library("tool", &["local"]));
    assert_eq!(told[told.len() - 3..], ["pop", "finalize", "destroyed"]);
}

#[test]
fn a_library_that_ends_the_program_is_not_called_again() {
    let output = child("regions", &library("tool", &["exits"])).output().expect("the child");
    assert_eq!(output.status.code(), Some(7));
    let wanted = ["tool: metadata mesh is coarse", "tool: push outer"];
    assert_eq!(lines(&output, &["tool"])[4..], wanted);
}

#[test]
fn a_library_follows_one_thread_at_a_time() {
    let path = library("tool", &[]);
    let output = child("threads", &path).output().expect("the child");
    assert!(output.status.success());
    let wanted = [
        "tool: push of this thread",
        "tool: allocate Host of the other thread pointer 1",
        "tool: deallocate Host of the other thread pointer 1",
        "tool: for of this thread on 0.0.1: 0",
        "tool: end for 0",
        "tool: pop",
        "tool: for of the other thread on 0.0.1: 1",
        "tool: end for 1",
        "tool: finalize",
    ];
    assert_eq!(lines(&output, &["tool"])[4..], wanted);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains(&format!("{path} has not been told of 1 launches, copies, fences and")), "{text}");
}

#[test]
fn guards_that_are_dropped_in_another_order_are_nested_for_a_library() {
    let wanted = [
        "push outer",
        "push inner",
        "event the outer one is dropped",
        "pop",
        "pop",
        "event last",
        "finalize",
    ];
    assert_eq!(calls("guards", &library("tool", &[]))[4..], wanted);
}

#[test]
fn the_command_line_and_the_help() {
    let path = library("tool", &[]);
    let with = |arguments: &str| {
        let output = child("Serial", &path).env("KOKKOS_TOOLS_ARGS", arguments).output().expect("the child");
        assert!(output.status.success());
        let calls = lines(&output, &["tool"]);
        (calls[3].clone(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(with(" -c\t3 --long").0, "tool: args -c,3,--long");
    assert!(with("").0.starts_with("tool: for"), "no words, no call");
    assert_eq!(with("--kokkos-tools-help").0, "tool: help ``");
    assert_eq!(with("name --kokkos-tools-help").0, "tool: help `name`");
    let path = library("tool", &["regions"]);
    let output = child("regions", &path).env("KOKKOS_TOOLS_ARGS", "--kokkos-tools-help").output();
    let output = output.expect("the child");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains(&format!("KOKKOS_TOOLS_ARGS: {path} has no help")), "{text}");
}
