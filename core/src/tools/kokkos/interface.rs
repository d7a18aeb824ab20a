//! The types and functions of the interface of Kokkos's tools, version 20240906: `Kokkos_Profiling_C_Interface.h`.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicBool, Ordering};

/// The version of the interface.
pub(super) const VERSION: u64 = 20_240_906;

/// A memory space, by its name.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct SpaceHandle {
    name: [c_char; 64],
}

impl SpaceHandle {
    /// The first 63 bytes of a name, and zeros.
    pub(super) fn new(name: &str) -> Self {
        let mut handle = Self { name: [0; 64] };
        for (to, from) in handle.name[..63].iter_mut().zip(name.bytes()) {
            *to = from.cast_signed() as c_char;
        }
        handle
    }
}

/// The settings of a tool.
#[repr(C)]
pub(super) struct ToolSettings {
    /// C's `bool`: a library may leave any byte here.
    pub(super) requires_global_fencing: u8,
    pub(super) padding: [u8; 255],
}

/// The functions that a tool may call.
#[repr(C)]
pub(super) struct ToolProgrammingInterface {
    pub(super) fence: extern "C" fn(u32),
    pub(super) padding: [Option<extern "C" fn()>; 31],
}

/// A function of a library that the library may lack.
pub(super) struct Callback<F> {
    function: Option<F>,
    was_called: AtomicBool,
}

impl<F: Copy> Callback<F> {
    pub(super) fn function(&self) -> Option<F> {
        self.function
    }

    /// Whether this is the first call.
    pub(super) fn is_first_call(&self) -> bool {
        !self.was_called.swap(true, Ordering::Relaxed)
    }
}

macro_rules! callbacks {
    ($($field:ident = $symbol:literal: fn($($argument:ty),*);)*) => {
        /// The functions of a library.
        pub(super) struct Callbacks {
            $(pub(super) $field: Callback<unsafe extern "C-unwind" fn($($argument),*)>,)*
        }

        impl Callbacks {
            /// Looks them up by their names; `None` if there is none of them.
            ///
            /// # Safety
            /// `find` returns null, or the address of the function with this name, which stays there.
            pub(super) unsafe fn find(find: impl Fn(&CStr) -> *mut c_void) -> Option<Self> {
                let mut found = 0;
                let callbacks = Self {
                    $($field: {
                        let address = find($symbol);
                        let function = (!address.is_null()).then(|| {
                            found += 1;
                            // SAFETY: the address is that of the function of this name by the contract, and a library that exports
                            // the name has a function of this signature: the interface has never changed one.
                            unsafe {
                                core::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn($($argument),*)>(address)
                            }
                        });
                        Callback { function, was_called: AtomicBool::new(false) }
                    },)*
                };
                (found > 0).then_some(callbacks)
            }
        }
    };
}

callbacks! {
    init_library = c"kokkosp_init_library": fn(c_int, u64, u32, *mut c_void);
    finalize_library = c"kokkosp_finalize_library": fn();
    parse_args = c"kokkosp_parse_args": fn(c_int, *mut *mut c_char);
    print_help = c"kokkosp_print_help": fn(*mut c_char);
    request_tool_settings = c"kokkosp_request_tool_settings": fn(u32, *mut ToolSettings);
    provide_interface = c"kokkosp_provide_tool_programming_interface": fn(u32, ToolProgrammingInterface);
    begin_parallel_for = c"kokkosp_begin_parallel_for": fn(*const c_char, u32, *mut u64);
    end_parallel_for = c"kokkosp_end_parallel_for": fn(u64);
    begin_parallel_reduce = c"kokkosp_begin_parallel_reduce": fn(*const c_char, u32, *mut u64);
    end_parallel_reduce = c"kokkosp_end_parallel_reduce": fn(u64);
    begin_parallel_scan = c"kokkosp_begin_parallel_scan": fn(*const c_char, u32, *mut u64);
    end_parallel_scan = c"kokkosp_end_parallel_scan": fn(u64);
    begin_fence = c"kokkosp_begin_fence": fn(*const c_char, u32, *mut u64);
    end_fence = c"kokkosp_end_fence": fn(u64);
    push_region = c"kokkosp_push_profile_region": fn(*const c_char);
    pop_region = c"kokkosp_pop_profile_region": fn();
    allocate_data = c"kokkosp_allocate_data": fn(SpaceHandle, *const c_char, *const c_void, u64);
    deallocate_data = c"kokkosp_deallocate_data": fn(SpaceHandle, *const c_char, *const c_void, u64);
    begin_deep_copy = c"kokkosp_begin_deep_copy":
        fn(SpaceHandle, *const c_char, *const c_void, SpaceHandle, *const c_char, *const c_void, u64);
    end_deep_copy = c"kokkosp_end_deep_copy": fn();
    sync_dual_view = c"kokkosp_dual_view_sync": fn(*const c_char, *const c_void, bool);
    modify_dual_view = c"kokkosp_dual_view_modify": fn(*const c_char, *const c_void, bool);
    create_section = c"kokkosp_create_profile_section": fn(*const c_char, *mut u32);
    start_section = c"kokkosp_start_profile_section": fn(u32);
    stop_section = c"kokkosp_stop_profile_section": fn(u32);
    destroy_section = c"kokkosp_destroy_profile_section": fn(u32);
    profile_event = c"kokkosp_profile_event": fn(*const c_char);
    declare_metadata = c"kokkosp_declare_metadata": fn(*const c_char, *const c_char);
}
