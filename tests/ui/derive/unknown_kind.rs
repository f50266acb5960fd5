use resilient::Classify;

#[derive(Classify)]
enum Failure {
    #[permanent(kind = "busines")]
    Declined,
}

fn main() {}
