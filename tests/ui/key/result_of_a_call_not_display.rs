use resilient::resilient;

fn key(parts: &[u8]) -> Option<u8> {
    parts.first().copied()
}

#[resilient(retry, idempotency_key = key(parts))]
async fn call(parts: &[u8]) -> std::io::Result<usize> {
    Ok(parts.len())
}

fn main() {}
