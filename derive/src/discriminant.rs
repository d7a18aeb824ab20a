//! Enums: their representation, and the obvious case that no variant's bytes are all zero.

use proc_macro2::TokenStream;
use syn::{DataEnum, DeriveInput, Error, Expr, ExprLit, ExprUnary, Lit, Result, UnOp};

const INTEGERS: [&str; 12] =
    ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];

/// Refuses an enum without an integer `repr`, and one whose discriminants are literals and none of them 0.
///
/// Only the compiler knows the value of other expressions: see `element.rs`.
pub(crate) fn check(input: &DeriveInput, data: &DataEnum) -> Result<()> {
    if integer(input)?.is_none() {
        return Err(Error::new(
            input.ident.span(),
            "an enum that is an `Element` says how it is stored: write `#[repr(u8)]` or another integer type",
        ));
    }
    // The discriminant of the variant before; `None` if it is unknown.
    let mut last = Some(-1);
    for variant in &data.variants {
        last = match &variant.discriminant {
            Some((_, explicit)) => value(explicit),
            None => last.map(|last| last + 1),
        };
        if last.is_none_or(|last| last == 0) {
            return Ok(());
        }
    }
    Err(Error::new(
        input.ident.span(),
        "an `Element` may have all bytes zero: give one variant the discriminant 0",
    ))
}

/// The integer type that a `repr` names.
pub(crate) fn integer(input: &DeriveInput) -> Result<Option<&'static str>> {
    let mut found = None;
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        attribute.parse_nested_meta(|meta| {
            found = found.or(INTEGERS.into_iter().find(|integer| meta.path.is_ident(integer)));
            // `align(16)` and the like have an argument, which does not matter here.
            if meta.input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in meta.input);
                content.parse::<TokenStream>()?;
            }
            Ok(())
        })?;
    }
    Ok(found)
}

/// The size of an integer type that has the same on all platforms. Unit: bytes.
pub(crate) fn bytes(integer: &str) -> Option<usize> {
    integer[1..].parse::<usize>().ok().map(|bits| bits / 8)
}

/// The value of a literal, with or without a minus.
fn value(expression: &Expr) -> Option<i128> {
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) => literal.base10_parse().ok(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => value(expr).map(|value: i128| -value),
        Expr::Paren(inner) => value(&inner.expr),
        Expr::Group(inner) => value(&inner.expr),
        _ => None,
    }
}
