use resilient::Classify;

#[derive(Classify)]
enum Failure {
    #[transient]
    #[fault]
    Network,
}

fn main() {}
