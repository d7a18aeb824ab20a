//! Runs a check on every space of this build, and on ranks.

use std::sync::Mutex;

use spelt::mpi::{Communicator, InProcess};

/// Evaluates `$body` on every space, and on several numbers of threads; `$name` says which, for messages.
macro_rules! on_every_space {
    (|$space:ident, $name:ident| $body:expr) => {{
        {
            let ($space, $name) = (spelt::Serial::new(), "serial");
            $body;
        }
        for threads in [1, 2, 3, 7] {
            let $space = spelt::Threads::builder().num_threads(threads).build().unwrap();
            let $name = format!("{threads} threads");
            $body;
        }
        {
            let ($space, $name) = (spelt::Rayon::new(), "rayon");
            $body;
        }
        #[cfg(feature = "cuda")]
        if spelt::Cuda::has_device_code() {
            let ($space, $name) = (crate::spaces::device(), "cuda");
            $body;
        }
    }};
}

pub(crate) use on_every_space;

/// A space on the first device.
#[cfg(feature = "cuda")]
pub(crate) fn device() -> spelt::Cuda {
    /// It stays, and with it the device code that is loaded: that takes longer than most tests.
    static FIRST: std::sync::OnceLock<spelt::Cuda> = std::sync::OnceLock::new();
    let open = || spelt::Cuda::new(0).expect("a program with device code is tested where there is a device");
    FIRST.get_or_init(open);
    open()
}

/// Runs a check on worlds of several numbers of ranks, whose messages overtake one another.
pub(crate) fn on_ranks(check: impl Fn(&Communicator) + Sync) {
    for ranks in [1, 2, 3, 7] {
        let results = InProcess::new(ranks).delays(ranks as u64, 30).run(|ranks| {
            check(ranks);
            Ok(())
        });
        results.into_iter().for_each(|result| result.expect("no error"));
    }
}

/// Whether these bits are those of all calls before, on any rank.
pub(crate) fn same<T: Clone + PartialEq>(known: &Mutex<Option<T>>, bits: T) -> bool {
    *known.lock().expect("no panic").get_or_insert_with(|| bits.clone()) == bits
}
