//! The impl of `Portable`: the fields in their order, behind the number of the variant where there are several.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Ident, Member, Path, Result, parse_quote};

use crate::path::path;

/// The code for `input`, or an error at the place of the part that cannot be written as bytes.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let krate = path(input, "portable")?;
    let portable: Path = parse_quote!(#krate::Portable);
    let bytes = Ident::new("spelt_bytes", Span::mixed_site());
    let (write, read) = match &input.data {
        Data::Struct(data) => {
            let (pattern, write) = write(&data.fields, &portable, &bytes);
            let value = read(&data.fields, &portable, &bytes);
            (
                quote! { let Self #pattern = *self; #write },
                quote! { ::core::option::Option::Some(Self #value) },
            )
        }
        Data::Enum(data) => {
            let (mut writes, mut reads) = (Vec::new(), Vec::new());
            for (number, variant) in (0_u32..).zip(&data.variants) {
                let name = &variant.ident;
                let (pattern, write) = write(&variant.fields, &portable, &bytes);
                let value = read(&variant.fields, &portable, &bytes);
                writes
                    .push(quote! { Self::#name #pattern => { #portable::write(&#number, #bytes); #write } });
                reads.push(quote! { #number => ::core::option::Option::Some(Self::#name #value), });
            }
            let read = quote! {
                match <u32 as #portable>::read(#bytes)? { #(#reads)* _ => ::core::option::Option::None }
            };
            (quote! { match *self { #(#writes)* } }, read)
        }
        Data::Union(data) => {
            return Err(Error::new(
                data.union_token.span,
                "a union is not `Portable`: it is unknown which of its fields is valid",
            ));
        }
    };
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#portable));
    }
    let (name, (parameters, arguments, clause)) = (&input.ident, generics.split_for_impl());
    Ok(quote! {
        #[automatically_derived]
        impl #parameters #portable for #name #arguments #clause {
            #[allow(unused_variables)]
            fn write(&self, #bytes: &mut ::std::vec::Vec<u8>) {
                #write
            }
            #[allow(unused_variables)]
            fn read(#bytes: &mut &[u8]) -> ::core::option::Option<Self> {
                #read
            }
        }
    })
}

/// A pattern that binds all fields, and the code that writes them. A binding with `@` is never taken for a constant.
fn write(fields: &Fields, portable: &Path, bytes: &Ident) -> (TokenStream, TokenStream) {
    let members: Vec<Member> = fields.members().collect();
    let bindings: Vec<Ident> = (0..members.len())
        .map(|number| Ident::new(&format!("spelt_field_{number}"), Span::mixed_site()))
        .collect();
    let pattern = quote! { { #(#members: ref #bindings @ _),* } };
    (pattern, quote! { #(#portable::write(#bindings, #bytes);)* })
}

/// The fields, read in the order in which they are written.
fn read(fields: &Fields, portable: &Path, bytes: &Ident) -> TokenStream {
    let members = fields.members();
    quote! { { #(#members: #portable::read(#bytes)?),* } }
}

#[cfg(test)]
mod tests {
    use super::expand;

    fn code(code: &str) -> String {
        expand(&syn::parse_str(code).unwrap()).unwrap().to_string().replace(' ', "")
    }

    fn error(code: &str) -> String {
        expand(&syn::parse_str(code).unwrap()).unwrap_err().to_string()
    }

    #[test]
    fn refusals_say_why() {
        assert!(error("union U { a: u8 }").contains("which of its fields"));
        assert!(error("#[portable(krate = \"x\")] struct S;").contains("#[portable(crate ="));
    }

    #[test]
    fn the_path_can_be_given() {
        assert!(code("struct S(f32);").contains("impl::spelt::PortableforS"));
        assert!(code("#[portable(crate = \"a::b\")] struct S;").contains("impla::b::PortableforS"));
    }

    #[test]
    fn variants_have_numbers() {
        let text = code("enum E { A, B(u8) }");
        assert!(
            text.contains("Self::B{0:refspelt_field_0@_}=>{::spelt::Portable::write(&1u32,spelt_bytes);"),
            "{text}"
        );
        assert!(
            text.contains(
                "1u32=>::core::option::Option::Some(Self::B{0:::spelt::Portable::read(spelt_bytes)?}),"
            ),
            "{text}"
        );
    }

    #[test]
    fn parameters_become_conditions() {
        assert!(
            code("struct S<T, const N: usize>([T; N]);").contains("impl<T:::spelt::Portable,constN:usize>")
        );
    }
}
