//! Run-time choice of the instruction set.
//!
//! Programs are built for the lowest common processor; the tile loop is compiled for three levels of x86-64, and
//! the closure is inlined into each. All levels give the same bits: no operation is contracted or reordered.
//!
//! Where the compiler makes no vector code of loops (`opt-level` 0, 1, "s" or "z"), there is none to choose, and every copy takes time to
//! compile: only the lowest level is compiled. Nor are levels that the program as a whole is compiled for, by `-C target-cpu=native` for example.

use core::sync::atomic::{AtomicU8, Ordering};

use spelt_order::sum_rows::Avx512;

use crate::device::{HAS_DEVICES, host_only, on_device};
use crate::{Result, variable};

/// The environment's setting.
const VARIABLE: &str = "SPELT_ISA";

/// Work that is compiled for every level. `run` must be `#[inline(always)]`, otherwise it stays at the lowest.
pub trait Work {
    /// The result of `run`.
    type Output;
    /// Does the work.
    fn run(self) -> Self::Output;

    /// Tells the work which level it is compiled for, before it runs.
    #[doc(hidden)]
    #[inline(always)]
    fn compiled_for(self, _level: CompiledFor) -> Self
    where
        Self: Sized,
    {
        self
    }

    /// Does the work at a level whose instructions can leave out lanes of a vector, so that a loop over all lanes of a row in which a
    /// condition leaves out some becomes vector code. It is `#[inline(always)]` as well.
    #[doc(hidden)]
    #[inline(always)]
    fn run_masked(self) -> Self::Output
    where
        Self: Sized,
    {
        self.run()
    }
}

/// The processors that the tile loop is compiled for; on other architectures the first is the only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Level {
    /// The level that the program as a whole is compiled for: at least x86-64-v1.
    Baseline = 1,
    /// x86-64-v3: 256-bit registers.
    Avx2 = 2,
    /// x86-64-v4: 512-bit registers and masks.
    Avx512 = 3,
}

/// The level that the code around a nested loop is compiled for, if that code knows it.
///
/// Only the functions of the levels make one that names a level, so the processor has its features. Of a loop that becomes part of such a
/// function, the compiler leaves out the code for other levels, and need not store what that code would read.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct CompiledFor {
    level: Option<Level>,
    never_fails: bool,
}

impl CompiledFor {
    /// For code that does not know its level.
    pub(crate) const UNKNOWN: Self = Self { level: None, never_fails: false };

    const fn level(level: Level) -> Self {
        Self { level: Some(level), never_fails: false }
    }

    /// The evidence that the processor has AVX-512, if the code is compiled for that level.
    #[inline(always)]
    pub(crate) fn avx512(self) -> Option<Avx512> {
        #[cfg(spelt_avx512)]
        if self.level == Some(Level::Avx512) {
            // SAFETY: only the function of that level names it (`level`), and it runs where the processor has its features alone.
            return Some(unsafe { Avx512::new() });
        }
        None
    }

    /// The same level. `never_fails`: whether no access of the code can fail.
    #[inline(always)]
    pub(crate) fn never_fails(self, never_fails: bool) -> Self {
        Self { never_fails, ..self }
    }

    /// Whether no access of the code around a loop can fail, as far as is known. A loop whose body can fail is not vector code, so under masks it
    /// only has more iterations.
    #[inline(always)]
    pub(crate) fn gains_from_masks(self) -> bool {
        self.never_fails
    }
}

/// The level in use, 0 before it is known.
static LEVEL: AtomicU8 = AtomicU8::new(0);

/// The level that launches have unless [`run_at`] chooses another, 0 before it is known.
static USUAL: AtomicU8 = AtomicU8::new(0);

impl Level {
    /// All, from the lowest on, as `SPELT_ISA` names them.
    pub(crate) const NAMED: [(&'static str, Level); 3] =
        [("baseline", Level::Baseline), ("avx2", Level::Avx2), ("avx512", Level::Avx512)];
}

/// The highest level of this processor, or the one that `SPELT_ISA` (baseline, avx2, avx512) asks for if that is
/// lower.
///
/// # Panics
/// If `SPELT_ISA` has another value and [`check`] was not called before.
#[inline]
pub(crate) fn level() -> Level {
    match LEVEL.load(Ordering::Relaxed) {
        1 => Level::Baseline,
        2 => Level::Avx2,
        3 => Level::Avx512,
        _ => first(),
    }
}

/// Checks the value of `SPELT_ISA`.
///
/// # Errors
/// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if it does not name a level.
#[doc(hidden)]
#[inline]
pub fn check() -> Result<()> {
    if LEVEL.load(Ordering::Relaxed) == 0 { find().map(|_| ()) } else { Ok(()) }
}

/// The levels that this build compiles kernels for, from the lowest on, as `SPELT_ISA` names them.
#[doc(hidden)]
#[must_use]
pub const fn compiled_levels() -> &'static [&'static str] {
    match (cfg!(spelt_avx2), cfg!(spelt_avx512)) {
        (true, _) => &["baseline", "avx2", "avx512"],
        (false, true) => &["baseline", "avx512"],
        (false, false) => &["baseline"],
    }
}

#[cold]
fn first() -> Level {
    // SAFETY: only the host's variant of an operation asks for a level, never device code.
    unsafe { host_only() };
    find().unwrap_or_else(|error| panic!("{error}"))
}

#[cold]
fn find() -> Result<Level> {
    let wanted = match variable::read(VARIABLE)? {
        None => Level::Avx512,
        Some(name) => variable::choose(VARIABLE, &name, &Level::NAMED)?,
    };
    let level = wanted.min(highest());
    USUAL.store(level as u8, Ordering::Relaxed);
    LEVEL.store(level as u8, Ordering::Relaxed);
    Ok(level)
}

/// The levels below the usual one that this build compiles kernels for, unless `SPELT_ISA` names a level.
pub(crate) fn lower_levels() -> Vec<Level> {
    if !matches!(variable::read(VARIABLE), Ok(None)) {
        return Vec::new();
    }
    let usual = level();
    let compiled = Level::NAMED.iter().filter(|(name, _)| compiled_levels().contains(name));
    compiled.map(|&(_, lower)| lower).filter(|&lower| lower < usual && compiled_levels().len() > 1).collect()
}

/// Lets launches run at this level, if the usual one is not lower; `None`: at the usual level again.
///
/// Launches of other threads run there too, which changes none of their bits.
pub(crate) fn run_at(chosen: Option<Level>) {
    let usual = USUAL.load(Ordering::Relaxed);
    LEVEL.store(chosen.map_or(usual, |chosen| usual.min(chosen as u8)), Ordering::Relaxed);
}

#[cfg(target_arch = "x86_64")]
fn highest() -> Level {
    let v3 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("movbe")
        && is_x86_feature_detected!("f16c");
    let v4 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    match (v3, v4) {
        (true, true) => Level::Avx512,
        (true, false) => Level::Avx2,
        _ => Level::Baseline,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn highest() -> Level {
    Level::Baseline
}

/// Runs `work` at the level in use; on a device, runs it directly.
///
/// Launches do this around every kernel, and the closure is inlined into each level. A function that the closure calls several
/// times stays at the lowest level: if it has long loops, it should run them in `dispatch`. Functions that the loops call are
/// inlined if they are small, called from one place, or `#[inline(always)]`.
///
/// # Examples
/// ```
/// use spelt_core::isa::{Work, dispatch};
/// struct SquaredNorm<'a>(&'a [f32]);
/// impl Work for SquaredNorm<'_> {
///     type Output = f32;
///     #[inline(always)]
///     fn run(self) -> f32 {
///         self.0.iter().map(|x| x * x).sum()
///     }
/// }
/// assert_eq!(dispatch(SquaredNorm(&[3.0, 4.0])), 25.0);
/// ```
#[inline(always)]
pub fn dispatch<W: Work>(work: W) -> W::Output {
    if const { HAS_DEVICES } && on_device() {
        return work.run();
    }
    #[cfg(target_arch = "x86_64")]
    match level() {
        #[cfg(spelt_avx512)]
        // SAFETY: `level` returns it only where the processor has every feature of the function.
        Level::Avx512 => return unsafe { avx512(work) },
        #[cfg(spelt_avx2)]
        // SAFETY: `level` returns it only where the processor has every feature of the function.
        Level::Avx2 => return unsafe { avx2(work) },
        _ => {}
    }
    baseline(work)
}

/// [`dispatch`] at a level whose vectors are at most half a cache line, if there is one: for loops whose loads begin anywhere, where each load
/// of a whole line would need two.
#[inline(always)]
pub(crate) fn dispatch_narrow<W: Work>(work: W) -> W::Output {
    #[cfg(spelt_avx2)]
    if !(const { HAS_DEVICES } && on_device()) && level() >= Level::Avx2 {
        // SAFETY: a processor of this level, or of a higher one, has every feature of the function.
        return unsafe { avx2(work) };
    }
    dispatch(work)
}

/// [`dispatch`] within a kernel; `caller`: the level of the code around it. At AVX2 and AVX-512, the work becomes part of a caller that is compiled for the level in use.
///
/// The compiler then knows what the caller knows, such as that a loop over the elements of a slice ends where the slice does. The work is inlined
/// late, by a function pointer, as in [`spelt_order::body`]. Earlier inlining would make the user's closure too large to become part of the
/// kernel. Where the program has one level only, it is inlined early.
#[inline(always)]
pub(crate) fn dispatch_nested<W: Work>(caller: CompiledFor, work: W) -> W::Output {
    if const { HAS_DEVICES } && on_device() {
        return work.run();
    }
    let known = caller.level;
    // A parcel for each level: where one is inlined, its address must not be known elsewhere.
    #[cfg(any(spelt_avx2, spelt_avx512))]
    match known.unwrap_or_else(level) {
        #[cfg(spelt_avx512)]
        Level::Avx512 => {
            let mut parcel = Parcel::new(work);
            // SAFETY: `level` returns it, and the function of this level passes it on, only where the processor has every feature of the function.
            unsafe {
                avx512_late(Parcel::nothing, &mut parcel);
                avx512_late(Parcel::run_masked, &mut parcel);
            }
            parcel.open()
        }
        #[cfg(spelt_avx2)]
        Level::Avx2 => {
            let mut parcel = Parcel::new(work);
            // SAFETY: `level` returns it, and the function of this level passes it on, only where the processor has every feature of the function.
            unsafe {
                avx2_late(Parcel::nothing, &mut parcel);
                avx2_late(Parcel::run, &mut parcel);
            }
            parcel.open()
        }
        _ => baseline(work),
    }
    #[cfg(not(any(spelt_avx2, spelt_avx512)))]
    {
        // One level is compiled: there is nothing to choose.
        let _ = known;
        run_alone(work)
    }
}

/// Work for a function of a level, and its result.
#[cfg(any(spelt_avx2, spelt_avx512))]
struct Parcel<W: Work> {
    work: Option<W>,
    output: Option<W::Output>,
}

#[cfg(any(spelt_avx2, spelt_avx512))]
impl<W: Work> Parcel<W> {
    #[inline(always)]
    fn new(work: W) -> Self {
        Self { work: Some(work), output: None }
    }

    #[inline(always)]
    fn open(self) -> W::Output {
        self.output.expect("the work has run")
    }

    #[cfg(spelt_avx2)]
    #[inline(always)]
    fn run(&mut self) {
        self.output = self.work.take().map(W::run);
    }

    #[cfg(spelt_avx512)]
    #[inline(always)]
    fn run_masked(&mut self) {
        self.output = self.work.take().map(W::run_masked);
    }

    /// The other function that the functions of the levels are passed, so that they are not specialised for one.
    #[inline(always)]
    fn nothing(&mut self) {}
}

/// With the features of [`avx2`], to become part of it.
#[cfg(spelt_avx2)]
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,movbe,f16c")]
fn avx2_late<W: Work>(function: fn(&mut Parcel<W>), parcel: &mut Parcel<W>) {
    function(parcel);
}

/// With the features of [`avx512`], to become part of it.
#[cfg(spelt_avx512)]
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
fn avx512_late<W: Work>(function: fn(&mut Parcel<W>), parcel: &mut Parcel<W>) {
    function(parcel);
}

/// Not inlined: a launch dispatches from several places, each of which would hold a copy of the loop.
#[inline(never)]
fn baseline<W: Work>(work: W) -> W::Output {
    run_alone(work.compiled_for(CompiledFor::level(Level::Baseline)))
}

/// Does the work at the level of the program as a whole.
#[cfg(spelt_masks)]
#[inline(always)]
fn run_alone<W: Work>(work: W) -> W::Output {
    work.run_masked()
}

/// Does the work at the level of the program as a whole.
#[cfg(not(spelt_masks))]
#[inline(always)]
fn run_alone<W: Work>(work: W) -> W::Output {
    work.run()
}

#[cfg(spelt_avx2)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,movbe,f16c")]
fn avx2<W: Work>(work: W) -> W::Output {
    work.compiled_for(CompiledFor::level(Level::Avx2)).run()
}

/// Without `movbe`, so that [`avx2_late`], which never runs here, is not inlined here.
#[cfg(spelt_avx512)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
fn avx512<W: Work>(work: W) -> W::Output {
    work.compiled_for(CompiledFor::level(Level::Avx512)).run_masked()
}

/// Runs `body` at every level that this processor has, from the lowest on.
///
/// Launches of other tests then run at these levels too, which does not change their bits.
#[cfg(test)]
pub(crate) fn at_each_level(mut body: impl FnMut(Level)) {
    static ONE_TEST_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _guard = ONE_TEST_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let usual = level();
    for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
        if level <= highest() {
            LEVEL.store(level as u8, Ordering::Relaxed);
            body(level);
        }
    }
    LEVEL.store(usual as u8, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work that says which of its methods ran, and with what.
    struct Told(String);

    impl Work for Told {
        type Output = String;
        #[inline(always)]
        fn run(self) -> String {
            self.0 + " run"
        }
        #[inline(always)]
        fn run_masked(self) -> String {
            self.0 + " run_masked"
        }
    }

    /// Work within work, as in a kernel.
    struct Outer(String, CompiledFor);

    impl Work for Outer {
        type Output = String;
        #[inline(always)]
        fn compiled_for(self, level: CompiledFor) -> Self {
            Self(self.0, level)
        }
        #[inline(always)]
        fn run(self) -> String {
            dispatch_nested(self.1, Told(self.0))
        }
    }

    #[test]
    fn nested_work_runs_as_other_work_does() {
        at_each_level(|level| {
            let expected = dispatch(Told(format!("{level:?}")));
            assert_eq!(dispatch_nested(CompiledFor::UNKNOWN, Told(format!("{level:?}"))), expected);
            assert_eq!(dispatch(Outer(format!("{level:?}"), CompiledFor::UNKNOWN)), expected);
        });
    }

    #[test]
    fn launches_run_at_a_lower_level_and_at_the_usual_one_again() {
        at_each_level(|_| {
            // Not `level()` before: another test may be at another level then.
            let usual = Level::NAMED[usize::from(USUAL.load(Ordering::Relaxed)) - 1].1;
            for (chosen, expected) in [
                (Some(Level::Baseline), Level::Baseline),
                (Some(Level::Avx2), usual.min(Level::Avx2)),
                (Some(Level::Avx512), usual),
                (None, usual),
            ] {
                run_at(chosen);
                assert_eq!(level(), expected, "{chosen:?}");
            }
            let lower = lower_levels();
            assert!(lower.is_sorted() && lower.iter().all(|&lower| lower < usual), "{lower:?}");
            let is_given = !matches!(variable::read(VARIABLE), Ok(None));
            let has_one = is_given || compiled_levels().len() == 1 || usual == Level::Baseline;
            assert_eq!(lower.is_empty(), has_one, "{lower:?}");
        });
    }
}
