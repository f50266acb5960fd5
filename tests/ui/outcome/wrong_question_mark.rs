use resilient::{Classify, Rejection, resilient};

#[derive(Classify)]
enum Failure {
    #[classify(source)]
    Refused(Rejection),
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        Failure::Refused(rejection)
    }
}

#[resilient(retry(max = 3))]
async fn call(text: &str) -> Result<u32, Failure> {
    let number: u32 = text.parse()?;
    Ok(number)
}

fn main() {}
// case N15
