//! The size of the Views among some arguments.

use core::mem::MaybeUninit;

/// Most launches have so few Views: no memory is needed for them.
const FEW: usize = 8;

/// The sizes of Views: each allocation once, with the most elements.
#[derive(Debug)]
pub(crate) struct Bytes {
    /// The first `count` are written. The others are not even cleared: each line of the stack that a launch touches has to be fetched first.
    few: [MaybeUninit<Allocation>; FEW],
    count: usize,
    /// All of them, if they are more.
    many: Vec<Allocation>,
}

#[derive(Clone, Copy, Debug)]
struct Allocation {
    address: usize,
    bytes: u64,
    is_written: bool,
}

impl Bytes {
    /// No View yet.
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Self { few: [const { MaybeUninit::uninit() }; FEW], count: 0, many: Vec::new() }
    }

    /// Adds a View whose first element is at `address`.
    pub(crate) fn add(&mut self, address: usize, bytes: u64, is_written: bool) {
        if address == 0 || bytes == 0 {
            return;
        }
        for view in self.views() {
            if view.address == address {
                view.bytes = view.bytes.max(bytes);
                view.is_written |= is_written;
                return;
            }
        }
        let view = Allocation { address, bytes, is_written };
        match self.few.get_mut(self.count) {
            Some(place) => _ = place.write(view),
            None => {
                if self.many.is_empty() {
                    self.many = self.views().to_vec();
                }
                self.many.push(view);
            }
        }
        self.count += 1;
    }

    #[inline(always)]
    fn views(&mut self) -> &mut [Allocation] {
        if self.count > FEW {
            return &mut self.many;
        }
        let few = self.few.as_mut_ptr().cast();
        // SAFETY: the first `count` are written, and there are as many.
        unsafe { core::slice::from_raw_parts_mut(few, self.count) }
    }

    /// The bytes of the Views that are only read, and of those that are written.
    #[inline(always)]
    pub(crate) fn read_and_written(&mut self) -> [u64; 2] {
        let mut sums = [0_u64; 2];
        for view in self.views() {
            let sum = &mut sums[usize::from(view.is_written)];
            *sum = sum.saturating_add(view.bytes);
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::Bytes;

    #[test]
    fn each_allocation_counts_once() {
        let sum = |views: &[(usize, u64, bool)]| {
            let mut bytes = Bytes::new();
            views.iter().for_each(|&(address, size, is_written)| bytes.add(address, size, is_written));
            bytes.read_and_written()
        };
        assert_eq!(sum(&[]), [0, 0]);
        let views = [(64, 3, false), (128, 5, false), (64, 10, true), (0, 100, true), (256, 0, true)];
        assert_eq!(sum(&views), [5, 10], "written once is written");
        assert_eq!(sum(&[(64, 10, true), (64, 3, false)]), [0, 10], "and stays so");
        // More Views than fit without memory, each twice.
        let many: Vec<_> = (0..40).map(|view| (64 * (1 + view % 20), view as u64, view % 20 < 9)).collect();
        let wanted = |kind: std::ops::Range<u64>| kind.map(|view| view + 20).sum::<u64>();
        assert_eq!(sum(&many), [wanted(9..20), wanted(0..9)]);
        let huge = [(64, u64::MAX - 7, false), (128, u64::MAX - 7, false), (192, 1000, false)];
        assert_eq!(sum(&huge), [u64::MAX, 0]);
    }
}
