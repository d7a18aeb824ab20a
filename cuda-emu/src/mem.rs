//! Device memory: allocations and their addresses.
//!
//! Device memory gets addresses in a reserved range that the host cannot touch,
//! and they are not used again until the range is used up: an access to freed
//! memory or past an end is found, not hidden. Managed and pinned memory has the
//! same address on the host.
//!
//! Several devices share the map: each has a part of the range, and reaches its own allocations and those of the host.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Device,
    Managed,
    Host,
    /// Host memory of the program, registered.
    Registered,
    /// Variable of a module.
    Global(String),
    Const(String),
    /// From malloc in a kernel.
    Heap,
    /// Used by the tool itself.
    Internal,
}

pub(crate) struct Alloc {
    pub base: u64,
    pub size: u64,
    pub host: *mut u8,
    pub kind: Kind,
    pub id: u64,
    /// One bit for each byte that was written, when reads of unwritten memory are looked for.
    pub init: Option<Vec<u64>>,
    /// Allocated in the order of a stream.
    pub ordered: bool,
    /// The device whose context made it.
    pub device: usize,
    layout: Option<(*mut u8, Layout)>,
}

#[derive(Clone)]
struct Freed {
    size: u64,
    id: u64,
}

pub(crate) struct Mem {
    pub map: BTreeMap<u64, Alloc>,
    freed: BTreeMap<u64, Freed>,
    /// Allocations in the order of a stream, which has not reached them yet.
    hidden: BTreeMap<u64, Alloc>,
    /// The range of addresses of each device.
    ranges: Vec<Range>,
    /// The device of the work that runs.
    pub device: usize,
    /// Bytes that each device can have.
    pub limit: u64,
    next_id: u64,
    pub initcheck: bool,
    pub fill: Option<u8>,
    /// Changes with each allocation and release.
    pub generation: u64,
}

/// The addresses of a device, and the use of its memory.
struct Range {
    start: u64,
    end: u64,
    next: u64,
    used: u64,
}

impl Alloc {
    /// Whether all devices reach it: it is the host's.
    fn shared(&self) -> bool {
        matches!(self.kind, Kind::Managed | Kind::Host | Kind::Registered)
    }

    /// Whether `addr` is one of its bytes.
    pub(crate) fn holds(&self, addr: u64) -> bool {
        addr.wrapping_sub(self.base) < self.size
    }

    /// Records that bytes are written, and says whether they were before (true also where that is not tracked).
    pub(crate) fn touch(&mut self, addr: u64, len: u64) -> bool {
        let Some(v) = &mut self.init else { return true };
        let start = addr - self.base;
        let (w, b) = ((start / 64) as usize, start % 64);
        if b + len > 64 {
            let written = (start..start + len).all(|b| v[b as usize / 64] >> (b % 64) & 1 == 1);
            set_bits(v, start, len);
            return written;
        }
        let mask = (u64::MAX >> (64 - len)) << b;
        let written = v[w] & mask == mask;
        v[w] |= mask;
        written
    }
}

impl std::fmt::Debug for Mem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} allocations, {} of {} bytes", self.map.len(), self.used(), self.limit)
    }
}

// SAFETY: the pointers are to memory that this value owns, or that the program has registered for any thread to use.
unsafe impl Send for Mem {}

unsafe extern "C" {
    fn mmap(addr: *mut u8, len: usize, prot: i32, flags: i32, fd: i32, off: i64) -> *mut u8;
}

fn reserve() -> (u64, u64) {
    let mut size: usize = 1 << 40;
    while size >= 1 << 32 {
        // No access, private, anonymous, no swap space.
        // SAFETY: the kernel chooses where the new mapping goes, so none that is in use is replaced.
        let p = unsafe { mmap(std::ptr::null_mut(), size, 0, 0x2 | 0x20 | 0x4000, -1, 0) };
        if p as isize != -1 {
            return (p as u64, size as u64);
        }
        size >>= 2;
    }
    // No range is available: addresses that are never mapped.
    (0x0010_0000_0000, 1 << 40)
}

impl Mem {
    pub(crate) fn new(limit: u64, devices: u32, initcheck: bool, fill: Option<u8>) -> Mem {
        let (p, size) = reserve();
        let start = p.next_multiple_of(1 << 21);
        let each = ((size - (start - p)) / u64::from(devices)) & !((1 << 21) - 1);
        let range = |device| {
            let start = start + u64::from(device) * each;
            Range { start, end: start + each, next: start + (1 << 21), used: 0 }
        };
        Mem {
            map: BTreeMap::new(),
            freed: BTreeMap::new(),
            hidden: BTreeMap::new(),
            ranges: (0..devices).map(range).collect(),
            device: 0,
            limit,
            next_id: 1,
            initcheck,
            fill,
            generation: 1,
        }
    }

    /// Bytes in use on the current device.
    pub(crate) fn used(&self) -> u64 {
        self.ranges[self.device].used
    }

    /// Address space for `size` bytes, with a gap after it.
    fn take_va(&mut self, size: u64) -> Option<u64> {
        let gap = (size / 8).clamp(64 << 10, 1 << 30);
        let len = (size + gap).next_multiple_of(64 << 10);
        let range = &mut self.ranges[self.device];
        let (start, end) = (range.start, range.end);
        if range.next + len <= end {
            let a = range.next;
            range.next += len;
            return Some(a);
        }
        // Used up: look for a free place. Until all allocations are in the map that cannot be known.
        if !self.hidden.is_empty() {
            return None;
        }
        let mut at = start + (1 << 21);
        for (b, a) in self.map.range(start..end) {
            if at + len <= *b {
                break;
            }
            at = (b + a.size + gap).next_multiple_of(64 << 10);
        }
        (at + len <= end).then_some(at)
    }

    fn clear_freed(&mut self, base: u64, size: u64) {
        let old: Vec<u64> =
            self.freed.range(..base + size).filter(|(b, f)| **b + f.size > base).map(|x| *x.0).collect();
        for o in old {
            self.freed.remove(&o);
        }
    }

    pub(crate) fn alloc(&mut self, size: u64, kind: Kind) -> Option<u64> {
        if size > self.limit.saturating_sub(self.used()) {
            return None;
        }
        let same = matches!(kind, Kind::Managed | Kind::Host);
        // Space around memory that the host shares.
        let pad = if same { 4096 } else { 0 };
        let layout = Layout::from_size_align((size + 2 * pad).max(64) as usize, 4096).ok()?;
        let zero =
            !matches!(kind, Kind::Device | Kind::Managed | Kind::Host | Kind::Heap) || self.fill.is_none();
        // SAFETY: the layout has at least 64 bytes.
        let p = unsafe { if zero { alloc_zeroed(layout) } else { alloc(layout) } };
        if p.is_null() {
            return None;
        }
        // SAFETY: the block has `size` bytes and the padding twice.
        let host = unsafe { p.add(pad as usize) };
        if let (false, Some(f)) = (zero, self.fill) {
            // SAFETY: `size` bytes from `host` are part of the block.
            unsafe { std::ptr::write_bytes(host, f, size as usize) };
        }
        let base = if same { host as u64 } else { self.take_va(size)? };
        self.clear_freed(base, size);
        let track = self.initcheck && matches!(kind, Kind::Device | Kind::Heap);
        let id = self.next_id;
        self.next_id += 1;
        self.ranges[self.device].used += size;
        self.generation += 1;
        self.map.insert(
            base,
            Alloc {
                base,
                size,
                host,
                kind,
                id,
                init: track.then(|| vec![0; size.div_ceil(64) as usize]),
                ordered: false,
                device: self.device,
                layout: Some((p, layout)),
            },
        );
        Some(base)
    }

    pub(crate) fn register(&mut self, p: *mut u8, size: u64) -> bool {
        if self.find(p as u64).is_some() {
            return false;
        }
        let id = self.next_id;
        self.next_id += 1;
        self.generation += 1;
        self.clear_freed(p as u64, size);
        self.map.insert(
            p as u64,
            Alloc {
                base: p as u64,
                size,
                host: p,
                kind: Kind::Registered,
                id,
                init: None,
                ordered: false,
                device: self.device,
                layout: None,
            },
        );
        true
    }

    /// Frees the allocation that starts at `base`.
    pub(crate) fn free(&mut self, base: u64) -> bool {
        let Some(a) = self.map.remove(&base).or_else(|| self.hidden.remove(&base)) else { return false };
        self.generation += 1;
        if let Some((p, l)) = a.layout {
            self.ranges[a.device].used -= a.size;
            // SAFETY: pointer and layout are those of the allocation, which has just left the map.
            unsafe { dealloc(p, l) };
        }
        if self.freed.len() > 4096 {
            self.freed.pop_first();
        }
        self.freed.insert(base, Freed { size: a.size, id: a.id });
        true
    }

    /// Frees everything that a device's context made.
    pub(crate) fn free_all(&mut self, device: usize) {
        let all = self.map.values().chain(self.hidden.values());
        let all: Vec<u64> = all.filter(|a| a.device == device).map(|a| a.base).collect();
        for base in all {
            self.free(base);
        }
    }

    /// The allocation that begins at `base` was made in the order of a stream.
    pub(crate) fn set_ordered(&mut self, base: u64) {
        if let Some(a) = self.map.get_mut(&base) {
            a.ordered = true;
        }
    }

    /// The allocation that begins at `base` does not exist before [`Mem::show`].
    pub(crate) fn hide(&mut self, base: u64) {
        if let Some(a) = self.map.remove(&base) {
            self.hidden.insert(base, a);
            self.generation += 1;
        }
    }

    /// Makes a hidden allocation visible, unless it was freed meanwhile.
    pub(crate) fn show(&mut self, base: u64) {
        if let Some(a) = self.hidden.remove(&base) {
            self.map.insert(base, a);
            self.generation += 1;
        }
    }

    /// The allocation that holds `addr`, also one that does not exist yet.
    pub(crate) fn known(&self, addr: u64) -> Option<&Alloc> {
        self.find(addr).or_else(|| {
            let (_, a) = self.hidden.range(..=addr).next_back()?;
            (addr - a.base < a.size).then_some(a)
        })
    }

    /// The allocation that holds `addr`.
    pub(crate) fn find(&self, addr: u64) -> Option<&Alloc> {
        let (_, a) = self.map.range(..=addr).next_back()?;
        (addr < a.base + a.size || (addr == a.base && a.size == 0)).then_some(a)
    }

    /// The allocation that holds `addr`, if the current device reaches it.
    pub(crate) fn find_here(&self, addr: u64) -> Option<&Alloc> {
        self.find(addr).filter(|a| a.shared() || a.device == self.device)
    }

    /// Whether `addr` is in memory of `device`, or in memory that all devices reach.
    pub(crate) fn is_of(&self, addr: u64, device: usize) -> bool {
        self.known(addr).is_some_and(|a| a.shared() || a.device == device)
    }

    pub(crate) fn find_mut(&mut self, addr: u64) -> Option<&mut Alloc> {
        let (_, a) = self.map.range_mut(..=addr).next_back()?;
        (addr < a.base + a.size).then_some(a)
    }

    /// Host pointer for a whole range inside one allocation.
    pub(crate) fn range(&self, addr: u64, len: u64) -> Option<*mut u8> {
        let a = self.find(addr)?;
        // SAFETY: the range is inside the allocation.
        (len <= a.size - (addr - a.base)).then(|| unsafe { a.host.add((addr - a.base) as usize) })
    }

    pub(crate) fn mark_init(&mut self, addr: u64, len: u64) {
        if let Some(a) = self.find_mut(addr) {
            let o = addr - a.base;
            if let Some(v) = &mut a.init {
                set_bits(v, o, len);
            }
        }
    }

    /// Copies the record of written bytes along with a copy of memory.
    pub(crate) fn copy_init(&mut self, dst: u64, src: u64, len: u64) {
        if !self.initcheck {
            return;
        }
        let bits: Option<Vec<bool>> = self.find(src).and_then(|a| {
            let o = src - a.base;
            a.init.as_ref().map(|v| (o..o + len).map(|b| v[b as usize / 64] >> (b % 64) & 1 == 1).collect())
        });
        match bits {
            None => self.mark_init(dst, len),
            Some(b) => {
                if let Some(a) = self.find_mut(dst) {
                    let o = dst - a.base;
                    if let Some(v) = &mut a.init {
                        for (i, on) in b.iter().enumerate() {
                            let k = (o + i as u64) as usize;
                            if *on {
                                v[k / 64] |= 1 << (k % 64);
                            } else {
                                v[k / 64] &= !(1 << (k % 64));
                            }
                        }
                    }
                }
            }
        }
    }

    /// Describes an address that is not valid.
    pub(crate) fn describe(&self, addr: u64, len: u64) -> String {
        if let (Some(a), None) = (self.find(addr), self.find_here(addr)) {
            return format!(
                "offset {} of {} ({} bytes at 0x{:x}), which is memory of device {}; this runs on device {}",
                addr - a.base,
                name(a),
                a.size,
                a.base,
                a.device,
                self.device
            );
        }
        if let Some(a) = self.find(addr) {
            return format!(
                "{} bytes at offset {} of {} ({} bytes at 0x{:x}): past its end",
                len,
                addr - a.base,
                name(a),
                a.size,
                a.base
            );
        }
        if let Some(a) = self.known(addr) {
            return format!(
                "offset {} of {} ({} bytes at 0x{:x}), which is not allocated yet in the order of its stream",
                addr - a.base,
                name(a),
                a.size,
                a.base
            );
        }
        if let Some((b, f)) = self.freed.range(..=addr).next_back()
            && addr < b + f.size
        {
            return format!(
                "offset {} of allocation #{} ({} bytes at 0x{:x}), which was freed",
                addr - b,
                f.id,
                f.size,
                b
            );
        }
        if addr < 4096 {
            return "a null pointer".into();
        }
        let before = self.map.range(..=addr).next_back().map(|(_, a)| (addr - a.base - a.size, a));
        let after = self.map.range(addr..).next().map(|(_, a)| (a.base - addr, a));
        match (before, after) {
            (Some((d, a)), x) if d < (1 << 32) && x.as_ref().is_none_or(|y| d <= y.0) => {
                format!("{} bytes after the end of {} ({} bytes at 0x{:x})", d, name(a), a.size, a.base)
            }
            (_, Some((d, a))) if d < (1 << 32) => {
                format!("{} bytes before {} ({} bytes at 0x{:x})", d, name(a), a.size, a.base)
            }
            _ => "not near any allocation".into(),
        }
    }

    /// The memory that the contexts of the devices have not freed.
    pub(crate) fn leaks(&self, devices: impl Fn(usize) -> bool) -> Vec<(u64, u64, u64)> {
        self.map
            .values()
            .chain(self.hidden.values())
            .filter(|a| devices(a.device))
            .filter(|a| matches!(a.kind, Kind::Device | Kind::Managed | Kind::Host | Kind::Heap))
            .map(|a| (a.id, a.base, a.size))
            .collect()
    }
}

impl Drop for Mem {
    fn drop(&mut self) {
        for a in self.map.values().chain(self.hidden.values()) {
            if let Some((p, l)) = a.layout {
                // SAFETY: pointer and layout are those of the allocation, and the map goes away.
                unsafe { dealloc(p, l) };
            }
        }
    }
}

pub(crate) fn name(a: &Alloc) -> String {
    match &a.kind {
        Kind::Global(n) => format!("variable '{n}'"),
        Kind::Const(n) => format!("constant '{n}'"),
        Kind::Managed => format!("managed allocation #{}", a.id),
        Kind::Host => format!("pinned allocation #{}", a.id),
        Kind::Registered => format!("registered memory #{}", a.id),
        Kind::Heap => format!("heap block #{}", a.id),
        _ => format!("allocation #{}", a.id),
    }
}

pub(crate) fn set_bits(v: &mut [u64], start: u64, len: u64) {
    let (mut i, end) = (start, start + len);
    while i < end {
        let w = (i / 64) as usize;
        let b = i % 64;
        let n = (64 - b).min(end - i);
        let m = if n == 64 { u64::MAX } else { ((1u64 << n) - 1) << b };
        v[w] |= m;
        i += n;
    }
}
