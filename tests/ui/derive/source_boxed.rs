use resilient::Classify;

#[derive(Classify)]
enum Failure {
    #[classify(source)]
    Backend(Box<dyn std::error::Error + Send + Sync>),
    #[classify(source, kind = "server")]
    Other(std::num::ParseIntError),
}

fn main() {}
