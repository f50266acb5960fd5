use resilient::resilient;

#[derive(Clone, Copy)]
struct Id(u32);

impl std::ops::Add<u32> for Id {
    type Output = Id;

    fn add(self, other: u32) -> Id {
        Id(self.0 + other)
    }
}

#[resilient(retry, idempotency_key = *id + 1)]
async fn call(id: &Id) -> std::io::Result<u32> {
    Ok(id.0)
}

fn main() {}
