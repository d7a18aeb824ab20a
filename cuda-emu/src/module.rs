//! Modules: variables placed in memory and functions ready to run.

use crate::config::Config;
use crate::exec::{self, Fault, Launch, Stats};
use crate::ir::{FUNC_WIN, Program, SHARED_WIN};
use crate::lower::{self, Sym};
use crate::mem::{Kind, Mem};
use crate::ptx::{self, Init, PtxError, Space, Stmt, Var};
use std::collections::HashMap;
use std::sync::Arc;

/// A loaded module.
pub struct Module {
    pub(crate) prog: Arc<Program>,
    /// Variables: address and size.
    pub(crate) globals: HashMap<String, (u64, u64)>,
    allocs: Vec<u64>,
    /// The limit that the program sets to the registers of a thread; 0: none.
    pub(crate) max_registers: u32,
    /// The device that has its variables.
    pub(crate) device: usize,
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Module").field("kernels", &self.kernels()).field("globals", &self.globals).finish()
    }
}

impl Module {
    /// Names of the kernels.
    pub fn kernels(&self) -> Vec<&str> {
        self.prog.funcs.iter().filter(|f| f.entry).map(|f| f.name.as_str()).collect()
    }

    /// Address and size of a variable.
    pub fn global(&self, name: &str) -> Option<(u64, u64)> {
        self.globals.get(name).copied()
    }

    pub(crate) fn load(src: &str, mem: &mut Mem) -> Result<Module, PtxError> {
        let ast = ptx::parse(src)?;
        let mut globals = HashMap::new();
        let mut allocs = Vec::new();
        let mut placed: Vec<(*const Var, u64)> = Vec::new();
        let res = lower::module(&ast, src, |v| {
            let kind = if v.space == Space::Const {
                Kind::Const(v.name.into())
            } else {
                Kind::Global(v.name.into())
            };
            match mem.alloc(v.size.max(1), kind) {
                Some(a) => {
                    allocs.push(a);
                    globals.insert(v.name.to_string(), (a, v.size));
                    placed.push((v as *const Var, a));
                    Ok(a)
                }
                None => {
                    let msg = format!(
                        "no memory for variable '{}' ({} bytes): {} of {} bytes are in use (CUDA_EMU_MEM)",
                        v.name,
                        v.size,
                        mem.used(),
                        mem.limit
                    );
                    Err(PtxError { line: v.line, msg, out_of_memory: true })
                }
            }
        });
        let (prog, syms) = match res {
            Ok(x) => x,
            Err(e) => {
                for a in allocs {
                    mem.free(a);
                }
                return Err(e);
            }
        };
        let mut set = |v: &Var| match placed.iter().find(|p| std::ptr::eq(p.0, v)) {
            Some((_, a)) => initialise(v, *a, mem, &syms),
            None => Ok(()),
        };
        for v in &ast.vars {
            set(v)?;
        }
        for f in &ast.funcs {
            if let Some(b) = &f.body {
                each_variable(b, &mut set)?;
            }
        }
        Ok(Module { prog: Arc::new(prog), globals, allocs, max_registers: 0, device: mem.device })
    }

    pub(crate) fn unload(&self, mem: &mut Mem) {
        for a in &self.allocs {
            mem.free(*a);
        }
    }
}

/// Writes the initial values of a variable, which is placed at `a`.
fn initialise(v: &Var, a: u64, mem: &mut Mem, syms: &HashMap<&str, Sym>) -> Result<(), PtxError> {
    let p = mem.range(a, v.size).expect("variable was placed");
    let n = v.ty.size() as usize;
    for (i, e) in v.init.iter().enumerate() {
        if (i + 1) * n > v.size as usize {
            return ptx::err(v.line, format!("too many initialisers for '{}'", v.name));
        }
        let x = initial_value(v, e, syms)?;
        // SAFETY: `(i + 1) * n` is not beyond the size of the variable, whose range begins at `p`; `n` is 8 at most.
        unsafe { std::ptr::copy_nonoverlapping(x.to_le_bytes().as_ptr(), p.add(i * n), n.min(8)) };
    }
    Ok(())
}

/// The bits of one initial value, in the type of the variable.
fn initial_value(v: &Var, e: &Init, syms: &HashMap<&str, Sym>) -> Result<u64, PtxError> {
    Ok(match e {
        Init::Int(x) => match v.ty {
            ptx::Ty::F32 => (*x as i64 as f32).to_bits() as u64,
            ptx::Ty::F64 => (*x as i64 as f64).to_bits(),
            _ => *x,
        },
        Init::F32(x) if v.ty == ptx::Ty::F64 => (f32::from_bits(*x) as f64).to_bits(),
        Init::F32(x) => *x as u64,
        Init::F64(x) if v.ty == ptx::Ty::F32 => (f64::from_bits(*x) as f32).to_bits() as u64,
        Init::F64(x) => *x,
        Init::Sym { name, add, generic, mask } => {
            let base = match syms.get(name) {
                Some(Sym::Addr(a)) => *a,
                Some(Sym::Shared(o)) => *o as u64 + if *generic { SHARED_WIN } else { 0 },
                Some(Sym::Func(i)) => FUNC_WIN + *i as u64 * 16,
                _ => return ptx::err(v.line, format!("unknown name '{name}' in an initialiser")),
            };
            let x = base.wrapping_add(*add as u64);
            (x & mask) >> mask.trailing_zeros().min(63)
        }
    })
}

/// Calls `f` with each variable that is declared in a body.
fn each_variable<'a>(
    b: &'a [Stmt<'a>],
    f: &mut impl FnMut(&Var<'a>) -> Result<(), PtxError>,
) -> Result<(), PtxError> {
    for s in b {
        match s {
            Stmt::Var(v) => f(v)?,
            Stmt::Block(b) => each_variable(b, f)?,
            _ => {}
        }
    }
    Ok(())
}

/// A separate device, for programs that use the library interface.
#[derive(Debug)]
pub struct Device {
    /// The settings of the launches to come.
    pub config: Config,
    pub(crate) mem: Mem,
    launches: u64,
}

/// A number: any bytes of its size are one of its values, and none of them is padding.
pub trait Plain: Copy + Default + sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}

macro_rules! plain {
    ($($t:ty)*) => { $(impl sealed::Sealed for $t {} impl Plain for $t {})* };
}
plain!(u8 i8 u16 i16 u32 i32 u64 i64 u128 i128 f32 f64);

/// Grid and block sizes: a number or three.
pub trait Dim {
    /// The sizes in x, y and z.
    fn dim(self) -> [u32; 3];
}
impl Dim for u32 {
    fn dim(self) -> [u32; 3] {
        [self, 1, 1]
    }
}
impl Dim for [u32; 3] {
    fn dim(self) -> [u32; 3] {
        self
    }
}

impl Device {
    /// A device with these settings and nothing in its memory.
    pub fn new(config: Config) -> Device {
        let mem = Mem::new(config.mem_limit, 1, config.initcheck, config.fill);
        Device { config, mem, launches: 0 }
    }

    /// Loads a module from PTX text.
    ///
    /// # Errors
    /// Names the line of a text that is not PTX, or not supported.
    pub fn load(&mut self, ptx: &str) -> Result<Module, PtxError> {
        Module::load(ptx, &mut self.mem)
    }

    /// Allocates device memory.
    ///
    /// # Panics
    /// If the device has not that much left.
    pub fn alloc(&mut self, bytes: usize) -> u64 {
        self.mem.alloc(bytes as u64, Kind::Device).expect("device memory")
    }

    /// Frees memory from [`Device::alloc`]; `false` if nothing starts at the address.
    pub fn free(&mut self, addr: u64) -> bool {
        self.mem.free(addr)
    }

    /// Copies values to new device memory.
    pub fn upload<T: Plain>(&mut self, v: &[T]) -> u64 {
        let a = self.alloc(std::mem::size_of_val(v));
        self.write(a, v);
        a
    }

    /// Copies values to device memory.
    ///
    /// # Panics
    /// If the range is not inside one allocation.
    pub fn write<T: Plain>(&mut self, addr: u64, v: &[T]) {
        let n = std::mem::size_of_val(v);
        let p = self.mem.range(addr, n as u64).expect("range of device memory");
        // SAFETY: `p` is the start of a valid range of `n` bytes, and device memory is never part of a slice.
        unsafe { std::ptr::copy_nonoverlapping(v.as_ptr() as *const u8, p, n) };
        self.mem.mark_init(addr, n as u64);
    }

    /// Copies values from device memory.
    ///
    /// # Panics
    /// If the range is not inside one allocation.
    pub fn download<T: Plain>(&self, addr: u64, n: usize) -> Vec<T> {
        let mut v = vec![T::default(); n];
        let bytes = n * std::mem::size_of::<T>();
        let p = self.mem.range(addr, bytes as u64).expect("range of device memory");
        // SAFETY: both ranges have `bytes` bytes, and any bytes are a value of `T`.
        unsafe { std::ptr::copy_nonoverlapping(p, v.as_mut_ptr() as *mut u8, bytes) };
        v
    }

    /// Launches a kernel whose parameters are all 8 bytes or fewer: each takes the
    /// low bytes of its value.
    ///
    /// # Errors
    /// The fault that ended the kernel.
    pub fn launch(
        &mut self,
        m: &Module,
        kernel: &str,
        grid: impl Dim,
        block: impl Dim,
        shared: u32,
        params: &[u64],
    ) -> Result<Stats, Fault> {
        let k = self.find(m, kernel)?;
        let f = &m.prog.funcs[k];
        if f.params.len() != params.len() {
            return Err(Fault { code: 1, msg: format!("kernel {kernel} has {} parameters", f.params.len()) });
        }
        let mut bytes = vec![0u8; f.param_size as usize];
        for ((off, size), v) in f.params.iter().zip(params) {
            let n = (*size as usize).min(8);
            bytes[*off as usize..*off as usize + n].copy_from_slice(&v.to_le_bytes()[..n]);
        }
        self.launch_bytes(m, kernel, grid, block, shared, &bytes)
    }

    /// Launches a kernel with its parameters laid out in memory.
    ///
    /// # Errors
    /// The fault that ended the kernel.
    pub fn launch_bytes(
        &mut self,
        m: &Module,
        kernel: &str,
        grid: impl Dim,
        block: impl Dim,
        shared: u32,
        params: &[u8],
    ) -> Result<Stats, Fault> {
        self.start(m, kernel, grid.dim(), block.dim(), shared, params, false)
    }

    /// The same with all blocks resident, for barriers of the whole grid.
    ///
    /// # Errors
    /// The fault that ended the kernel.
    pub fn launch_cooperative(
        &mut self,
        m: &Module,
        kernel: &str,
        grid: impl Dim,
        block: impl Dim,
        shared: u32,
        params: &[u8],
    ) -> Result<Stats, Fault> {
        self.start(m, kernel, grid.dim(), block.dim(), shared, params, true)
    }

    #[expect(clippy::too_many_arguments, reason = "all of one launch")]
    fn start(
        &mut self,
        m: &Module,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        params: &[u8],
        cooperative: bool,
    ) -> Result<Stats, Fault> {
        let kernel = self.find(m, kernel)?;
        exec::fits(&m.prog.funcs[kernel], &self.config)?;
        self.launches += 1;
        let mut p = params.to_vec();
        p.resize(m.prog.funcs[kernel].param_size as usize, 0);
        exec::launch(
            Launch {
                prog: &m.prog,
                kernel,
                grid,
                block,
                shared,
                params: p,
                cooperative,
                grid_id: self.launches,
            },
            &mut self.mem,
            &self.config,
        )
    }

    fn find(&self, m: &Module, kernel: &str) -> Result<usize, Fault> {
        m.prog
            .find(kernel)
            .ok_or_else(|| Fault { code: 500, msg: format!("no kernel '{kernel}' in the module") })
    }
}
