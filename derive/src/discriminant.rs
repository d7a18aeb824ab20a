//! Enums: is there a variant whose bytes are all zero?

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{DataEnum, DeriveInput, Error, Expr, ExprLit, ExprUnary, Ident, Lit, Result, UnOp};

const INTEGERS: [&str; 12] =
    ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];

/// Nothing where a variant is seen to have discriminant 0; an assertion where only the compiler can tell.
pub(crate) fn check(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let integer = integer(input)?;
    // The last explicit discriminant and the number of variants since then.
    let mut start: Option<&Expr> = None;
    let mut since = 0_u32;
    let mut unknown = Vec::new();
    for variant in &data.variants {
        match &variant.discriminant {
            Some((_, explicit)) => (start, since) = (Some(explicit), 0),
            None if start.is_none() && since == 0 && variant.ident == data.variants[0].ident => {}
            None => since += 1,
        }
        match start.map_or(Some(0), value) {
            Some(value) if value + i128::from(since) == 0 => return Ok(TokenStream::new()),
            Some(_) => {}
            None => unknown.push(quote! { (#start) + (#since as #integer) }),
        }
    }
    if unknown.is_empty() {
        return Err(Error::new(
            input.ident.span(),
            "an `Element` may have all bytes zero: give one variant the discriminant 0",
        ));
    }
    let name = &input.ident;
    let message =
        format!("an `Element` may have all bytes zero: give a variant of `{name}` the discriminant 0");
    Ok(quote_spanned! { name.span() =>
        const DISCRIMINANTS: &[#integer] = &[#(#unknown),*];
        let mut zero = false;
        let mut at = 0;
        while at < DISCRIMINANTS.len() {
            zero |= DISCRIMINANTS[at] == 0;
            at += 1;
        }
        ::core::assert!(zero, #message);
    })
}

/// The integer type of the `repr`.
fn integer(input: &DeriveInput) -> Result<Ident> {
    let mut found = None;
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        attribute.parse_nested_meta(|meta| {
            if let Some(ident) = meta.path.get_ident()
                && INTEGERS.iter().any(|integer| ident == integer)
            {
                found = Some(ident.clone());
            }
            // `align(16)` and its like have an argument, which says nothing here.
            if meta.input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in meta.input);
                content.parse::<TokenStream>()?;
            }
            Ok(())
        })?;
    }
    found.ok_or_else(|| {
        Error::new(
            input.ident.span(),
            "an enum that is an `Element` says how it is stored: write `#[repr(u8)]` or another integer type",
        )
    })
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
