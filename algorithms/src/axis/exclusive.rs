//! Values behind a pointer of which the compiler knows that nothing else reaches them.

/// A change, until it is made.
struct Change<F, O> {
    run: Option<F>,
    output: Option<O>,
}

/// Calls `run` with `values`, and returns its result.
///
/// A loop that changes values and reads elements becomes vector code only behind a test of their addresses, since the compiler knows
/// only of references that are parameters of a function that they reach what nothing else does (LLVM's `noalias`). For eight rows of 64
/// elements, the tests took a third as long as the loop. `spelt_order::body` explains why the function is passed as a pointer.
#[inline(always)]
pub(super) fn exclusively<V, O>(values: &mut [V], run: impl FnOnce(&mut [V]) -> O) -> O {
    let mut change = Change { run: Some(run), output: None };
    // SAFETY: the whole program is compiled for processors with this feature.
    #[cfg_attr(not(any(target_feature = "sse2", target_feature = "neon")), expect(unused_unsafe))]
    unsafe {
        pass(nothing::<V, _>, &mut [], &mut change);
        pass(call, values, &mut change);
    }
    change.output.expect("the change was made")
}

/// Calls `function`. rustc does not inline it where it names an instruction set that its callers do not name. It is passed two functions, so
/// that constant propagation does not see through it.
#[inline]
#[cfg_attr(target_feature = "sse2", target_feature(enable = "sse2"))]
#[cfg_attr(target_feature = "neon", target_feature(enable = "neon"))]
fn pass<V, C>(function: fn(&mut [V], &mut C), values: &mut [V], change: &mut C) {
    function(values, change);
}

/// The other function that `pass` is passed.
#[inline(always)]
fn nothing<V, C>(_: &mut [V], _: &mut C) {}

#[inline(always)]
fn call<V, F: FnOnce(&mut [V]) -> O, O>(values: &mut [V], change: &mut Change<F, O>) {
    change.output = change.run.take().map(|run| run(values));
}
