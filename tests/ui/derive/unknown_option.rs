use resilient::Classify;

#[derive(Classify)]
enum Failure {
    #[transient(unsnt)]
    Network,
    #[permanent(unsent)]
    Declined,
}

fn main() {}
