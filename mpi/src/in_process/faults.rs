//! What goes slowly or wrong in a world of threads.

/// Delays, deaths and limits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Faults {
    /// The seed, and the most tests that a message is late.
    pub(super) delays: Option<(u64, u32)>,
    /// Messages above this number of bytes leave when they are received.
    pub(super) eager: usize,
    /// The most bytes of one message.
    pub(super) longest: usize,
    /// The rank that panics, and at which operation.
    pub(super) dies: Option<(usize, u64)>,
    /// The rank that stops, and at which operation.
    pub(super) silent: Option<(usize, u64)>,
}

impl Default for Faults {
    fn default() -> Self {
        Self { delays: None, eager: usize::MAX, longest: usize::MAX, dies: None, silent: None }
    }
}

impl Faults {
    /// The tests by which a message is late: sender, receiver and number decide, so that runs repeat.
    pub(super) fn delay(&self, from: usize, to: usize, number: u64) -> u32 {
        let Some((seed, most)) = self.delays else { return 0 };
        let place = (from as u64) << 42 ^ (to as u64) << 21 ^ number;
        let random = mixed(seed ^ mixed(place));
        u32::try_from(random % (u64::from(most) + 1)).expect("at most `most`")
    }
}

/// The mixing function of SplitMix64: <https://prng.di.unimi.it/splitmix64.c>.
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}
