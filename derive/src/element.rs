//! The impl, its where-clauses, and the tests that establish `Element`'s promise.
//!
//! The item below the derive may be another type once its own attributes have been expanded, and a type that a macro
//! names may be anything. So nothing relies on the tokens: the compiler tests the fields that the type finally has,
//! inside the impl, where its parameters mean the same as in the type. A pattern without `..` names every field,
//! and the types of its bindings are tested. Tokens only choose conditions and messages.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    Data, DeriveInput, Error, Fields, GenericParam, Generics, Ident, Member, Path, Result, Type, parse_quote,
};

use crate::discriminant;
use crate::path::path;

/// The item that has the derive.
///
/// # Errors
/// If it cannot be parsed, with the message of `syn`. Here `syn` parses simple expressions only, which its message says in terms for
/// authors of macros.
pub(crate) fn parse(input: TokenStream) -> Result<DeriveInput> {
    syn::parse2(input).map_err(|error| match error.to_string().contains("enable syn's features") {
        true => Error::new(
            error.span(),
            "`derive(Element)` cannot read this expression: put its value into a constant, and write the constant's name here",
        ),
        false => error,
    })
}

/// The code for `input`, or an error at the place of the part that cannot be plain data.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let krate = path(input, "element")?;
    let element: Path = parse_quote!(#krate::Element);
    refuse_lifetimes(&input.generics)?;
    let (value, count) = (Ident::new("spelt_value", Span::mixed_site()), max_fields(&input.data));
    let (fields, test): (Vec<&Type>, TokenStream) = match &input.data {
        Data::Struct(data) => {
            let (pattern, tests) = tests(&data.fields, &element);
            let fields = data.fields.iter().map(|field| &field.ty).collect();
            (fields, quote! { let Self #pattern = *#value; #tests })
        }
        Data::Enum(data) => {
            discriminant::check(input, data)?;
            let arms = data.variants.iter().map(|variant| {
                let (name, (pattern, tests)) = (&variant.ident, tests(&variant.fields, &element));
                quote! { Self::#name #pattern => { #tests } }
            });
            let fields = data.variants.iter().flat_map(|variant| &variant.fields).map(|field| &field.ty);
            (fields.collect(), quote! { match *#value { #(#arms)* } })
        }
        Data::Union(data) => {
            return Err(Error::new(
                data.union_token.span,
                "a union is not an `Element`: it is unknown which of its fields is valid",
            ));
        }
    };

    let numbers = numbers(input, &krate)?;
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#element));
    }
    // A field whose type depends on a parameter is an element only under a condition, which the impl must have.
    let clause = generics.make_where_clause();
    for field in fields {
        if mentions(field.to_token_stream(), &input.generics) {
            clause.predicates.push(parse_quote!(#field: #element));
        }
    }

    // In a pattern, one of these names would mean a user's constant of that name. Functions of this block shadow it, and patterns
    // may bind their names again. They are used once, so that no lint complains.
    let names: Vec<Ident> = bindings(count).chain([value.clone()]).collect();
    let name = &input.ident;
    let (parameters, arguments, clause) = generics.split_for_impl();
    // Zero is tested here if there is a single type, and by `Element`'s users if there are several.
    let is_one = input.generics.params.is_empty();
    let at_once = (is_one && matches!(input.data, Data::Enum(_))).then(|| {
        quote_spanned! { here(name.span()) => const _: () = <#name as #element>::ZERO_IS_A_VALUE; }
    });
    Ok(quote! {
        #[automatically_derived]
        #[allow(unsafe_code, clippy::undocumented_unsafe_blocks)]
        unsafe impl #parameters #element for #name #arguments #clause {
            #[inline]
            fn fields_are_elements(_: &Self) {
                #(fn #names() {})*
                let _ = (#(#names,)*);
                let _ = |#value @ _: &Self| { #test };
            }
            #numbers
        }
        #[automatically_derived]
        impl #parameters #krate::Scalar for #name #arguments #clause {}
        #at_once
    })
}

/// The names that the patterns bind.
fn bindings(count: usize) -> impl Iterator<Item = Ident> {
    (0..count).map(|number| Ident::new(&format!("spelt_field_{number}"), Span::mixed_site()))
}

/// The largest number of fields of a variant.
fn max_fields(data: &Data) -> usize {
    match data {
        Data::Struct(data) => data.fields.len(),
        Data::Enum(data) => data.variants.iter().map(|variant| variant.fields.len()).max().unwrap_or(0),
        Data::Union(_) => 0,
    }
}

/// The function that visits the numbers of a value: of a struct those of its fields, of an enum without fields its discriminant. None for
/// other enums, whose variants have padding in different places.
///
/// The compiler's final `repr` may be another one than that which is read here. An enum without an integer in it has a discriminant of the
/// size of `isize`, so one of another size, which is all of the enum, is what it seems to be.
fn numbers(input: &DeriveInput, krate: &Path) -> Result<Option<TokenStream>> {
    let visit = Ident::new("spelt_visit", Span::mixed_site());
    let body = match &input.data {
        Data::Struct(data) => {
            let value = Ident::new("spelt_struct", Span::mixed_site());
            let fields = data.fields.iter().zip(data.fields.members()).map(|(field, member)| {
                let offset = quote!(::core::mem::offset_of!(Self, #member));
                // As in the tests: the compiler finds the type that the field finally has.
                quote_spanned! { here(field.ty.span()) =>
                    && #krate::Field::of(|#value @ _: Self| #value.#member).numbers(#offset, #visit)
                }
            });
            quote! { #[allow(unused_imports)] use #krate::OtherField as _; true #(#fields)* }
        }
        Data::Enum(data) if data.variants.iter().all(|variant| variant.fields.is_empty()) => {
            let Some(bytes) = discriminant::integer(input)?.and_then(discriminant::bytes) else {
                return Ok(None);
            };
            let is_all = Ident::new("spelt_is_all", Span::mixed_site());
            quote! {
                {
                    let #is_all @ _ = ::core::mem::size_of::<Self>() == #bytes
                        && ::core::mem::size_of::<::core::mem::Discriminant<Self>>() == #bytes
                        && ::core::mem::size_of::<::core::primitive::isize>() != #bytes;
                    if #is_all {
                        #visit(0, #krate::Number::of_discriminant(#bytes));
                    }
                    #is_all
                }
            }
        }
        _ => return Ok(None),
    };
    Ok(Some(quote! {
        #[inline]
        fn numbers(#visit @ _: &mut dyn ::core::ops::FnMut(usize, #krate::Number)) -> bool { #body }
    }))
}

/// A pattern that binds all fields, and the tests that they are elements.
///
/// A binding with `@` is never taken for a constant, and `&` keeps a diverging type from becoming another one.
fn tests(fields: &Fields, element: &Path) -> (TokenStream, TokenStream) {
    let bindings: Vec<Ident> = bindings(fields.len()).collect();
    let members: Vec<Member> = fields.members().collect();
    let tests = fields.iter().zip(&bindings).map(|(field, binding)| {
        quote_spanned! { here(field.ty.span()) => <_ as #element>::fields_are_elements(&#binding); }
    });
    (quote! { { #(#members: #bindings @ _),* } }, quote! { #(#tests)* })
}

/// The place of a user's code, for the names of this macro.
fn here(place: Span) -> Span {
    Span::mixed_site().located_at(place)
}

fn refuse_lifetimes(generics: &Generics) -> Result<()> {
    match generics.lifetimes().next() {
        Some(lifetime) => {
            Err(Error::new(lifetime.span(), "an `Element` holds no reference: it has no lifetime parameter"))
        }
        None => Ok(()),
    }
}

/// Whether these tokens may name a parameter or `Self`. Names inside a macro are not seen here.
fn mentions(tokens: TokenStream, generics: &Generics) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => mentions(group.stream(), generics),
        TokenTree::Ident(ident) if ident == "Self" => true,
        TokenTree::Ident(ident) => generics.params.iter().any(|parameter| match parameter {
            GenericParam::Type(parameter) => ident == parameter.ident,
            GenericParam::Const(parameter) => ident == parameter.ident,
            GenericParam::Lifetime(_) => false,
        }),
        TokenTree::Punct(punct) => punct.as_char() == '!' && !generics.params.is_empty(),
        TokenTree::Literal(_) => false,
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
    fn expressions_that_are_not_read_say_what_to_do() {
        let refusal = |code: &str| parse(syn::parse_str(code).unwrap()).err().map(|error| error.to_string());
        // With another crate that asks for all of syn in the same build, syn reads every expression.
        let reads_all = syn::parse_str::<syn::Expr>("if A { 1 } else { 2 }").is_ok();
        for code in [
            "struct S([u8; { const N: usize = 1; N }]);",
            "struct S { a: [u8; if A { 1 } else { 2 }] }",
            "struct S(Pick<{ let a = 1; a }>);",
        ] {
            match refusal(code) {
                Some(error) => {
                    assert!(!reads_all && error.contains("put its value into a constant"), "{code}: {error}")
                }
                None => assert!(reads_all, "{code}"),
            }
        }
        let error = refusal("fn f() {}").unwrap();
        assert!(error.starts_with("expected one of"), "{error}");
        for code in [
            "struct S([u8; { N }]);",
            "struct S([u8; N + 1]);",
            "#[repr(u8)] enum E { A = { const N: u8 = 0; N } }",
        ] {
            assert!(parse(syn::parse_str(code).unwrap()).is_ok(), "{code}");
        }
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
    fn discriminants_that_only_the_compiler_knows_are_left_to_it() {
        for good in [
            "#[repr(u8)] enum E { A }",
            "#[repr(u16)] enum E { A = 4, B = 0x0, C = 7 }",
            "#[repr(i32)] enum E { A = -1, B }",
            "#[repr(C, u8)] enum E { A(f32), B { x: u8 } }",
            "#[repr(u8)] enum E { A = START, B }",
        ] {
            assert!(code(good).contains("const_:()=<Eas::spelt::Element>::ZERO_IS_A_VALUE;"), "{good}");
        }
        assert!(!code("#[repr(u8)] enum E<T> { A(T) }").contains("ZERO_IS_A_VALUE"));
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
        assert!(
            text.contains("letSelf{a:spelt_field_0@_,b:spelt_field_1@_,c:spelt_field_2@_}=*spelt_value;"),
            "{text}"
        );
    }

    #[test]
    fn what_a_macro_names_is_a_condition_where_there_are_parameters() {
        assert!(
            code("struct S<T>(name!(), T);").contains("wherename!():::spelt::Element,T:::spelt::Element")
        );
        assert!(!code("struct S(name!());").contains("where"));
    }
}
