use resilient::resilient;

#[derive(serde::Serialize, serde::Deserialize)]
pub struct Failure;

impl From<resilient::Rejection> for Failure {
    fn from(_: resilient::Rejection) -> Self {
        Failure
    }
}

#[resilient(idempotent(store = "orders", key = key, scope = shared, effects = "keyed", store_errors))]
async fn call(key: &str) -> Result<u32, Failure> {
    Ok(key.len() as u32)
}

fn main() {}
