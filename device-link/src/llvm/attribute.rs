//! Attributes of functions and calls.

use super::api::{Ref, ffi};
use super::{Call, Context, Function};

/// The part of a function or call that an attribute describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Function,
    /// Counted from 0.
    Parameter(u32),
}

impl Place {
    fn index(self) -> u32 {
        match self {
            Self::Function => u32::MAX,
            Self::Parameter(number) => number + 1,
        }
    }
}

fn kind(context: &Context, name: &str) -> u32 {
    ffi!(context.api(), LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()))
}

fn attribute(context: &Context, name: &str, value: u64) -> Ref {
    ffi!(context.api(), LLVMCreateEnumAttribute(context.raw(), kind(context, name), value))
}

impl Function<'_> {
    pub(crate) fn has_attribute(self, place: Place, name: &str) -> bool {
        let kind = kind(self.context(), name);
        !ffi!(self.context().api(), LLVMGetEnumAttributeAtIndex(self.raw(), place.index(), kind)).is_null()
    }

    pub(crate) fn add_attribute(self, place: Place, name: &str, value: u64) {
        let attribute = attribute(self.context(), name, value);
        ffi!(self.context().api(), LLVMAddAttributeAtIndex(self.raw(), place.index(), attribute));
    }

    pub(crate) fn remove_attribute(self, place: Place, name: &str) {
        let kind = kind(self.context(), name);
        ffi!(self.context().api(), LLVMRemoveEnumAttributeAtIndex(self.raw(), place.index(), kind));
    }

    /// Declares that the pointer parameter is `size` bytes passed by value.
    pub(crate) fn add_by_value(self, place: Place, size: u64) {
        let (api, context) = (self.context().api(), self.context());
        let byte = ffi!(api, LLVMIntTypeInContext(context.raw(), 8));
        let bytes = ffi!(api, LLVMArrayType2(byte, size));
        let attribute = ffi!(api, LLVMCreateTypeAttribute(context.raw(), kind(context, "byval"), bytes));
        ffi!(api, LLVMAddAttributeAtIndex(self.raw(), place.index(), attribute));
    }

    /// Removes the attributes with a text, which are about the host: its processor, stack probes, frame pointers.
    pub(crate) fn remove_text_attributes(self) {
        let api = self.context().api();
        let count = ffi!(api, LLVMGetAttributeCountAtIndex(self.raw(), u32::MAX));
        let mut attributes: Vec<Ref> = vec![core::ptr::null_mut(); count as usize];
        ffi!(api, LLVMGetAttributesAtIndex(self.raw(), u32::MAX, attributes.as_mut_ptr()));
        for attribute in attributes {
            if ffi!(api, LLVMIsStringAttribute(attribute)) != 0 {
                let mut length = 0;
                let key = ffi!(api, LLVMGetStringAttributeKind(attribute, &mut length));
                ffi!(api, LLVMRemoveStringAttributeAtIndex(self.raw(), u32::MAX, key, length));
            }
        }
    }
}

impl Call<'_> {
    pub(crate) fn add_attribute(self, place: Place, name: &str) {
        let attribute = attribute(self.context(), name, 0);
        ffi!(self.context().api(), LLVMAddCallSiteAttribute(self.raw(), place.index(), attribute));
    }

    pub(crate) fn remove_attribute(self, place: Place, name: &str) {
        let kind = kind(self.context(), name);
        ffi!(self.context().api(), LLVMRemoveCallSiteEnumAttribute(self.raw(), place.index(), kind));
    }
}
