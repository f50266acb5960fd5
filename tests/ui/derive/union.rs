use resilient::Classify;

#[derive(Classify)]
union Failure {
    a: u8,
}

fn main() {}
