use resilient::Classify;

#[derive(Classify)]
enum Failure {
    #[transient = true]
    Network,
    #[transient("unsent")]
    Refused,
    #[transient(unsent = true)]
    Unreachable,
    #[throttled(retry_after = "after")]
    Busy { after: std::time::Duration },
    #[throttled(retry_after)]
    Full { after: std::time::Duration },
    #[classify]
    Unknown,
    #[classify(source)]
    Inner,
    #[classify(source = error)]
    Outer { error: std::io::Error },
    #[classify(with = "of")]
    Other,
    #[permanent(kind = business)]
    Declined,
    #[permanent(kind = 4)]
    Late,
}

#[derive(Classify)]
#[classify(crate = "resilient")]
enum Elsewhere {
    #[transient]
    Network,
}

fn main() {}
