//! The library's whole state, behind one lock, so that launches run one at a time.

use super::api::Handle;
use super::error::{
    INVALID_CONTEXT, INVALID_DEVICE, INVALID_HANDLE, INVALID_VALUE, NOT_FOUND, NOT_INITIALIZED, OUT_OF_MEMORY,
};
use super::queue::Queue;
use super::statistics::History;
use crate::config::Config;
use crate::ir::Code;
use crate::mem::{Kind, Mem};
use crate::module::Module;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

/// The primary context of a device.
pub(super) fn primary(device: usize) -> u64 {
    0x1000 + 16 * device as u64
}

/// The device of a number of the API.
pub(super) fn ordinal(g: &State, d: c_int) -> Result<usize, i32> {
    usize::try_from(d).ok().filter(|d| *d < g.devices.len()).ok_or(INVALID_DEVICE)
}

/// The state of one device.
#[derive(Debug, Default)]
pub(super) struct Device {
    /// How often its primary context is retained.
    pub(super) primary: u32,
    /// The error that ended its context.
    pub(super) sticky: i32,
}

#[derive(Debug)]
pub(super) struct Func {
    pub(super) module: u64,
    pub(super) index: usize,
    pub(super) max_dynamic: u32,
    pub(super) carveout: i32,
}

#[derive(Debug)]
pub(super) struct Stream {
    pub(super) device: usize,
    pub(super) flags: u32,
    pub(super) priority: i32,
}

#[derive(Debug)]
pub(super) struct Event {
    pub(super) device: usize,
    pub(super) flags: u32,
    /// When it was reached last.
    pub(super) time: Option<Instant>,
    /// The work that will reach it, while that waits.
    pub(super) record: Option<u64>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) cfg: Config,
    pub(super) mem: Mem,
    pub(super) devices: Vec<Device>,
    /// The device of the call that holds the lock, or of the work that runs.
    pub(super) device: usize,
    /// Contexts that were created, and their devices.
    pub(super) contexts: HashMap<u64, usize>,
    pub(super) modules: HashMap<u64, Module>,
    pub(super) funcs: HashMap<u64, Func>,
    pub(super) by_name: HashMap<(u64, usize), u64>,
    pub(super) streams: HashMap<u64, Stream>,
    pub(super) events: HashMap<u64, Event>,
    /// Attributes that were set, of each pool.
    pub(super) pools: HashMap<u64, HashMap<i32, u64>>,
    pub(super) limits: HashMap<u32, u64>,
    /// Flags of pinned memory, by address.
    pub(super) host_flags: HashMap<u64, u32>,
    pub(super) queue: Queue,
    pub(super) history: History,
    next: u64,
    pub(super) launches: u64,
}

pub(super) static STATE: Mutex<Option<Box<State>>> = Mutex::new(None);

thread_local! {
    /// The contexts of this thread, the current one last.
    pub(super) static CURRENT: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

pub(super) fn current() -> Option<u64> {
    CURRENT.with(|c| c.borrow().last().copied())
}

pub(super) struct Guard(MutexGuard<'static, Option<Box<State>>>);

impl std::ops::Deref for Guard {
    type Target = State;
    fn deref(&self) -> &State {
        self.0.as_ref().expect("initialised")
    }
}
impl std::ops::DerefMut for Guard {
    fn deref_mut(&mut self) -> &mut State {
        self.0.as_mut().expect("initialised")
    }
}

pub(super) fn lock() -> Result<Guard, i32> {
    let g = STATE.lock().unwrap_or_else(|e| e.into_inner());
    if g.is_none() { Err(NOT_INITIALIZED) } else { Ok(Guard(g)) }
}

/// State with a current context, on whose device there was no failure.
pub(super) fn ctx() -> Result<Guard, i32> {
    let mut g = lock()?;
    let device = current().and_then(|c| g.device_of(c)).ok_or(INVALID_CONTEXT)?;
    g.on(device);
    match g.devices[device].sticky {
        0 => Ok(g),
        code => Err(code),
    }
}

impl State {
    pub(super) fn new(cfg: Config) -> State {
        State {
            mem: Mem::new(cfg.mem_limit, cfg.devices, cfg.initcheck, cfg.fill),
            queue: Queue::new(cfg.defer),
            devices: (0..cfg.devices).map(|_| Device::default()).collect(),
            device: 0,
            cfg,
            contexts: HashMap::new(),
            modules: HashMap::new(),
            funcs: HashMap::new(),
            by_name: HashMap::new(),
            streams: HashMap::new(),
            events: HashMap::new(),
            pools: HashMap::new(),
            limits: HashMap::new(),
            host_flags: HashMap::new(),
            history: History::default(),
            next: 0x10_0000,
            launches: 0,
        }
    }

    /// A number that no other handle has.
    pub(super) fn id(&mut self) -> u64 {
        self.next += 16;
        self.next
    }

    /// The device of a context.
    pub(super) fn device_of(&self, context: u64) -> Option<usize> {
        let retained =
            || (0..self.devices.len()).find(|d| primary(*d) == context && self.devices[*d].primary > 0);
        self.contexts.get(&context).copied().or_else(retained)
    }

    /// What follows is for this device.
    pub(super) fn on(&mut self, device: usize) {
        self.device = device;
        self.mem.device = device;
    }

    /// Whether no context of a device is left.
    pub(super) fn is_unused(&self, device: usize) -> bool {
        self.devices[device].primary == 0 && self.contexts.values().all(|d| *d != device)
    }

    /// Drops all that belongs to a device's contexts, including its error.
    pub(super) fn reset(&mut self, device: usize) {
        self.devices[device].sticky = 0;
        self.queue.clear(device);
        self.mem.free_all(device);
        self.modules.retain(|_, m| m.device != device);
        self.funcs.retain(|_, f| self.modules.contains_key(&f.module));
        self.by_name.retain(|(module, _), _| self.modules.contains_key(module));
        self.streams.retain(|_, s| s.device != device);
        self.events.retain(|_, e| e.device != device);
        self.host_flags.retain(|p, _| self.mem.known(*p).is_some());
    }

    /// Lists on stderr the memory that was not freed.
    pub(super) fn report_leaks(&self, devices: impl Fn(usize) -> bool) {
        let l = self.mem.leaks(devices);
        let total: u64 = l.iter().map(|x| x.2).sum();
        if !l.is_empty() {
            eprintln!("cuda-emu: {} allocations ({total} bytes) were not freed", l.len());
            for (id, base, size) in l.iter().take(20) {
                eprintln!("  #{id}: {size} bytes at 0x{base:x}");
            }
        }
    }

    /// Host pointer for a range of device memory.
    pub(super) fn dev(&self, a: u64, n: u64) -> Result<*mut u8, i32> {
        match self.mem.range(a, n) {
            Some(p) => Ok(p),
            None if n == 0 => Ok(std::ptr::null_mut()),
            None => Err(self.bad_range(a, n)),
        }
    }

    pub(super) fn bad_range(&self, a: u64, n: u64) -> i32 {
        eprintln!("cuda-emu: invalid device range of {n} bytes at 0x{a:x}: {}", self.mem.describe(a, n));
        INVALID_VALUE
    }

    pub(super) fn new_mem(&mut self, n: usize, kind: Kind) -> Result<u64, i32> {
        if n == 0 {
            return Err(INVALID_VALUE);
        }
        self.mem.alloc(n as u64, kind).ok_or(OUT_OF_MEMORY)
    }

    pub(super) fn report_no_memory(&self, n: usize) {
        eprintln!(
            "cuda-emu: out of memory: {n} bytes requested, {} of {} in use (CUDA_EMU_MEM)",
            self.mem.used(),
            self.mem.limit
        );
    }

    pub(super) fn release(&mut self, a: u64) -> i32 {
        if a == 0 || self.mem.free(a) {
            return super::api::OK;
        }
        eprintln!(
            "cuda-emu: free of 0x{a:x}, which does not start an allocation: {}",
            self.mem.describe(a, 1)
        );
        INVALID_VALUE
    }

    /// The handle of a function of a module.
    pub(super) fn func(&mut self, module: u64, index: usize) -> u64 {
        if let Some(h) = self.by_name.get(&(module, index)) {
            return *h;
        }
        let h = self.id();
        self.funcs.insert(h, Func { module, index, max_dynamic: 0, carveout: -1 });
        self.by_name.insert((module, index), h);
        h
    }

    pub(super) fn find(&mut self, module: u64, name: &str) -> Result<u64, i32> {
        let m = self.modules.get(&module).ok_or(INVALID_HANDLE)?;
        let i = m.prog.find(name).ok_or(NOT_FOUND)?;
        Ok(self.func(module, i))
    }

    pub(super) fn code(&self, f: Handle) -> Result<(&Func, &Code), i32> {
        let f = self.funcs.get(&(f as u64)).ok_or(INVALID_HANDLE)?;
        let m = self.modules.get(&f.module).ok_or(INVALID_HANDLE)?;
        Ok((f, &m.prog.funcs[f.index]))
    }
}
