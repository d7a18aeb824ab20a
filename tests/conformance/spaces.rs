//! Every space, and every way of sharing out a launch on it.
//!
//! With the feature `cuda` that is only the device: each space has its own copy of every kernel to compile, and those of the
//! host have been tested without the feature.

use std::ops::Range;

use spelt::prelude::*;
use spelt::{AnyHost, HostSpace, MdRangePolicy, RangePolicy, Schedule, SignedPolicy};

/// The distribution of a launch over threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub schedule: Schedule,
    pub chunk: Option<usize>,
}

impl Setting {
    pub(crate) fn range<'s, S: ExecutionSpace>(
        &self,
        space: &'s S,
        range: Range<usize>,
    ) -> RangePolicy<&'s S> {
        let policy = space.range(range).schedule(self.schedule);
        self.chunk.map_or(policy, |chunk| policy.chunk(chunk))
    }

    pub(crate) fn signed_range<'s, S: ExecutionSpace>(
        &self,
        space: &'s S,
        range: Range<isize>,
    ) -> SignedPolicy<RangePolicy<&'s S>, 1> {
        let policy = space.signed_range(range).schedule(self.schedule);
        self.chunk.map_or(policy, |chunk| policy.chunk(chunk))
    }

    pub(crate) fn signed_md_range<'s, S: ExecutionSpace, const R: usize>(
        &self,
        space: &'s S,
        ranges: [Range<isize>; R],
    ) -> SignedPolicy<MdRangePolicy<&'s S, R>, R> {
        let policy = space.signed_md_range(ranges).schedule(self.schedule);
        match self.chunk {
            Some(chunk) => policy.chunk(chunk),
            None => policy,
        }
    }

    pub(crate) fn md_range<'s, S: ExecutionSpace, const R: usize>(
        &self,
        space: &'s S,
        ranges: [Range<usize>; R],
    ) -> MdRangePolicy<&'s S, R> {
        let policy = space.md_range(ranges).schedule(self.schedule);
        match self.chunk {
            Some(chunk) => policy.chunk(chunk),
            None => policy,
        }
    }
}

/// One test text for every space.
pub(crate) trait Case: Sync {
    fn run<S: ExecutionSpace>(&self, space: &S, setting: &Setting);
}

/// One test text for the host's spaces: its kernels do things that no device can, such as launching kernels, keeping values
/// that own memory, or continuing after a panic.
pub(crate) trait HostCase: Sync {
    fn run<S: ExecutionSpace<Memory = HostSpace>>(&self, space: &S, setting: &Setting);
}

/// A text for every space is one for the host's.
struct OnHost<'a, C>(&'a C);

impl<C: Case> HostCase for OnHost<'_, C> {
    fn run<S: ExecutionSpace<Memory = HostSpace>>(&self, space: &S, setting: &Setting) {
        self.0.run(space, setting);
    }
}

/// Says where a test failed.
struct Where(String);

impl Drop for Where {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed on {}", self.0);
        }
    }
}

/// A test on a space of the host. All of these have one type here, so that each kernel is compiled once; a pointer, so that what follows
/// is compiled once for all tests.
type OnAnyHost<'a> = &'a (dyn Fn(&AnyHost, &Setting) + Sync);

fn run(case: OnAnyHost<'_>, space: impl Into<AnyHost>, name: &str, settings: &[Setting]) {
    let space = space.into();
    for setting in settings {
        let _where = Where(format!("{name}, {setting:?}"));
        case(&space, setting);
    }
}

/// A separate pool for every test: on one that another test uses, a launch would run on its caller.
pub(crate) fn threads(threads: usize) -> Threads {
    Threads::builder().num_threads(threads).build().expect("threads can be had")
}

fn each(case: OnAnyHost<'_>, alone: &[Setting], shared: &[Setting]) {
    run(case, Serial::new(), "Serial", alone);
    run(case, threads(1), "1 thread", alone);
    for number in [2, 3, 8] {
        run(case, threads(number), &format!("{number} threads"), shared);
    }
    run(case, Rayon::new(), "the global rayon pool", shared);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads can be had");
    pool.install(|| run(case, Rayon::new(), "a rayon pool of 3 threads", shared));
}

const fn setting(schedule: Schedule, chunk: Option<usize>) -> Setting {
    Setting { schedule, chunk }
}

/// Runs a test on the device, where this build has device code and finds a device.
#[cfg(feature = "cuda")]
fn on_device(case: &impl Case) {
    if let Some(space) = crate::device::space() {
        let _where = Where(space.configuration());
        case.run(&space, &setting(Static, None));
        space.fence().expect("nothing has failed");
    }
}

/// Runs a test on every space.
pub(crate) fn on_every_space(case: &impl Case) {
    #[cfg(not(feature = "cuda"))]
    on_every_host_space(&OnHost(case));
    #[cfg(feature = "cuda")]
    on_device(case);
}

/// Runs a test on every space, and on a pool whose teams may have 32 threads.
pub(crate) fn on_large_teams(case: &impl Case) {
    on_every_space(case);
    #[cfg(not(feature = "cuda"))]
    run(&|space, setting| case.run(space, setting), threads(32), "32 threads", &[setting(Static, None)]);
}

/// Runs a test on every space, with both schedules and several chunks.
pub(crate) fn on_every_setting(case: &impl Case) {
    #[cfg(not(feature = "cuda"))]
    on_every_host_setting(&OnHost(case));
    #[cfg(feature = "cuda")]
    on_device(case);
}

/// Runs a test on every space of the host.
pub(crate) fn on_every_host_space(case: &impl HostCase) {
    each(&|space, setting| case.run(space, setting), &[setting(Static, None)], &[setting(Static, None)]);
}

/// Runs a test on every space of the host, with both schedules and several chunks.
pub(crate) fn on_every_host_setting(case: &impl HostCase) {
    let shared = [None, Some(1), Some(7), Some(64)]
        .into_iter()
        .flat_map(|chunk| [Static, Dynamic].map(|schedule| setting(schedule, chunk)));
    let alone = [setting(Static, None), setting(Dynamic, Some(7))];
    each(&|space, setting| case.run(space, setting), &alone, &shared.collect::<Vec<_>>());
}

/// Makes tests of texts that are generic over the space: `every! { on_every_space: fn name(space, setting) { .. } }`.
///
/// Kernels of `on_every_space` and `on_every_setting` run on a device too: their closures are `move`.
macro_rules! every {
    (on_every_space: $($rest:tt)*) => { every! { @[all(), on_every_space, Case, spelt::ExecutionSpace] $($rest)* } };
    (on_large_teams: $($rest:tt)*) => { every! { @[all(), on_large_teams, Case, spelt::ExecutionSpace] $($rest)* } };
    (on_every_setting: $($rest:tt)*) => { every! { @[all(), on_every_setting, Case, spelt::ExecutionSpace] $($rest)* } };
    (on_every_host_space: $($rest:tt)*) => { every! {
        @[not(feature = "cuda"), on_every_host_space, HostCase, spelt::ExecutionSpace<Memory = spelt::HostSpace>] $($rest)*
    } };
    (on_every_host_setting: $($rest:tt)*) => { every! {
        @[not(feature = "cuda"), on_every_host_setting, HostCase, spelt::ExecutionSpace<Memory = spelt::HostSpace>] $($rest)*
    } };
    (@$how:tt $($(#[$meta:meta])* fn $name:ident($space:ident, $setting:ident) $body:block)*) => {$(
        every! { @one $how $(#[$meta])* fn $name($space, $setting) $body }
    )*};
    (@one [$when:meta, $which:ident, $case:ident, $($bound:tt)*]
        $(#[$meta:meta])* fn $name:ident($space:ident, $setting:ident) $body:block) => {
        $(#[$meta])*
        #[cfg_attr($when, test)]
        #[cfg_attr(not($when), allow(dead_code))]
        fn $name() {
            struct This;
            impl crate::spaces::$case for This {
                fn run<S: $($bound)*>(
                    &self,
                    $space: &S,
                    $setting: &crate::spaces::Setting,
                ) $body
            }
            crate::spaces::$which(&This);
        }
    };
}
pub(crate) use every;
