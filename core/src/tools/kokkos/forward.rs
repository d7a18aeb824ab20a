//! Spelt's events as calls of a library.

use core::ffi::{CStr, c_char, c_void};
use core::ptr;
use std::ffi::CString;

use super::identity::{device_id, filling_device_id, memory};
use super::interface::Callback;
use super::library::{End, Library};
use crate::tools::event::{
    AllocationEvent, CopyEvent, ExchangeEvent, FenceEvent, FillEvent, LaunchEvent, Pattern,
};
use crate::tools::mirror::MirrorEvent;
use crate::tools::tool::Tool;

/// Calls a library's functions for the events of the program.
pub(super) struct Forward(pub(super) &'static Library);

/// A name for C, which ends at its first zero byte.
fn c_text(name: &str) -> CString {
    let name = name.split('\0').next().unwrap_or_default();
    CString::new(name).unwrap_or_default()
}

/// Views without elements have no place, and so none that they share.
fn pointer(address: usize, bytes: u64) -> *const c_void {
    ptr::without_provenance(if bytes == 0 { 0 } else { address })
}

impl Forward {
    fn begin_kernel(&self, pattern: Pattern, name: &str, device_id: u32) -> u64 {
        let Self(library) = self;
        let (callback, end): (_, fn(u64) -> End) = match pattern {
            Pattern::For => (&library.callbacks.begin_parallel_for, End::For),
            Pattern::Reduce => (&library.callbacks.begin_parallel_reduce, End::Reduce),
            Pattern::Scan => (&library.callbacks.begin_parallel_scan, End::Scan),
        };
        library.fence_before(callback);
        let (name, mut id) = (c_text(name), 0);
        library.turns.begin(|| {
            // SAFETY: `name` is text with a zero at its end and `id` a number, and both live during the call.
            library.call(callback, |begin| unsafe { begin(name.as_ptr(), device_id, &mut id) });
            end(id)
        })
    }

    fn end_kernel(&self, pattern: Pattern, number: u64) {
        let callbacks = &self.0.callbacks;
        self.0.fence_before(match pattern {
            Pattern::For => &callbacks.end_parallel_for,
            Pattern::Reduce => &callbacks.end_parallel_reduce,
            Pattern::Scan => &callbacks.end_parallel_scan,
        });
        self.end(number);
    }

    fn begin_region(&self, name: &str) -> u64 {
        let Self(library) = self;
        let callback = &library.callbacks.push_region;
        library.fence_before(callback);
        let name = c_text(name);
        library.turns.begin(|| {
            // SAFETY: `name` is text with a zero at its end that lives during the call.
            library.call(callback, |push| unsafe { push(name.as_ptr()) });
            End::Region
        })
    }

    fn end_region(&self, number: u64) {
        self.0.fence_before(&self.0.callbacks.pop_region);
        self.end(number);
    }

    fn begin_deep_copy(&self, to: Side<'_>, from: Side<'_>, bytes: u64) -> u64 {
        let Self(library) = self;
        let [to_label, from_label] = [to.label, from.label].map(c_text);
        let [to_space, from_space] = [to.memory, from.memory].map(memory);
        let [to_place, from_place] = [to.address, from.address].map(|address| pointer(address, bytes));
        library.turns.begin(|| {
            library.call(&library.callbacks.begin_deep_copy, |begin| {
                // SAFETY: the labels are texts with a zero at their ends that live during the call. The pointers are for messages:
                // the interface does not allow to read through them.
                unsafe {
                    begin(
                        to_space,
                        to_label.as_ptr(),
                        to_place,
                        from_space,
                        from_label.as_ptr(),
                        from_place,
                        bytes,
                    );
                }
            });
            End::Copy
        })
    }

    fn end(&self, number: u64) {
        self.0.turns.end(number, |end| self.0.end(end));
    }

    fn tell_section(&self, callback: &Callback<unsafe extern "C-unwind" fn(u32)>, id: u64) {
        // SAFETY: the library has given the number, which had 32 bits, when the section was created.
        self.once(|library| library.call(callback, |tell| unsafe { tell(id as u32) }));
    }

    fn tell_dual_view(
        &self,
        callback: &Callback<unsafe extern "C-unwind" fn(*const c_char, *const c_void, bool)>,
        side: &MirrorEvent<'_>,
    ) {
        let label = c_text(side.label);
        let place = ptr::without_provenance(side.address);
        self.once(|library| {
            // SAFETY: `label` is text with a zero at its end that lives during the call; the pointer is for messages.
            library.call(callback, |tell| unsafe { tell(label.as_ptr(), place, side.is_device) });
        });
    }

    fn once(&self, event: impl FnOnce(&Library)) {
        self.0.turns.once(|| event(self.0));
    }
}

/// One of the Views of a copy.
struct Side<'a> {
    label: &'a str,
    memory: &'a str,
    address: usize,
}

impl Tool for Forward {
    fn begin_launch(&self, launch: &LaunchEvent<'_>) -> u64 {
        let LaunchEvent { pattern, label, space, device, stream, .. } = *launch;
        self.begin_kernel(pattern, label, device_id(space, device, stream))
    }

    fn end_launch(&self, launch: &LaunchEvent<'_>, number: u64) {
        self.end_kernel(launch.pattern, number);
    }

    fn begin_copy(&self, copy: &CopyEvent<'_>) -> u64 {
        let to = Side { label: copy.to_label, memory: copy.to_memory, address: copy.to_address };
        let from = Side { label: copy.from_label, memory: copy.from_memory, address: copy.from_address };
        self.begin_deep_copy(to, from, copy.bytes)
    }

    fn end_copy(&self, _copy: &CopyEvent<'_>, number: u64) {
        self.end(number);
    }

    fn allocate(&self, allocation: &AllocationEvent<'_>) {
        let AllocationEvent { label, memory: space, address, bytes } = *allocation;
        let label = c_text(label);
        self.once(|library| {
            library.call(&library.callbacks.allocate_data, |allocate| {
                // SAFETY: `label` is text with a zero at its end that lives during the call; the pointer is for messages.
                unsafe { allocate(memory(space), label.as_ptr(), pointer(address, bytes), bytes) };
            });
        });
    }

    fn release(&self, allocation: &AllocationEvent<'_>) {
        let AllocationEvent { label, memory: space, address, bytes } = *allocation;
        let label = c_text(label);
        self.once(|library| {
            library.call(&library.callbacks.deallocate_data, |release| {
                // SAFETY: `label` is text with a zero at its end that lives during the call; the pointer is for messages.
                unsafe { release(memory(space), label.as_ptr(), pointer(address, bytes), bytes) };
            });
        });
    }

    /// A new View is initialised by a launch, and an old one filled by a copy of a scalar: Kokkos tells both so.
    fn begin_fill(&self, fill: &FillEvent<'_>) -> u64 {
        if fill.is_new {
            let name = format!("Spelt::View::initialization [{}]", fill.label);
            return self.begin_kernel(Pattern::For, &name, filling_device_id(fill.memory));
        }
        let to = Side { label: fill.label, memory: fill.memory, address: fill.address };
        self.begin_deep_copy(to, Side { label: "Scalar", memory: "HostSpace", address: 0 }, fill.bytes)
    }

    fn end_fill(&self, fill: &FillEvent<'_>, number: u64) {
        if fill.is_new { self.end_kernel(Pattern::For, number) } else { self.end(number) }
    }

    fn begin_fence(&self, fence: &FenceEvent<'_>) -> u64 {
        let Self(library) = self;
        let name = c_text(&format!("Spelt::{}", fence.label));
        let (device_id, mut id) = (device_id(fence.space, fence.device, fence.stream), 0);
        library.turns.begin(|| {
            // SAFETY: `name` is text with a zero at its end and `id` a number, and both live during the call.
            library.call(&library.callbacks.begin_fence, |begin| unsafe {
                begin(name.as_ptr(), device_id, &mut id);
            });
            End::Fence(id)
        })
    }

    fn end_fence(&self, _fence: &FenceEvent<'_>, number: u64) {
        self.end(number);
    }

    fn begin_exchange(&self, exchange: &ExchangeEvent<'_>) -> u64 {
        self.begin_region(&format!("Spelt::{} [{}]", exchange.kind, exchange.label))
    }

    fn end_exchange(&self, _exchange: &ExchangeEvent<'_>, number: u64) {
        self.end_region(number);
    }

    fn enter_region(&self, name: &str) -> u64 {
        self.begin_region(name)
    }

    fn leave_region(&self, _name: &str, number: u64) {
        self.end_region(number);
    }

    fn synced(&self, side: &MirrorEvent<'_>) {
        self.tell_dual_view(&self.0.callbacks.sync_dual_view, side);
    }

    fn modified(&self, side: &MirrorEvent<'_>) {
        self.tell_dual_view(&self.0.callbacks.modify_dual_view, side);
    }

    fn create_section(&self, name: &str) -> u64 {
        let (name, mut id) = (c_text(name), 0);
        self.once(|library| {
            // SAFETY: `name` is text with a zero at its end and `id` a number, and both live during the call.
            library
                .call(&library.callbacks.create_section, |create| unsafe { create(name.as_ptr(), &mut id) });
        });
        u64::from(id)
    }

    fn start_section(&self, _name: &str, id: u64) {
        self.tell_section(&self.0.callbacks.start_section, id);
    }

    fn stop_section(&self, _name: &str, id: u64) {
        self.tell_section(&self.0.callbacks.stop_section, id);
    }

    fn destroy_section(&self, _name: &str, id: u64) {
        self.tell_section(&self.0.callbacks.destroy_section, id);
    }

    fn mark(&self, name: &str) {
        let name = c_text(name);
        self.once(|library| {
            // SAFETY: `name` is text with a zero at its end that lives during the call.
            library.call(&library.callbacks.profile_event, |event| unsafe { event(name.as_ptr()) });
        });
    }

    fn metadata(&self, key: &str, value: &str) {
        let [key, value]: [CString; 2] = [key, value].map(c_text);
        let [key, value]: [&CStr; 2] = [&key, &value];
        self.once(|library| {
            library.call(&library.callbacks.declare_metadata, |declare| {
                // SAFETY: both are texts with a zero at their ends that live during the call.
                unsafe { declare(key.as_ptr(), value.as_ptr()) };
            });
        });
    }

    fn needs_fences(&self) -> bool {
        let (library, callbacks) = (self.0, &self.0.callbacks);
        let begins =
            [&callbacks.begin_parallel_for, &callbacks.begin_parallel_reduce, &callbacks.begin_parallel_scan];
        let ends =
            [&callbacks.end_parallel_for, &callbacks.end_parallel_reduce, &callbacks.end_parallel_scan];
        begins.iter().any(|begin| library.needs_fences(begin))
            || ends.iter().any(|end| library.needs_fences(end))
    }
}
