//! Runs a check on every space of this build.

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
            let ($space, $name) = (spelt::Cuda::new(0).unwrap(), "cuda");
            $body;
        }
    }};
}

pub(crate) use on_every_space;
