use resilient::Classify;

fn of(_: u16) -> resilient::Class {
    resilient::Class::Fault
}

#[derive(Classify)]
enum Failure {
    #[classify(with = of)]
    Status(u16),
}

fn main() {}
