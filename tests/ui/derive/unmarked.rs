use resilient::Classify;

#[derive(Classify)]
enum Failure {
    Network,
    #[permanent]
    Declined,
    Unknown(u16),
}

fn main() {}
