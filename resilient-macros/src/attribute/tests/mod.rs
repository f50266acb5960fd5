mod expansion;
mod mistakes;

/// The messages of `errors`, in order.
fn told(errors: &syn::Error) -> Vec<String> {
    errors.into_iter().map(|error| error.to_string()).collect()
}
