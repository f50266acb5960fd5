use resilient::Classify;

#[derive(Classify)]
enum Failure {
    #[classify(source)]
    Number(std::num::ParseIntError),
}

fn main() {}
