use resilient::Classify;

#[derive(Classify)]
struct Failure;

fn main() {}
