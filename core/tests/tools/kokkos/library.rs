//! A tool of Kokkos that writes its calls to standard error. The tests compile it alone, under several names and conditions:
//!
//! | condition | the library |
//! |---|---|
//! | `unfenced` | says that it needs no fences |
//! | `bare` | has no function of a tool |
//! | `fences` | waits for all devices at each mark, by the function that it is given |
//! | `regions` | has the functions of regions only |
//! | `stack` | opens the second library of the list and passes launches to it, as Kokkos's filter does |
//! | `exits` | ends the program at its first region |
//! | `local` | has a variable that its first region makes, and that the end of the program destroys |
//! | `throws` | throws an exception at its first region |
#![crate_type = "cdylib"]
#![cfg(not(bare))]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The name in each line.
const NAME: &str = env!("LIBRARY");

fn log(line: String) {
    eprintln!("{NAME}: {line}");
}

/// A text of the caller.
///
/// # Safety
/// It is one, and lives.
unsafe fn text<'a>(text: *const c_char) -> &'a str {
    // SAFETY: the contract.
    unsafe { CStr::from_ptr(text) }.to_str().expect("UTF-8")
}

/// A number that needs more than 32 bits.
fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1 << 40);
    NEXT.fetch_add(1, Relaxed)
}

fn number(id: u64) -> u64 {
    id.checked_sub(1 << 40).expect("a number of this library")
}

/// # Safety
/// The caller follows the interface, here and below.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn kokkosp_push_profile_region(name: *const c_char) {
    // SAFETY: the interface.
    log(format!("push {}", unsafe { text(name) }));
    #[cfg(local)]
    local::make();
    if cfg!(exits) {
        std::process::exit(7);
    }
    if cfg!(throws) {
        panic!("as asked");
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn kokkosp_pop_profile_region() {
    log("pop".to_owned());
}

#[cfg(not(regions))]
mod all {
    use super::{AtomicU64, CStr, Relaxed, c_char, c_int, c_void, log, next_id, number, text};

    #[repr(C)]
    pub struct SpaceHandle {
        name: [c_char; 64],
    }

    impl SpaceHandle {
        fn name(&self) -> &str {
            let bytes = self.name.map(|byte| byte as u8);
            assert_eq!(bytes[63], 0);
            let end = CStr::from_bytes_until_nul(&bytes).expect("an end").count_bytes();
            assert!(bytes[end..].iter().all(|byte| *byte == 0), "zeros");
            // SAFETY: the bytes are those of `self`.
            unsafe { text(self.name.as_ptr()) }
        }
    }

    #[cfg(fences)]
    static FENCE: std::sync::OnceLock<extern "C" fn(u32)> = std::sync::OnceLock::new();

    #[repr(C)]
    pub struct Interface {
        fence: extern "C" fn(u32),
        padding: [usize; 31],
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn kokkosp_init_library(place: c_int, version: u64, devices: u32, infos: *mut c_void) {
        log(format!("init {place} {version} {devices} {}", infos.is_null()));
        #[cfg(stack)]
        super::stack::open();
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn kokkosp_finalize_library() {
        log("finalize".to_owned());
    }

    /// # Safety
    /// As above, here and below.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn kokkosp_request_tool_settings(count: u32, settings: *mut [u8; 256]) {
        // SAFETY: the interface.
        let settings = unsafe { &mut *settings };
        log(format!("settings {count} {} {}", settings[0], settings[1..].iter().all(|byte| *byte == 0)));
        if cfg!(unfenced) {
            settings[0] = 0;
        }
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn kokkosp_provide_tool_programming_interface(count: u32, interface: Interface) {
        log(format!("interface {count} {}", interface.padding.iter().all(|function| *function == 0)));
        (interface.fence)(0);
        #[cfg(fences)]
        FENCE.set(interface.fence).expect("given once");
    }

    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn kokkosp_parse_args(argc: c_int, argv: *mut *mut c_char) {
        // SAFETY: the interface.
        let words: Vec<_> = (0..argc as usize).map(|word| unsafe { text(*argv.add(word)) }).collect();
        // SAFETY: the interface.
        assert!(unsafe { *argv.add(argc as usize) }.is_null());
        let program = std::env::args().next().expect("a name");
        log(format!("args {}", words.join(",").replace(&program, "PROGRAM")));
        for word in 0..argc as usize {
            // A tool may change its words.
            // SAFETY: the interface.
            unsafe { **argv.add(word) = 0 };
        }
    }

    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn kokkosp_print_help(name: *mut c_char) {
        // SAFETY: the interface.
        log(format!("help `{}`", unsafe { text(name) }));
    }

    macro_rules! kernels {
        ($($begin:ident, $end:ident, $name:literal;)*) => {
            $(
                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn $begin(name: *const c_char, device: u32, id: *mut u64) {
                    // SAFETY: the interface.
                    let (name, id) = unsafe { (text(name), &mut *id) };
                    assert_eq!(*id, 0);
                    *id = next_id();
                    let (kind, device, instance) = (device >> 24, device >> 17 & 0x7f, device & 0x1_ffff);
                    log(format!("{} {name} on {kind}.{device}.{instance}: {}", $name, number(*id)));
                    #[cfg(stack)]
                    super::stack::pass(name);
                }
                #[unsafe(no_mangle)]
                pub extern "C" fn $end(id: u64) {
                    log(format!("end {} {}", $name, number(id)));
                }
            )*
        };
    }

    kernels! {
        kokkosp_begin_parallel_for, kokkosp_end_parallel_for, "for";
        kokkosp_begin_parallel_reduce, kokkosp_end_parallel_reduce, "reduce";
        kokkosp_begin_parallel_scan, kokkosp_end_parallel_scan, "scan";
        kokkosp_begin_fence, kokkosp_end_fence, "fence";
    }

    fn place(pointer: *const c_void) -> &'static str {
        if pointer.is_null() { "null" } else { "pointer" }
    }

    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn kokkosp_allocate_data(
        space: SpaceHandle,
        label: *const c_char,
        pointer: *const c_void,
        bytes: u64,
    ) {
        // SAFETY: the interface.
        log(format!("allocate {} {} {} {bytes}", space.name(), unsafe { text(label) }, place(pointer)));
    }

    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn kokkosp_deallocate_data(
        space: SpaceHandle,
        label: *const c_char,
        pointer: *const c_void,
        bytes: u64,
    ) {
        // SAFETY: the interface.
        log(format!("deallocate {} {} {} {bytes}", space.name(), unsafe { text(label) }, place(pointer)));
    }

    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn kokkosp_begin_deep_copy(
        to: SpaceHandle,
        to_label: *const c_char,
        to_pointer: *const c_void,
        from: SpaceHandle,
        from_label: *const c_char,
        from_pointer: *const c_void,
        bytes: u64,
    ) {
        // SAFETY: the interface.
        let [to_label, from_label] = unsafe { [text(to_label), text(from_label)] };
        let to = format!("{} {to_label} {}", to.name(), place(to_pointer));
        log(format!("copy to {to} from {} {from_label} {} {bytes}", from.name(), place(from_pointer)));
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn kokkosp_end_deep_copy() {
        log("end copy".to_owned());
    }

    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn kokkosp_create_profile_section(name: *const c_char, id: *mut u32) {
        static NEXT: AtomicU64 = AtomicU64::new(5);
        // SAFETY: the interface.
        let (name, id) = unsafe { (text(name), &mut *id) };
        *id = NEXT.fetch_add(1, Relaxed) as u32;
        log(format!("create {name}: {id}"));
    }

    macro_rules! dual_views {
        ($($function:ident, $name:literal;)*) => {
            $(
                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn $function(label: *const c_char, pointer: *const c_void, on_device: bool) {
                    let side = if on_device { "device" } else { "host" };
                    // SAFETY: the interface.
                    log(format!("{} {} {} {side}", $name, unsafe { text(label) }, place(pointer)));
                }
            )*
        };
    }

    dual_views! {
        kokkosp_dual_view_sync, "sync";
        kokkosp_dual_view_modify, "modify";
    }

    macro_rules! sections {
        ($($function:ident, $name:literal;)*) => {
            $(
                #[unsafe(no_mangle)]
                pub extern "C" fn $function(id: u32) {
                    log(format!("{} {id}", $name));
                }
            )*
        };
    }

    sections! {
        kokkosp_start_profile_section, "start";
        kokkosp_stop_profile_section, "stop";
        kokkosp_destroy_profile_section, "destroy";
    }

    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn kokkosp_profile_event(name: *const c_char) {
        // SAFETY: the interface.
        log(format!("event {}", unsafe { text(name) }));
        #[cfg(fences)]
        {
            FENCE.get().expect("given")(0);
            log("fenced".to_owned());
        }
    }

    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn kokkosp_declare_metadata(key: *const c_char, value: *const c_char) {
        // SAFETY: the interface.
        log(format!("metadata {} is {}", unsafe { text(key) }, unsafe { text(value) }));
    }
}

/// A variable as C++ has them in functions.
#[cfg(local)]
mod local {
    use std::sync::Once;

    unsafe extern "C" {
        fn atexit(function: extern "C" fn()) -> i32;
    }

    extern "C" fn destroy() {
        super::log("destroyed".to_owned());
    }

    pub fn make() {
        static ONCE: Once = Once::new();
        // SAFETY: the function may run at any time.
        ONCE.call_once(|| assert_eq!(unsafe { atexit(destroy) }, 0));
    }
}

/// The second library of the list.
#[cfg(stack)]
mod stack {
    use std::ffi::{CString, c_char, c_int, c_void};
    use std::sync::OnceLock;

    type Push = unsafe extern "C" fn(*const c_char);

    static PUSH: OnceLock<Push> = OnceLock::new();

    unsafe extern "C" {
        fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }

    pub fn open() {
        let list = std::env::var("KOKKOS_TOOLS_LIBS").expect("a list");
        let path = CString::new(list.split(';').nth(1).expect("a second one")).expect("a path");
        // SAFETY: both are texts; the library is one of these, whose function has this type.
        let push = unsafe {
            let library = dlopen(path.as_ptr(), 2);
            assert!(!library.is_null(), "{path:?}");
            std::mem::transmute::<*mut c_void, Push>(dlsym(library, c"kokkosp_push_profile_region".as_ptr()))
        };
        PUSH.set(push).expect("opened once");
    }

    pub fn pass(name: &str) {
        let name = CString::new(name).expect("a name");
        // SAFETY: the interface.
        unsafe { PUSH.get().expect("it is open")(name.as_ptr()) };
    }
}
