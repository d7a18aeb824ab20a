//! The running values of a tile's lanes, laid out so that the compiler keeps them in vector registers.

use core::{
    array,
    hint::black_box,
    mem::{MaybeUninit, align_of, needs_drop, size_of},
};

/// How the values of `W` lanes lie in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One value after the other.
    Values,
    /// Word `w` of all lanes together, in words of 8 bytes: what turns the fields of a `MinMaxLocValue` into
    /// one vector each.
    Words8,
    /// The same in words of 4 bytes.
    Words4,
}

/// Words that a value may have to be taken apart into them.
const MOST_WORDS: usize = 8;

const fn shape<V>() -> Shape {
    let (size, align) = (size_of::<V>(), align_of::<V>());
    if needs_drop::<V>() || size <= 4 || size == 8 {
        Shape::Values
    } else if align == 8 && size <= 8 * MOST_WORDS {
        Shape::Words8
    } else if align == 4 && size <= 4 * MOST_WORDS {
        Shape::Words4
    } else {
        Shape::Values
    }
}

/// The running values of `W` lanes, of which the first `live` exist.
pub(crate) struct Lanes<V, const W: usize> {
    values: [Option<V>; W],
    flat: [MaybeUninit<V>; W],
    words8: [[MaybeUninit<u64>; W]; MOST_WORDS],
    words4: [[MaybeUninit<u32>; W]; MOST_WORDS],
    live: usize,
}

impl<V, const W: usize> Lanes<V, W> {
    const SHAPE: Shape = shape::<V>();

    /// `live` lanes (at most `W`), each starting from `init()`.
    #[inline(always)]
    pub(crate) fn new(live: usize, mut init: impl FnMut() -> V) -> Self {
        let mut lanes = Self {
            values: array::from_fn(|_| None),
            flat: [const { MaybeUninit::uninit() }; W],
            words8: [[MaybeUninit::uninit(); W]; MOST_WORDS],
            words4: [[MaybeUninit::uninit(); W]; MOST_WORDS],
            live,
        };
        if live == W {
            for lane in 0..W {
                lanes.put(lane, init());
            }
        } else {
            for lane in 0..live.min(W) {
                lanes.put(lane, init());
            }
        }
        lanes
    }

    #[inline(always)]
    fn put(&mut self, lane: usize, value: V) {
        if needs_drop::<V>() {
            self.values[lane] = Some(value);
            return;
        }
        let value = MaybeUninit::new(value);
        match Self::SHAPE {
            Shape::Values => self.flat[lane] = value,
            Shape::Words8 => {
                for word in 0..size_of::<V>() / 8 {
                    // SAFETY: the value is made of this many 8-byte words, aligned for them; `MaybeUninit`
                    // carries padding as it is.
                    self.words8[word][lane] = unsafe { *value.as_ptr().cast::<MaybeUninit<u64>>().add(word) };
                }
            }
            Shape::Words4 => {
                for word in 0..size_of::<V>() / 4 {
                    // SAFETY: as above, in words of 4 bytes.
                    self.words4[word][lane] = unsafe { *value.as_ptr().cast::<MaybeUninit<u32>>().add(word) };
                }
            }
        }
    }

    /// Takes the value of a live lane out; it must be put back, or never looked at again.
    #[inline(always)]
    fn take(&mut self, lane: usize) -> V {
        debug_assert!(lane < self.live);
        if needs_drop::<V>() {
            return self.values[lane].take().expect("a live lane holds a value");
        }
        let mut value = MaybeUninit::<V>::uninit();
        match Self::SHAPE {
            // SAFETY: reading the bytes of a value without drop glue twice is a copy.
            Shape::Values => value = unsafe { core::ptr::read(&self.flat[lane]) },
            Shape::Words8 => {
                for word in 0..size_of::<V>() / 8 {
                    // SAFETY: the value has this many words.
                    unsafe {
                        *value.as_mut_ptr().cast::<MaybeUninit<u64>>().add(word) = self.words8[word][lane]
                    };
                }
            }
            Shape::Words4 => {
                for word in 0..size_of::<V>() / 4 {
                    // SAFETY: the value has this many words.
                    unsafe {
                        *value.as_mut_ptr().cast::<MaybeUninit<u32>>().add(word) = self.words4[word][lane]
                    };
                }
            }
        }
        // SAFETY: `new` put a value into each live lane, word by word, and it is whole again.
        unsafe { value.assume_init() }
    }

    /// Calls `body` with the value of one live lane.
    #[inline(always)]
    pub(crate) fn with(&mut self, lane: usize, body: impl FnOnce(&mut V)) {
        debug_assert!(lane < self.live);
        if needs_drop::<V>() {
            body(self.values[lane].as_mut().expect("a live lane holds a value"));
        } else if Self::SHAPE == Shape::Values {
            // SAFETY: `new` put a value into each live lane.
            body(unsafe { self.flat[lane].assume_init_mut() });
        } else {
            let mut value = self.take(lane);
            body(&mut value);
            self.put(lane, value);
        }
    }

    /// Sends the values through memory, where their stores stand side by side.
    ///
    /// The compiler's vectoriser starts from adjacent stores; without them it guesses from the joins that
    /// follow, and keeps pairs where whole registers would do. Measured: sum of f32 in cache three times faster.
    #[inline(always)]
    pub(crate) fn settle(&mut self) {
        if needs_drop::<V>() {
            return;
        }
        match Self::SHAPE {
            Shape::Values => {
                black_box(&mut self.flat);
            }
            Shape::Words8 => {
                black_box(&mut self.words8);
            }
            Shape::Words4 => {
                black_box(&mut self.words4);
            }
        }
    }

    /// Joins the lanes by halving: lane `l` with `l + W/2`, then `l + W/4`, and so on; lanes that are not live
    /// are skipped.
    #[inline(always)]
    pub(crate) fn halve(mut self, mut join: impl FnMut(&mut V, &V)) -> Option<V> {
        if self.live == 0 {
            return None;
        }
        let mut half = W / 2;
        while half > 0 {
            for lane in 0..half {
                if self.live == W || lane + half < self.live {
                    let other = self.take(lane + half);
                    self.with(lane, |value| join(value, &other));
                }
            }
            half /= 2;
        }
        Some(self.take(0))
    }
}
