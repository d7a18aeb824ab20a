//! The body of a loop over a tile: one iteration of a reduction or scan.
//!
//! A loop of a launch is compiled several times, once for each level of the instruction set and each case of its lengths, and the
//! user's closure must be inlined each time. LLVM inlines a function of any size if it has only one caller, but a closure with
//! several callers only up to a cost of some hundred instructions. So a launch wraps the closure in a [`Late`], whose
//! [`call`](Late::call) is the only use of the closure in the program, and the loops reach it through [`Inlined`], by a function
//! pointer that LLVM resolves after it has inlined the closure into `call`:
//!
//! - rustc does not inline `late`, since it names an instruction set that its callers do not name, one that all code of the target
//!   may use. (Where there is none, `late` is a method of a type parameter, so rustc does not know which.) It is passed two
//!   different functions, so that constant propagation does not see through it. LLVM's early pass for `alwaysinline` finds no
//!   call to copy.
//! - LLVM's inliner then works from callees to callers: the closure into `call`, its only caller; `late` into the loops, where
//!   the pointer becomes a direct call; and then, because of its attribute, `call` into each loop.
//!
//! If a compiler orders its passes differently, the results stay the same and closures are called.

/// One iteration of a reduction.
pub trait ReduceBody<C, V> {
    /// Runs the iteration `distance` places along the line from `place`, which contributes to `value`.
    fn run(&mut self, place: C, distance: usize, value: &mut V);

    /// Prepares the function that it is called in to contain loops over this body: see [`Inlined::enter`].
    #[inline(always)]
    fn enter(&mut self) {}
}

impl<C, V, F: FnMut(C, usize, &mut V)> ReduceBody<C, V> for F {
    #[inline(always)]
    fn run(&mut self, place: C, distance: usize, value: &mut V) {
        self(place, distance, value);
    }
}

/// One iteration of a scan.
pub trait ScanBody<C, V> {
    /// Runs the iteration `distance` places along the line from `place`; `last` says whether its effects are kept.
    fn run(&mut self, place: C, distance: usize, value: &mut V, last: bool);

    /// Called before a block of `count` iterations from `place` on whose effects will be kept, so that it can fetch what they write.
    #[inline(always)]
    fn fetch(&mut self, _place: C, _count: usize) {}

    /// Prepares the function that it is called in to contain loops over this body: see [`Inlined::enter`].
    #[inline(always)]
    fn enter(&mut self) {}
}

impl<C, V, F: FnMut(C, usize, &mut V, bool)> ScanBody<C, V> for F {
    #[inline(always)]
    fn run(&mut self, place: C, distance: usize, value: &mut V, last: bool) {
        self(place, distance, value, last);
    }
}

/// A pass of a scan, as a loop over its runs sees it.
#[derive(Debug)]
pub struct Pass<'b, B> {
    /// The scan's iteration.
    pub body: &'b mut B,
    /// Whether effects are kept.
    pub last: bool,
}

impl<C, V, B: ScanBody<C, V>> ReduceBody<C, V> for Pass<'_, B> {
    #[inline(always)]
    fn run(&mut self, place: C, distance: usize, value: &mut V) {
        self.body.run(place, distance, value, self.last);
    }

    #[inline(always)]
    fn enter(&mut self) {
        self.body.enter();
    }
}

/// The only use of a user's closure.
pub trait Late<I>: Sized {
    /// Calls the closure. Implementations are `#[inline(always)]`.
    fn call(&mut self, input: I);

    /// Calls `function`. Implementations leave it as it is.
    #[inline]
    fn late(function: fn(&mut Self, Option<I>), body: &mut Self, input: Option<I>) {
        // SAFETY: the whole program is compiled for processors with this feature.
        #[cfg_attr(not(any(target_feature = "sse2", target_feature = "neon")), expect(unused_unsafe))]
        unsafe {
            late(function, body, input);
        }
    }
}

#[inline]
#[cfg_attr(target_feature = "sse2", target_feature(enable = "sse2"))]
#[cfg_attr(target_feature = "neon", target_feature(enable = "neon"))]
fn late<I, B>(function: fn(&mut B, Option<I>), body: &mut B, input: Option<I>) {
    function(body, input);
}

#[inline(always)]
fn call<I, B: Late<I>>(body: &mut B, input: Option<I>) {
    if let Some(input) = input {
        body.call(input);
    }
}

/// The other function that `late` is passed.
#[inline(always)]
fn nothing<I, B: Late<I>>(_: &mut B, _: Option<I>) {}

/// A body that each loop copies.
#[derive(Clone, Copy, Debug)]
pub struct Inlined<B>(B);

impl<B> Inlined<B> {
    /// The body for inputs of this type. Call it in the function that contains the loops, with `B` a type parameter.
    #[inline(always)]
    pub fn new<I>(body: B) -> Self
    where
        B: Late<I>,
    {
        let mut inlined = Self(body);
        inlined.enter::<I>();
        inlined
    }

    /// Prepares another function to contain loops over this body. Call it there, before the loops.
    #[inline(always)]
    pub fn enter<I>(&mut self)
    where
        B: Late<I>,
    {
        B::late(nothing::<I, B>, &mut self.0, None);
    }

    /// Runs one iteration.
    #[inline(always)]
    pub fn call<I>(&mut self, input: I)
    where
        B: Late<I>,
    {
        B::late(call::<I, B>, &mut self.0, Some(input));
    }
}

impl<C, V, B: for<'v> Late<(C, usize, &'v mut V)>> ReduceBody<C, V> for Inlined<B> {
    #[inline(always)]
    fn run(&mut self, place: C, distance: usize, value: &mut V) {
        self.call((place, distance, value));
    }

    #[inline(always)]
    fn enter(&mut self) {
        Self::enter::<(C, usize, &mut V)>(self);
    }
}

impl<C, V, B: for<'v> Late<(C, usize, &'v mut V, bool)>> ScanBody<C, V> for Inlined<B> {
    #[inline(always)]
    fn run(&mut self, place: C, distance: usize, value: &mut V, last: bool) {
        self.call((place, distance, value, last));
    }

    #[inline(always)]
    fn enter(&mut self) {
        Self::enter::<(C, usize, &mut V, bool)>(self);
    }
}
