use resilient::Classify;

#[derive(Classify)]
enum Failure {
    #[classify(source)]
    Wrapped(u16, std::io::Error),
}

fn main() {}
