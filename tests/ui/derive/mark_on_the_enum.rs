use resilient::Classify;

#[derive(Classify)]
#[transient]
enum Failure {
    #[permanent]
    Declined,
}

fn main() {}
