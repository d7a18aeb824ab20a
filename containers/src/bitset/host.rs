//! Bits on the host.

use spelt_core::HostAccessible;

use super::words::{next_set, next_unset};
use super::{BITS, Bitset};

impl<M: HostAccessible> Bitset<M> {
    /// Whether bit `index` is set.
    ///
    /// # Panics
    /// If the index is out of bounds.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::Serial;
    /// let mut bits = Bitset::new(&Serial::new(), "bits", 70)?;
    /// bits.set(69);
    /// assert!(bits.test(69) && !bits.test(68));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn test(&self, index: usize) -> bool {
        let (word, bit) = self.place(index);
        self.words[word] >> bit & 1 != 0
    }

    /// Sets bit `index`.
    ///
    /// # Panics
    /// If the index is out of bounds.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::Serial;
    /// let mut bits = Bitset::new(&Serial::new(), "bits", 70)?;
    /// bits.set(69);
    /// assert!(bits.iter().eq([69]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[track_caller]
    pub fn set(&mut self, index: usize) {
        let (word, bit) = self.place(index);
        self.words[word] |= 1 << bit;
    }

    /// Resets bit `index`.
    ///
    /// # Panics
    /// If the index is out of bounds.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::Serial;
    /// let mut bits = Bitset::new(&Serial::new(), "bits", 3)?;
    /// bits.fill(&Serial::new(), true)?;
    /// bits.reset(1);
    /// assert!(bits.iter().eq([0, 2]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[track_caller]
    pub fn reset(&mut self, index: usize) {
        let (word, bit) = self.place(index);
        self.words[word] &= !(1 << bit);
    }

    /// The first set bit at `from` or after it.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::Serial;
    /// let mut bits = Bitset::new(&Serial::new(), "bits", 300)?;
    /// bits.set(200);
    /// assert_eq!((bits.next_set(200), bits.next_set(201)), (Some(200), None));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn next_set(&self, from: usize) -> Option<usize> {
        next_set(self.slice(), self.len, from)
    }

    /// The first bit at `from` or after it that is not set.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::Serial;
    /// let mut bits = Bitset::new(&Serial::new(), "bits", 2)?;
    /// bits.set(0);
    /// assert_eq!((bits.next_unset(0), bits.next_unset(2)), (Some(1), None));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn next_unset(&self, from: usize) -> Option<usize> {
        next_unset(self.slice(), self.len, from)
    }

    /// The indices of the bits that are set, ascending.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::Serial;
    /// let mut bits = Bitset::new(&Serial::new(), "bits", 300)?;
    /// bits.set(200);
    /// bits.set(0);
    /// assert_eq!(bits.iter().collect::<Vec<_>>(), [0, 200]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        core::iter::successors(self.next_set(0), |&last| self.next_set(last + 1))
    }

    fn slice(&self) -> &[u64] {
        self.words.as_slice().expect("an owned View of rank 1 is contiguous")
    }

    #[track_caller]
    fn place(&self, index: usize) -> (usize, usize) {
        let (label, len) = (self.label(), self.len);
        assert!(index < len, "index {index} is out of bounds of bitset `{label}` with {len} bits");
        (index / BITS, index % BITS)
    }
}
