//! Modules whose instructions name missing objects: they are refused when they are loaded, or when they run.
mod common;
use common::device;

/// The message of the error that refuses a module.
fn refused(ptx: &str) -> String {
    let text = format!(".version 8.0\n.target sm_90\n.address_size 64\n{ptx}");
    device().load(&text).expect_err("the module is refused").msg
}

fn kernel(body: &str) -> String {
    format!(
        ".visible .entry k() {{
  .reg .b32 %r<4>; .reg .b64 %a<4>; .reg .pred %q<4>; .reg .b128 %w<2>;
  {body}
  ret;
}}"
    )
}

#[test]
fn a_predicate_that_is_nowhere_is_not_read() {
    for body in [
        "selp.b32 %r0, %r1, %r2, _;",
        "@!_ mov.u32 %r0, 1;",
        "vote.sync.ballot.b32 %r0, _, -1;",
        "bar.red.popc.u32 %r0, 0, _;",
    ] {
        assert_eq!(refused(&kernel(body)), "'_' can be written only", "{body}");
    }
    let without = kernel("setp.eq.and.u32 %q0, %r0, %r1;");
    assert_eq!(refused(&without), "a predicate is not one of the function 'k'");
}

#[test]
fn what_has_no_body_is_not_called() {
    let declared = ".func other();\n.func known();\n.alias known, other;\n";
    let call = format!("{declared}{}", kernel("call known;"));
    assert_eq!(refused(&call), "'other' is called, and is not a function with a body that takes this");
}

#[test]
fn a_kernel_is_not_called() {
    let other = ".visible .entry other() { ret; }\n";
    let call = format!("{other}{}", kernel("call other;"));
    assert_eq!(refused(&call), "'other' is called, and is not a function with a body that takes this");
}

#[test]
fn a_call_by_address_names_no_more_rows_than_the_function_has() {
    // The prototype returns a megabyte that the call leaves out, and so its argument would lie behind all frames.
    let text = ".version 8.0\n.target sm_90\n.address_size 64
.func f(.param .b64 x) { ret; }
.visible .entry k() {
  .reg .b64 %a<4>;
  mov.u64 %a0, f;
  { .param .b64 arg;
    st.param.b64 [arg], %a1;
    far: .callprototype (.param .b8 _[1048576]) _ (.param .b64 _);
    call %a0, (arg), far;
  }
  ret;
}";
    let mut d = device();
    let m = d.load(text).expect("the module is loaded");
    let fault = d.launch(&m, "k", 1, 1, 0, &[]).expect_err("the call is refused");
    assert!(fault.msg.contains("call of f through a pointer with another signature"), "{}", fault.msg);
}
