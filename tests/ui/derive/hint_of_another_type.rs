use resilient::Classify;

#[derive(Classify)]
enum Failure {
    #[throttled(retry_after = after)]
    Busy { after: u64 },
}

fn main() {}
