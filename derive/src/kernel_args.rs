//! The impl for a struct of arguments, and the struct of accessors that its kernels receive.
//!
//! The item below the derive may be another type once its own attributes have been expanded, and a macro in the place of a type
//! may expand differently each time. So the field types are written once, as the tuple `Members`, whose functions make the accessors;
//! the functions that take fields go by the types that the fields finally have; and the compiler tests that both are the same, without
//! any coercion. A pattern without `..` names every field. All logic that matters is that of the trait, by one path: a trait or a
//! function under another name of the user's cannot take its place.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    Data, DeriveInput, Error, Field, Fields, GenericParam, Generics, Ident, Index, Lifetime, LifetimeParam,
    Member, Path, Result, parse_quote,
};

/// The largest number of members of a tuple of arguments. More fields are grouped into tuples of this size.
const MAX_MEMBERS: usize = 24;

/// The attribute `#[kernel_args(..)]`.
struct Options {
    /// The path of the crate with the trait.
    krate: Path,
    /// The name of the struct of accessors.
    access: Ident,
}

/// The code for `input`, or an error at the part that cannot be an argument.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let Options { krate, access } = options(input)?;
    let fields = fields(input)?;
    let trait_path: Path = parse_quote!(#krate::KernelArgs);
    let taken = lifetimes(input.to_token_stream());
    let [kernel, borrow, visited] = ["k", "borrow", "visited"].map(|name| fresh(name, &taken));

    let accessors = accessors(input, fields, &access, &kernel, &trait_path);
    let spans = spans(&trait_path, &quote! { <<Self as #trait_path>::Members as #trait_path> });
    let functions = functions(fields, &access, &kernel, &visited, &krate);
    let borrowed = borrowed(&input.ident, &input.generics, &kernel, &visited, &krate);

    let name = &input.ident;
    let (parameters, arguments, clause) = input.generics.split_for_impl();
    let access_generics = with_lifetime(&input.generics, &kernel);
    let (_, access_arguments, _) = access_generics.split_for_impl();
    let types = fields.iter().map(|field| &field.ty).collect::<Vec<_>>();
    let members = grouped(&types);
    let borrowed_generics = with_lifetime(&input.generics, &borrow);
    let (borrowed_parameters, _, _) = borrowed_generics.split_for_impl();
    let raw = binding("raw");
    Ok(quote! {
        #accessors

        #[automatically_derived]
        #[allow(unsafe_code, clippy::undocumented_unsafe_blocks, clippy::too_many_arguments)]
        unsafe impl #parameters #trait_path for #name #arguments #clause {
            type Members = #members;
            type Raw = <<Self as #trait_path>::Members as #trait_path>::Raw;
            type Access<#kernel> = #access #access_arguments;
            type Held = <<Self as #trait_path>::Members as #trait_path>::Held;
            type Memory = <<Self as #trait_path>::Members as #trait_path>::Memory;
            const BY_TEAM: ::core::primitive::bool = <<Self as #trait_path>::Members as #trait_path>::BY_TEAM;
            const MAY_FAIL: ::core::primitive::bool = <<Self as #trait_path>::Members as #trait_path>::MAY_FAIL;
            #[inline(always)]
            fn crosses_lines(#raw: &<Self as #trait_path>::Raw) -> ::core::primitive::bool {
                <<Self as #trait_path>::Members as #trait_path>::crosses_lines(#raw)
            }
            #spans
            #functions
        }

        #[automatically_derived]
        #[allow(unsafe_code, clippy::undocumented_unsafe_blocks)]
        unsafe impl #borrowed_parameters #trait_path for &#borrow mut #name #arguments #clause {
            #borrowed
        }
    })
}

/// The names of the parameters of the trait's functions.
const PARAMETERS: [&str; 10] =
    ["args", "visit", "lower", "upper", "least", "iterations", "raw", "part", "rank", "held"];

/// A name in the generated code that the user's code cannot refer to.
fn binding(name: &str) -> Ident {
    Ident::new(&format!("spelt_{name}"), Span::mixed_site())
}

/// The struct of accessors.
fn accessors(
    input: &DeriveInput,
    fields: &Fields,
    access: &Ident,
    kernel: &Lifetime,
    trait_path: &Path,
) -> TokenStream {
    let (name, visibility) = (&input.ident, &input.vis);
    let generics = with_lifetime(&input.generics, kernel);
    let clause = &generics.where_clause;
    let each = fields.iter().zip(fields.members()).map(|(field, member)| {
        let Field { vis, ty, .. } = field;
        let trait_path = at(trait_path, ty.span());
        let text = format!("The accessor of `{}`.", member.to_token_stream());
        let name = match member {
            Member::Named(name) => quote! { #name: },
            Member::Unnamed(_) => quote! {},
        };
        quote_spanned! { ty.span() => #[doc = #text] #vis #name <#ty as #trait_path>::Access<#kernel> }
    });
    let body = match fields {
        Fields::Named(_) => quote! { #clause { #(#each),* } },
        _ => quote! { (#(#each),*) #clause; },
    };
    let text = format!("The accessors that a kernel receives for [`{name}`], under the names of its fields.");
    quote! {
        #[doc = #text]
        #[automatically_derived]
        #[allow(dead_code, missing_debug_implementations, clippy::type_complexity)]
        #visibility struct #access #generics #body
    }
}

/// The functions of the impl for the struct.
fn functions(
    fields: &Fields,
    access: &Ident,
    kernel: &Lifetime,
    visited: &Lifetime,
    krate: &Path,
) -> TokenStream {
    let trait_path: Path = parse_quote!(#krate::KernelArgs);
    let members: Vec<Member> = fields.members().collect();
    let (last, first) = members.split_last().expect("there are fields");
    let [args, visit, lower, upper, least, iterations, raw, part, rank, held] = PARAMETERS.map(binding);
    let [all, actual, same] = ["all", "actual", "same"].map(binding);
    let visitor = format_ident!("SpeltVisitor", span = Span::mixed_site());
    let count = members.len();
    let lowered: Vec<Ident> =
        (0..count).map(|place| format_ident!("spelt_lowered_{place}", span = Span::mixed_site())).collect();
    let types: Vec<Ident> = (0..count).map(|place| format_ident!("SpeltMember{place}")).collect();
    let places = (0..count).map(|place| {
        let (group, place) = (Index::from(place / MAX_MEMBERS), Index::from(place % MAX_MEMBERS));
        if count > MAX_MEMBERS {
            quote! { .#group.#place }
        } else {
            quote! { .#place }
        }
    });
    // A field that is not an argument gives errors at its type.
    let traits: Vec<TokenStream> = fields.iter().map(|field| at(&trait_path, field.ty.span())).collect();
    let actual_members = grouped(&types);
    let raws = grouped(&lowered.iter().map(|each| quote! { #each.0 }).collect::<Vec<_>>());
    let helds = grouped(&lowered.iter().map(|each| quote! { #each.1 }).collect::<Vec<_>>());
    let lowers = [quote! { lower }, quote! { lower_on_device }].map(|function| {
        quote! {
            #[inline(always)]
            unsafe fn #function(#args: &mut Self) -> (
                <Self as #trait_path>::Raw,
                <Self as #trait_path>::Held,
            ) {
                // SAFETY: the contract for the struct is that of each field: the result is used only while the borrows live.
                #(let #lowered = unsafe { #trait_path::#function(&mut #args.#members) };)*
                (#raws, #helds)
            }
        }
    });
    quote! {
        #[inline(always)]
        fn describe<#visited>(
            #args: &#visited Self,
            #visit: &mut impl ::core::ops::FnMut(#krate::Description<#visited>),
        ) {
            // The fields are all fields, and their types are those of `Members`. The binding has no type, so that nothing is
            // coerced to it.
            let Self { #(#members: _),* } = #args;
            fn #same<#(#types),*>(#(_: &#types),*) -> [fn(#actual_members) -> #actual_members; 0] {
                []
            }
            let #actual = #same(#(&#args.#members),*);
            let _: [fn(<Self as #trait_path>::Members) -> <Self as #trait_path>::Members; 0] = #actual;
            #(#traits::describe(&#args.#members, #visit);)*
        }
        #[inline(always)]
        fn covers_box(
            #args: &Self,
            #lower: &[::core::primitive::usize],
            #upper: &[::core::primitive::usize],
        ) -> ::core::primitive::bool {
            true #(& #traits::covers_box(&#args.#members, #lower, #upper))*
        }
        #[inline(always)]
        fn parts(
            #args: &Self,
            #least: ::core::option::Option<::core::primitive::usize>,
        ) -> ::core::option::Option<::core::primitive::usize> {
            #(let #least = #traits::parts(&#args.#members, #least);)*
            #least
        }
        #[inline(always)]
        fn prepare(
            #args: &mut Self,
            #iterations: ::core::primitive::usize,
        ) -> ::core::result::Result<(), #krate::Shortage> {
            #(#trait_path::prepare(&mut #args.#first, #iterations)?;)*
            #trait_path::prepare(&mut #args.#last, #iterations)
        }
        #(#lowers)*
        #[inline(always)]
        fn divided(#args: &mut Self, #visit: &mut dyn ::core::ops::FnMut(#krate::Divided<'_>)) {
            #(#trait_path::divided(&mut #args.#members, #visit);)*
        }
        #[inline(always)]
        fn scattered<#visitor: #krate::ScatterVisitor>(
            #raw: &mut <Self as #trait_path>::Raw,
            #visit: &mut #visitor,
        ) -> ::core::result::Result<(), #visitor::Error> {
            <<Self as #trait_path>::Members as #trait_path>::scattered(#raw, #visit)
        }
        #[inline(always)]
        unsafe fn access<#kernel>(
            #raw: &<Self as #trait_path>::Raw,
            #part: ::core::primitive::usize,
        ) -> <Self as #trait_path>::Access<#kernel> {
            // SAFETY: `lower` has made the raw form of `Members`, from fields of these types; brand, coverage and part are those of
            // the struct.
            let #all = unsafe { <<Self as #trait_path>::Members as #trait_path>::access(#raw, #part) };
            #access { #(#members: #all #places),* }
        }
        #[inline(always)]
        unsafe fn in_team(
            #raw: &<Self as #trait_path>::Raw,
            #rank: ::core::primitive::usize,
        ) -> (<Self as #trait_path>::Raw, #krate::OwnRows) {
            // SAFETY: `lower` has made the raw form of `Members`; the league is that of the struct.
            unsafe { <<Self as #trait_path>::Members as #trait_path>::in_team(#raw, #rank) }
        }
        #[inline(always)]
        fn finish(#held: <Self as #trait_path>::Held) {
            <<Self as #trait_path>::Members as #trait_path>::finish(#held);
        }
    }
}

/// The items for the spans of written Views: those of `target`.
fn spans(trait_path: &Path, target: &TokenStream) -> TokenStream {
    let [raw, first, last, visit, next] = ["raw", "first", "last", "visit", "next"].map(binding);
    let rank = format_ident!("SPELT_RANK", span = Span::mixed_site());
    quote! {
        const SPANS: ::core::primitive::usize = #target::SPANS;
        #[inline(always)]
        unsafe fn written_spans<const #rank: ::core::primitive::usize>(
            #raw: &<Self as #trait_path>::Raw,
            #first: [::core::primitive::usize; #rank],
            #last: [::core::primitive::usize; #rank],
            #visit: &mut impl ::core::ops::FnMut(*mut [::core::mem::MaybeUninit<::core::primitive::u8>]),
        ) {
            // SAFETY: the raw form is that of the target, and so is the contract.
            unsafe { #target::written_spans(#raw, #first, #last, #visit) }
        }
        #[inline(always)]
        unsafe fn with_spans<const #rank: ::core::primitive::usize>(
            #raw: <Self as #trait_path>::Raw,
            #first: [::core::primitive::usize; #rank],
            #next: &mut impl ::core::ops::FnMut() -> ::core::option::Option<*mut ::core::primitive::u8>,
        ) -> <Self as #trait_path>::Raw {
            // SAFETY: the raw form is that of the target, and so is the contract.
            unsafe { #target::with_spans(#raw, #first, #next) }
        }
    }
}

/// The contents of the impl for a mutable reference to the struct, with which a struct is passed to one launch after another.
fn borrowed(
    name: &Ident,
    generics: &Generics,
    kernel: &Lifetime,
    visited: &Lifetime,
    krate: &Path,
) -> TokenStream {
    let (_, arguments, _) = generics.split_for_impl();
    let trait_path: Path = parse_quote!(#krate::KernelArgs);
    let target = quote! { <#name #arguments as #trait_path> };
    let visitor = format_ident!("SpeltVisitor", span = Span::mixed_site());
    let spans = spans(&trait_path, &target);
    let [args, visit, lower, upper, least, iterations, raw, part, rank, held] = PARAMETERS.map(binding);
    let lowers = [quote! { lower }, quote! { lower_on_device }].map(|function| {
        quote! {
            #[inline(always)]
            unsafe fn #function(#args: &mut Self) -> (
                <Self as #trait_path>::Raw,
                <Self as #trait_path>::Held,
            ) {
                // SAFETY: the contract is that of the struct, whose borrows live longer than the reference to it.
                unsafe { #target::#function(&mut **#args) }
            }
        }
    });
    quote! {
        type Members = Self;
        type Raw = #target::Raw;
        type Access<#kernel> = #target::Access<#kernel>;
        type Held = #target::Held;
        type Memory = #target::Memory;
        const BY_TEAM: ::core::primitive::bool = #target::BY_TEAM;
        const MAY_FAIL: ::core::primitive::bool = #target::MAY_FAIL;
        #[inline(always)]
        fn crosses_lines(#raw: &<Self as #trait_path>::Raw) -> ::core::primitive::bool {
            #target::crosses_lines(#raw)
        }
        #spans
        #[inline(always)]
        fn describe<#visited>(
            #args: &#visited Self,
            #visit: &mut impl ::core::ops::FnMut(#krate::Description<#visited>),
        ) {
            #target::describe(&**#args, #visit);
        }
        #[inline(always)]
        fn covers_box(
            #args: &Self,
            #lower: &[::core::primitive::usize],
            #upper: &[::core::primitive::usize],
        ) -> ::core::primitive::bool {
            #target::covers_box(&**#args, #lower, #upper)
        }
        #[inline(always)]
        fn parts(
            #args: &Self,
            #least: ::core::option::Option<::core::primitive::usize>,
        ) -> ::core::option::Option<::core::primitive::usize> {
            #target::parts(&**#args, #least)
        }
        #[inline(always)]
        fn prepare(
            #args: &mut Self,
            #iterations: ::core::primitive::usize,
        ) -> ::core::result::Result<(), #krate::Shortage> {
            #target::prepare(&mut **#args, #iterations)
        }
        #(#lowers)*
        #[inline(always)]
        fn divided(#args: &mut Self, #visit: &mut dyn ::core::ops::FnMut(#krate::Divided<'_>)) {
            #target::divided(&mut **#args, #visit);
        }
        #[inline(always)]
        fn scattered<#visitor: #krate::ScatterVisitor>(
            #raw: &mut <Self as #trait_path>::Raw,
            #visit: &mut #visitor,
        ) -> ::core::result::Result<(), #visitor::Error> {
            #target::scattered(#raw, #visit)
        }
        #[inline(always)]
        unsafe fn access<#kernel>(
            #raw: &<Self as #trait_path>::Raw,
            #part: ::core::primitive::usize,
        ) -> <Self as #trait_path>::Access<#kernel> {
            // SAFETY: the raw form is that of the struct, and so is the contract.
            unsafe { #target::access(#raw, #part) }
        }
        #[inline(always)]
        unsafe fn in_team(
            #raw: &<Self as #trait_path>::Raw,
            #rank: ::core::primitive::usize,
        ) -> (<Self as #trait_path>::Raw, #krate::OwnRows) {
            // SAFETY: the raw form is that of the struct, and so is the contract.
            unsafe { #target::in_team(#raw, #rank) }
        }
        #[inline(always)]
        fn finish(#held: <Self as #trait_path>::Held) {
            #target::finish(#held);
        }
    }
}

/// The path, at another place for messages.
fn at(path: &Path, place: Span) -> TokenStream {
    let tokens = path.to_token_stream().into_iter();
    let moved = tokens.map(|mut token| {
        token.set_span(token.span().located_at(place));
        token
    });
    moved.collect()
}

/// The fields of the struct: at least one.
fn fields(input: &DeriveInput) -> Result<&Fields> {
    let refuse = |text| Err(Error::new(input.ident.span(), text));
    match &input.data {
        Data::Struct(data) if data.fields.is_empty() => {
            refuse("a struct of arguments has at least one field")
        }
        Data::Struct(data) if data.fields.len() > MAX_MEMBERS * MAX_MEMBERS => {
            refuse("a struct of arguments has at most 576 fields: put some of them into structs of their own")
        }
        Data::Struct(data) => Ok(&data.fields),
        Data::Enum(_) => refuse("an enum cannot be passed to a kernel as its arguments: use a struct"),
        Data::Union(_) => refuse("a union cannot be passed to a kernel as its arguments: use a struct"),
    }
}

/// A tuple, or a tuple of tuples if there are too many.
fn grouped<T: ToTokens>(all: &[T]) -> TokenStream {
    if all.len() <= MAX_MEMBERS {
        return quote! { (#(#all,)*) };
    }
    let groups = all.chunks(MAX_MEMBERS).map(|group| quote! { (#(#group,)*) });
    quote! { (#(#groups,)*) }
}

/// The generics with another lifetime, in front.
fn with_lifetime(generics: &Generics, lifetime: &Lifetime) -> Generics {
    let mut generics = generics.clone();
    generics.params.insert(0, GenericParam::Lifetime(LifetimeParam::new(lifetime.clone())));
    generics
}

/// The names of all lifetimes in these tokens.
fn lifetimes(tokens: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    let mut after_quote = false;
    for token in tokens {
        match &token {
            TokenTree::Group(group) => found.extend(lifetimes(group.stream())),
            TokenTree::Ident(ident) if after_quote => found.push(ident.to_string()),
            _ => {}
        }
        after_quote = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
    }
    found
}

/// A lifetime of this name, or of a longer one if the name is taken.
fn fresh(name: &str, taken: &[String]) -> Lifetime {
    let mut name = name.to_owned();
    while taken.contains(&name) {
        name.push('_');
    }
    Lifetime::new(&format!("'{name}"), Span::mixed_site())
}

/// The attribute's values, or their defaults.
fn options(input: &DeriveInput) -> Result<Options> {
    let mut options =
        Options { krate: parse_quote!(::spelt), access: format_ident!("{}Access", input.ident) };
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("kernel_args")) {
        attribute.parse_nested_meta(|meta| {
            let value = |meta: &syn::meta::ParseNestedMeta<'_>| meta.value()?.parse::<syn::LitStr>();
            if meta.path.is_ident("crate") {
                options.krate = value(&meta)?.parse()?;
            } else if meta.path.is_ident("access") {
                options.access = value(&meta)?.parse()?;
            } else {
                return Err(meta.error("expected `crate = \"path\"` or `access = \"Name\"`"));
            }
            Ok(())
        })?;
    }
    Ok(options)
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
        assert!(error("enum E { A }").contains("use a struct"));
        assert!(error("union U { a: u8 }").contains("use a struct"));
        assert!(error("struct S;").contains("at least one field"));
        assert!(error("#[kernel_args(krate = \"x\")] struct S(u8);").contains("crate ="));
        let many = |count| format!("struct S({});", vec!["u8"; count].join(","));
        assert!(error(&many(577)).contains("at most 576"));
        assert!(expand(&syn::parse_str(&many(576)).unwrap()).is_ok());
    }

    #[test]
    fn path_and_name_can_be_given() {
        let text = code("#[kernel_args(crate = \"a::b\", access = \"In\")] pub struct S<'a>(pub &'a u8);");
        assert!(text.contains("pubstructIn<'k,'a>("), "{text}");
        assert!(text.contains("unsafeimpl<'a>a::b::KernelArgsforS<'a>"), "{text}");
        assert!(!text.contains("spelt::"), "{text}");
    }

    #[test]
    fn lifetimes_have_names_that_the_struct_does_not_use() {
        let text = code("struct S<'k, 'k_, T>(&'k T, for<'borrow> fn(&'borrow u8));");
        assert!(text.contains("structSAccess<'k__,'k,'k_,T>"), "{text}");
        assert!(text.contains("for&'borrow_mutS<'k,'k_,T>"), "{text}");
    }

    #[test]
    fn the_types_of_fields_are_written_once_each_beside_those_of_accessors() {
        let text = code("struct S { a: first!(), b: second!() }");
        assert_eq!(text.matches("first!()").count(), 2, "{text}");
        assert!(text.contains("typeMembers=(first!(),second!(),);"), "{text}");
        assert!(text.contains("a:<first!()as::spelt::KernelArgs>::Access<'k>"), "{text}");
    }
}
