//! The arguments of a kernel: one, or a tuple, an array or a struct of them.

use core::mem::MaybeUninit;

use crate::{Description, Divided, KernelArg, Memories, OwnRows, ScatterVisitor, Shortage};

/// The arguments of a kernel: one [`KernelArg`], or a tuple of up to 24 arguments, an array of them, or a struct of them with
/// `#[derive(KernelArgs)]`; these can be nested.
///
/// The kernel receives the same with an accessor in the place of each argument: a tuple, an array, or a struct with the same fields.
///
/// The functions take the arguments as a parameter, not as `self`, so that generic code over elements sees no further methods.
///
/// # Safety
/// As for [`KernelArg`], for each member; no function leaves a member out. Only Spelt's crates and the derive implement it.
///
/// # Examples
/// ```
/// use spelt_access::KernelArgs;
/// fn views<A: KernelArgs>(arguments: &A) -> usize {
///     let mut views = 0;
///     A::describe(arguments, &mut |_| views += 1);
///     views
/// }
/// assert_eq!(views(&(2.5, [7, 8], (true, 'c'))), 0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel",
    label = "not the arguments of a kernel",
    note = "arguments are `&View`, `&mut View`, adapted Views such as `x.lookup()`, and elements by value",
    note = "so are tuples of up to 24 arguments, arrays of them, and structs of them with `#[derive(KernelArgs)]`",
    note = "one member of another type is enough for this error: `View::from_vec` and `ViewRef::from_slice` make Views of vectors and slices"
)]
pub unsafe trait KernelArgs {
    /// The data copied into the kernel, made once per launch.
    type Raw: Copy + Send + Sync;
    /// The closure's parameter, made for every iteration.
    type Access<'k>;
    /// The data that the host keeps until the launch is over.
    type Held;
    /// The memory spaces that all arguments point into.
    type Memory: Memories;
    /// Whether an argument has a part for each team.
    const BY_TEAM: bool;
    /// Whether checked accesses of an argument may fail: see [`KernelArg::MAY_FAIL`].
    const MAY_FAIL: bool = false;
    /// The fields of a struct as a tuple, for the derive; `Self` for others.
    #[doc(hidden)]
    type Members;

    /// Whether an argument does what [`KernelArg::crosses_lines`] says.
    #[doc(hidden)]
    #[inline(always)]
    fn crosses_lines(_raw: &Self::Raw) -> bool {
        false
    }

    /// The number of Views whose spans are visited: see [`KernelArg::SPANS`].
    #[doc(hidden)]
    const SPANS: usize = 0;

    /// Calls `visit` with the spans of all arguments: see [`KernelArg::written_spans`].
    ///
    /// # Safety
    /// As for [`KernelArg::written_spans`], for each member.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn written_spans<const N: usize>(
        _raw: &Self::Raw,
        _first: [usize; N],
        _last: [usize; N],
        _visit: &mut impl FnMut(*mut [MaybeUninit<u8>]),
    ) {
    }

    /// The same raw form with other pointers: see [`KernelArg::with_spans`].
    ///
    /// # Safety
    /// As for [`KernelArg::with_spans`], for all members, one after the other.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn with_spans<const N: usize>(
        raw: Self::Raw,
        _first: [usize; N],
        _next: &mut impl FnMut() -> Option<*mut u8>,
    ) -> Self::Raw {
        raw
    }

    /// Calls `visit` with the description of each allocation that an argument points into, first to last.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArgs;
    /// KernelArgs::describe(&(2.5, 7), &mut |_| panic!("numbers point to no memory"));
    /// ```
    fn describe<'a>(args: &'a Self, visit: &mut impl FnMut(Description<'a>));

    /// Whether every argument covers the witnesses of the box `lower..upper`.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArgs;
    /// assert!(KernelArgs::covers_box(&(2.5, 7), &[0], &[100]));
    /// ```
    fn covers_box(args: &Self, lower: &[usize], upper: &[usize]) -> bool;

    /// The smallest of `least` and the numbers of parts that the arguments request, or `None` if there is no such number. Each argument
    /// then has a replica for every part.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArgs;
    /// assert_eq!(KernelArgs::parts(&(2.5, 7), Some(8)), Some(8));
    /// ```
    fn parts(args: &Self, least: Option<usize>) -> Option<usize>;

    /// Allocates the memory that [`lower`](KernelArgs::lower) needs for a launch of this many iterations: none for an empty one.
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArgs;
    /// assert!(KernelArgs::prepare(&mut (2.5, 7), 10).is_ok());
    /// ```
    fn prepare(args: &mut Self, iterations: usize) -> Result<(), Shortage>;

    /// Lowers all arguments, once, after they have been prepared.
    ///
    /// # Safety
    /// The result is used only while the borrows in `args` live, and `args` are then only described.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArgs;
    /// // SAFETY: numbers borrow nothing.
    /// let (raw, _) = unsafe { KernelArgs::lower(&mut (2.5, 7)) };
    /// assert_eq!(raw, (2.5, 7));
    /// ```
    unsafe fn lower(args: &mut Self) -> (Self::Raw, Self::Held);

    /// Lowers all arguments for a launch on a device, once; see [`KernelArg::lower_on_device`].
    ///
    /// # Safety
    /// The result is used only while the borrows in `args` live, and `args` are then only described.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArgs;
    /// // SAFETY: numbers borrow nothing.
    /// let (raw, _) = unsafe { KernelArgs::lower_on_device(&mut (2.5, 7)) };
    /// assert_eq!(raw, (2.5, 7));
    /// ```
    unsafe fn lower_on_device(args: &mut Self) -> (Self::Raw, Self::Held);

    /// Calls `visit` with each View that is divided among ranks.
    #[doc(hidden)]
    fn divided(args: &mut Self, visit: &mut dyn FnMut(Divided<'_>));

    /// Calls `visitor` with each scattered View.
    ///
    /// # Errors
    /// The first of the visitor.
    #[doc(hidden)]
    fn scattered<V: ScatterVisitor>(raw: &mut Self::Raw, visitor: &mut V) -> Result<(), V::Error>;

    /// The accessors of an iteration that belongs to `part`.
    ///
    /// # Safety
    /// As for [`KernelArg::access`], for each member.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArgs;
    /// // SAFETY: numbers borrow nothing and have no index.
    /// assert_eq!(unsafe { <(f64, i32) as KernelArgs>::access(&(2.5, 7), 0) }, (2.5, 7));
    /// ```
    unsafe fn access<'k>(raw: &Self::Raw, part: usize) -> Self::Access<'k>;

    /// The raw forms for team `league_rank`, and the number of rows that all arguments cover there; see [`KernelArg::in_team`].
    ///
    /// # Safety
    /// As for [`KernelArg::in_team`], for each member.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::{KernelArgs, OwnRows};
    /// // SAFETY: numbers borrow nothing and have no index.
    /// assert_eq!(unsafe { <(f64, i32) as KernelArgs>::in_team(&(2.5, 7), 3) }, ((2.5, 7), OwnRows::ALL));
    /// ```
    unsafe fn in_team(raw: &Self::Raw, league_rank: usize) -> (Self::Raw, OwnRows);

    /// Ends the launch on the host, after all iterations.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArgs;
    /// <(f64, i32) as KernelArgs>::finish(((), ()));
    /// ```
    fn finish(held: Self::Held);
}

// SAFETY: every function is that of the one argument.
unsafe impl<A: KernelArg> KernelArgs for A {
    type Raw = <A as KernelArg>::Raw;
    type Access<'k> = <A as KernelArg>::Access<'k>;
    type Held = <A as KernelArg>::Held;
    type Memory = <A as KernelArg>::Memory;
    const BY_TEAM: bool = <A as KernelArg>::BY_TEAM;
    const MAY_FAIL: bool = <A as KernelArg>::MAY_FAIL;
    type Members = A;
    const SPANS: usize = <A as KernelArg>::SPANS;
    #[inline(always)]
    unsafe fn written_spans<const N: usize>(
        raw: &Self::Raw,
        first: [usize; N],
        last: [usize; N],
        visit: &mut impl FnMut(*mut [MaybeUninit<u8>]),
    ) {
        // SAFETY: `written_spans` has the same contract in both traits.
        unsafe { <A as KernelArg>::written_spans(raw, first, last, visit) }
    }
    #[inline(always)]
    unsafe fn with_spans<const N: usize>(
        raw: Self::Raw,
        first: [usize; N],
        next: &mut impl FnMut() -> Option<*mut u8>,
    ) -> Self::Raw {
        // SAFETY: `with_spans` has the same contract in both traits.
        unsafe { <A as KernelArg>::with_spans(raw, first, next) }
    }
    #[inline(always)]
    fn crosses_lines(raw: &Self::Raw) -> bool {
        <A as KernelArg>::crosses_lines(raw)
    }
    #[inline(always)]
    fn describe<'a>(args: &'a A, visit: &mut impl FnMut(Description<'a>)) {
        <A as KernelArg>::describe(args, visit);
    }
    #[inline(always)]
    fn covers_box(args: &A, lower: &[usize], upper: &[usize]) -> bool {
        <A as KernelArg>::covers_box(args, lower, upper)
    }
    #[inline(always)]
    fn parts(args: &A, least: Option<usize>) -> Option<usize> {
        match (least, <A as KernelArg>::parts(args)) {
            (Some(least), Some(own)) => Some(least.min(own)),
            (some, None) | (None, some) => some,
        }
    }
    #[inline(always)]
    fn prepare(args: &mut A, iterations: usize) -> Result<(), Shortage> {
        <A as KernelArg>::prepare(args, iterations)
    }
    #[inline(always)]
    unsafe fn lower(args: &mut A) -> (Self::Raw, Self::Held) {
        // SAFETY: the two traits' `lower` have one contract: the result is used only while the borrow in `args` lives.
        unsafe { <A as KernelArg>::lower(args) }
    }
    #[inline(always)]
    unsafe fn lower_on_device(args: &mut A) -> (Self::Raw, Self::Held) {
        // SAFETY: the two traits' `lower_on_device` have one contract: the result is used only while the borrow in `args`
        // lives.
        unsafe { <A as KernelArg>::lower_on_device(args) }
    }
    #[inline(always)]
    fn divided(args: &mut A, visit: &mut dyn FnMut(Divided<'_>)) {
        <A as KernelArg>::divided(args, visit);
    }
    #[inline(always)]
    fn scattered<V: ScatterVisitor>(raw: &mut Self::Raw, visitor: &mut V) -> Result<(), V::Error> {
        <A as KernelArg>::scattered(raw, visitor)
    }
    #[inline(always)]
    unsafe fn access<'k>(raw: &Self::Raw, part: usize) -> Self::Access<'k> {
        // SAFETY: `access` has the same contract in both traits, and this trait's `lower` returned the raw form of the other's.
        unsafe { <A as KernelArg>::access(raw, part) }
    }
    #[inline(always)]
    unsafe fn in_team(raw: &Self::Raw, league_rank: usize) -> (Self::Raw, OwnRows) {
        // SAFETY: `in_team` has the same contract in both traits, and this trait's `lower` returned the raw form of the other's.
        unsafe { <A as KernelArg>::in_team(raw, league_rank) }
    }
    #[inline(always)]
    fn finish(held: Self::Held) {
        <A as KernelArg>::finish(held);
    }
}

// SAFETY: each member keeps the contract for itself, and no two share a View: `&mut` is exclusive.
unsafe impl<A: KernelArgs, const N: usize> KernelArgs for [A; N] {
    type Raw = [A::Raw; N];
    type Access<'k> = [A::Access<'k>; N];
    type Held = [A::Held; N];
    type Memory = A::Memory;
    const BY_TEAM: bool = A::BY_TEAM;
    const MAY_FAIL: bool = A::MAY_FAIL;
    type Members = Self;
    const SPANS: usize = N * A::SPANS;
    #[inline(always)]
    unsafe fn written_spans<const R: usize>(
        raw: &Self::Raw,
        first: [usize; R],
        last: [usize; R],
        visit: &mut impl FnMut(*mut [MaybeUninit<u8>]),
    ) {
        for member in raw {
            // SAFETY: the contract of `written_spans` for the array is that of each member.
            unsafe { A::written_spans(member, first, last, visit) };
        }
    }
    #[inline(always)]
    unsafe fn with_spans<const R: usize>(
        raw: Self::Raw,
        first: [usize; R],
        next: &mut impl FnMut() -> Option<*mut u8>,
    ) -> Self::Raw {
        // SAFETY: the members come in the order of `written_spans`, as the contract asks.
        core::array::from_fn(|place| unsafe { A::with_spans(raw[place], first, next) })
    }
    #[inline(always)]
    fn crosses_lines(raw: &Self::Raw) -> bool {
        raw.iter().any(A::crosses_lines)
    }
    #[inline(always)]
    fn describe<'a>(args: &'a Self, visit: &mut impl FnMut(Description<'a>)) {
        for member in args {
            A::describe(member, visit);
        }
    }
    #[inline(always)]
    fn covers_box(args: &Self, lower: &[usize], upper: &[usize]) -> bool {
        let mut covered = true;
        for member in args {
            covered &= A::covers_box(member, lower, upper);
        }
        covered
    }
    #[inline(always)]
    fn parts(args: &Self, mut least: Option<usize>) -> Option<usize> {
        for member in args {
            least = A::parts(member, least);
        }
        least
    }
    #[inline(always)]
    fn prepare(args: &mut Self, iterations: usize) -> Result<(), Shortage> {
        for member in args {
            A::prepare(member, iterations)?;
        }
        Ok(())
    }
    #[inline(always)]
    unsafe fn lower(args: &mut Self) -> (Self::Raw, Self::Held) {
        // SAFETY: the contract of `lower` for the array is that of each member: the result is used only while the borrows
        // live.
        let lowered: [_; N] = core::array::from_fn(|place| unsafe { A::lower(&mut args[place]) });
        (core::array::from_fn(|place| lowered[place].0), lowered.map(|(_, held)| held))
    }
    #[inline(always)]
    unsafe fn lower_on_device(args: &mut Self) -> (Self::Raw, Self::Held) {
        // SAFETY: the contract of `lower_on_device` for the array is that of each member: the result is used only while the
        // borrows live.
        let lowered: [_; N] = core::array::from_fn(|place| unsafe { A::lower_on_device(&mut args[place]) });
        (core::array::from_fn(|place| lowered[place].0), lowered.map(|(_, held)| held))
    }
    #[inline(always)]
    fn divided(args: &mut Self, visit: &mut dyn FnMut(Divided<'_>)) {
        for member in args {
            A::divided(member, visit);
        }
    }
    #[inline(always)]
    fn scattered<V: ScatterVisitor>(raw: &mut Self::Raw, visitor: &mut V) -> Result<(), V::Error> {
        for member in raw {
            A::scattered(member, visitor)?;
        }
        Ok(())
    }
    #[inline(always)]
    unsafe fn access<'k>(raw: &Self::Raw, part: usize) -> Self::Access<'k> {
        // SAFETY: each member's raw form came from lowering that member, and brand, coverage and part are the array's own,
        // for which the contract of `access` has been kept.
        core::array::from_fn(|place| unsafe { A::access(&raw[place], part) })
    }
    #[inline(always)]
    unsafe fn in_team(raw: &Self::Raw, league_rank: usize) -> (Self::Raw, OwnRows) {
        let mut own = OwnRows::ALL;
        let members = core::array::from_fn(|place| {
            // SAFETY: each member's raw form came from lowering that member, and the league is the array's own.
            let (member, rows) = unsafe { A::in_team(&raw[place], league_rank) };
            own = own.and(rows);
            member
        });
        (members, own)
    }
    #[inline(always)]
    fn finish(held: Self::Held) {
        for held in held {
            A::finish(held);
        }
    }
}

/// The list of the memory spaces of all these arguments.
macro_rules! memory {
    () => { () };
    ($first:ident $($name:ident)*) => { <$first::Memory as Memories>::And<memory!($($name)*)> };
}

macro_rules! tuples {
    ($($($name:ident $place:tt)*;)*) => {$(
        // SAFETY: each member keeps the contract for itself, and no two share a View: `&mut` is exclusive.
        unsafe impl<$($name: KernelArgs),*> KernelArgs for ($($name,)*) {
            type Raw = ($($name::Raw,)*);
            type Access<'k> = ($($name::Access<'k>,)*);
            type Held = ($($name::Held,)*);
            type Memory = memory!($($name)*);
            const BY_TEAM: bool = false $(|| $name::BY_TEAM)*;
            const MAY_FAIL: bool = false $(|| $name::MAY_FAIL)*;
            type Members = Self;
            const SPANS: usize = 0 $(+ $name::SPANS)*;
            #[inline(always)]
            unsafe fn written_spans<const N_: usize>(
                raw: &Self::Raw,
                first: [usize; N_],
                last: [usize; N_],
                visit: &mut impl FnMut(*mut [MaybeUninit<u8>]),
            ) {
                // SAFETY: the contract of `written_spans` for the tuple is that of each member.
                $(unsafe { $name::written_spans(&raw.$place, first, last, visit) };)*
            }
            #[inline(always)]
            unsafe fn with_spans<const N_: usize>(
                raw: Self::Raw,
                first: [usize; N_],
                next: &mut impl FnMut() -> Option<*mut u8>,
            ) -> Self::Raw {
                // SAFETY: the members come in the order of `written_spans`, as the contract asks.
                unsafe { ($($name::with_spans(raw.$place, first, next),)*) }
            }
            #[inline(always)]
            fn crosses_lines(raw: &Self::Raw) -> bool {
                false $(|| $name::crosses_lines(&raw.$place))*
            }
            #[inline(always)]
            fn describe<'a>(args: &'a Self, visit: &mut impl FnMut(Description<'a>)) {
                $($name::describe(&args.$place, visit);)*
            }
            #[inline(always)]
            fn covers_box(args: &Self, lower: &[usize], upper: &[usize]) -> bool {
                true $(& $name::covers_box(&args.$place, lower, upper))*
            }
            #[inline(always)]
            fn parts(args: &Self, least: Option<usize>) -> Option<usize> {
                $(let least = $name::parts(&args.$place, least);)*
                least
            }
            #[inline(always)]
            fn prepare(args: &mut Self, iterations: usize) -> Result<(), Shortage> {
                $($name::prepare(&mut args.$place, iterations)?;)*
                Ok(())
            }
            #[inline(always)]
            unsafe fn lower(args: &mut Self) -> (Self::Raw, Self::Held) {
                // SAFETY: the contract of `lower` for the tuple is that of each member: the result is used only while
                // the borrows live.
                $(let $name = unsafe { $name::lower(&mut args.$place) };)*
                (($($name.0,)*), ($($name.1,)*))
            }
            #[inline(always)]
            unsafe fn lower_on_device(args: &mut Self) -> (Self::Raw, Self::Held) {
                // SAFETY: the contract of `lower_on_device` for the tuple is that of each member: the result is used
                // only while the borrows live.
                $(let $name = unsafe { $name::lower_on_device(&mut args.$place) };)*
                (($($name.0,)*), ($($name.1,)*))
            }
            #[inline(always)]
            fn divided(args: &mut Self, visit: &mut dyn FnMut(Divided<'_>)) {
                $($name::divided(&mut args.$place, visit);)*
            }
            #[inline(always)]
            fn scattered<V_: ScatterVisitor>(raw: &mut Self::Raw, visitor: &mut V_) -> Result<(), V_::Error> {
                $($name::scattered(&mut raw.$place, visitor)?;)*
                Ok(())
            }
            #[inline(always)]
            unsafe fn access<'k>(raw: &Self::Raw, part: usize) -> Self::Access<'k> {
                // SAFETY: each member's raw form came from lowering that member, and brand, coverage and part are the
                // tuple's own, for which the contract of `access` has been kept.
                unsafe { ($($name::access(&raw.$place, part),)*) }
            }
            #[inline(always)]
            unsafe fn in_team(raw: &Self::Raw, league_rank: usize) -> (Self::Raw, OwnRows) {
                // SAFETY: each member's raw form came from lowering that member, and the league is the tuple's own.
                $(let $name = unsafe { $name::in_team(&raw.$place, league_rank) };)*
                (($($name.0,)*), OwnRows::ALL $(.and($name.1))*)
            }
            #[inline(always)]
            fn finish(held: Self::Held) {
                $($name::finish(held.$place);)*
            }
        }
    )*};
}
#[allow(non_snake_case, unused_variables, unused_unsafe, clippy::unused_unit)]
mod tuples {
    use super::*;
    tuples! {
        ;
        A 0;
        A 0 B 1;
        A 0 B 1 C 2;
        A 0 B 1 C 2 D 3;
        A 0 B 1 C 2 D 3 E 4;
        A 0 B 1 C 2 D 3 E 4 F 5;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17 S 18;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17 S 18 T 19;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17 S 18 T 19 U 20;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17 S 18 T 19 U 20 V 21;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17 S 18 T 19 U 20 V 21 W 22;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17 S 18 T 19 U 20 V 21 W 22 X 23;
    }
}
