use resilient::Classify;

#[derive(Classify)]
enum Failure {
    #[permanent("business")]
    Declined,
}

fn main() {}
