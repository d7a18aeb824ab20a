//! The impl, the where-clauses and the assertions that stand for `Element`'s promise.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, GenericParam, Generics, Path, Result, Type, parse_quote};

use crate::discriminant;

/// The code for `input`, or the error that says what cannot be plain data, at its place.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let element = path(input)?;
    refuse_lifetimes(&input.generics)?;
    let mut discriminants = TokenStream::new();
    let fields: Vec<&Type> = match &input.data {
        Data::Struct(data) => data.fields.iter().map(|field| &field.ty).collect(),
        Data::Enum(data) => {
            discriminants = discriminant::check(input, data)?;
            data.variants.iter().flat_map(|variant| &variant.fields).map(|field| &field.ty).collect()
        }
        Data::Union(data) => {
            return Err(Error::new(
                data.union_token.span,
                "a union is no `Element`: nobody can tell which of its fields is valid",
            ));
        }
    };

    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#element));
    }
    // What depends on a parameter becomes a condition of the impl, anything else is tested at once.
    let (open, closed): (Vec<&Type>, Vec<&Type>) =
        fields.into_iter().partition(|field| mentions(field.to_token_stream(), &input.generics));
    let clause = generics.make_where_clause();
    for field in open {
        clause.predicates.push(parse_quote!(#field: #element));
    }
    let asserts = closed.iter().map(|field| quote_spanned! { field.span() => assert_element::<#field>(); });

    let name = &input.ident;
    let (parameters, arguments, clause) = generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        #[allow(unsafe_code, clippy::undocumented_unsafe_blocks)]
        unsafe impl #parameters #element for #name #arguments #clause {}
        const _: () = {
            #[allow(dead_code)]
            fn assert_element<T: #element>() {}
            #[allow(dead_code)]
            fn assert_fields() {
                #(#asserts)*
            }
            #discriminants
        };
    })
}

/// The path of the trait, from `#[element(crate = "..")]`.
fn path(input: &DeriveInput) -> Result<Path> {
    let mut krate: Path = parse_quote!(::spelt);
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("element")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(meta.error("there is only `#[element(crate = \"path\")]`"));
            }
            krate = meta.value()?.parse::<syn::LitStr>()?.parse()?;
            Ok(())
        })?;
    }
    krate.segments.push(parse_quote!(Element));
    Ok(krate)
}

fn refuse_lifetimes(generics: &Generics) -> Result<()> {
    match generics.lifetimes().next() {
        Some(lifetime) => {
            Err(Error::new(lifetime.span(), "an `Element` holds no reference: it has no lifetime parameter"))
        }
        None => Ok(()),
    }
}

/// Whether a type or const parameter, or `Self`, stands anywhere in these tokens.
fn mentions(tokens: TokenStream, generics: &Generics) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => mentions(group.stream(), generics),
        TokenTree::Ident(ident) if ident == "Self" => true,
        TokenTree::Ident(ident) => generics.params.iter().any(|parameter| match parameter {
            GenericParam::Type(parameter) => ident == parameter.ident,
            GenericParam::Const(parameter) => ident == parameter.ident,
            GenericParam::Lifetime(_) => false,
        }),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: &str) -> String {
        expand(&syn::parse_str(code).unwrap()).unwrap_err().to_string()
    }

    fn code(code: &str) -> String {
        expand(&syn::parse_str(code).unwrap()).unwrap().to_string().replace(' ', "")
    }

    #[test]
    fn refusals_say_why() {
        assert!(error("union U { a: u8 }").contains("which of its fields"));
        assert!(error("struct S<'a> { a: &'a u8 }").contains("no lifetime"));
        assert!(error("enum E { A }").contains("#[repr(u8)]"));
        assert!(error("#[repr(C)] enum E { A }").contains("#[repr(u8)]"));
        assert!(error("#[repr(u8)] enum E {}").contains("discriminant 0"));
        assert!(error("#[repr(u8)] enum E { A = 1, B }").contains("discriminant 0"));
        assert!(error("#[repr(i8)] enum E { A = -3, B, C }").contains("discriminant 0"));
        assert!(error("#[element(krate = \"x\")] struct S;").contains("crate ="));
    }

    #[test]
    fn variants_of_discriminant_zero_are_found() {
        for good in [
            "#[repr(u8)] enum E { A }",
            "#[repr(u16)] enum E { A = 4, B = 0x0, C = 7 }",
            "#[repr(i32)] enum E { A = -1, B }",
            "#[repr(C, u8)] enum E { A(f32), B { x: u8 } }",
        ] {
            assert!(!code(good).contains("assert!"), "{good}");
        }
        assert!(code("#[repr(u8)] enum E { A = START, B }").contains("assert!"));
        // One variant that is 0 suffices, whatever the others are.
        assert!(!code("#[repr(u8)] enum E { A, B = LAST }").contains("assert!"));
    }

    #[test]
    fn the_path_can_be_given() {
        assert!(code("struct S(f32);").contains("unsafeimpl::spelt::ElementforS"));
        assert!(code("#[element(crate = \"a::b\")] struct S;").contains("unsafeimpla::b::ElementforS"));
    }

    #[test]
    fn parameters_become_conditions() {
        let text = code("struct S<T, const N: usize> { a: [T; N], b: [f32; N], c: u8 }");
        assert!(text.contains("impl<T:::spelt::Element,constN:usize>"), "{text}");
        assert!(text.contains("where[T;N]:::spelt::Element,[f32;N]:::spelt::Element"), "{text}");
        assert!(text.contains("assert_element::<u8>()"), "{text}");
    }
}
