use resilient::Classify;

#[derive(Classify)]
enum Failure {
    #[throttled(retry_after = aftr)]
    Busy { after: std::time::Duration },
}

fn main() {}
