use resilient::resilient;

type Answer<T> = Option<T>;

#[resilient(retry)]
async fn call() -> Answer<u32> {
    Some(1)
}

fn main() {}
// mistake 11
