use resilient::resilient;

type Sink<'a> = &'a mut Vec<u8>;

#[resilient(hedge, idempotent)]
async fn call(sink: Sink<'_>) -> std::io::Result<()> {
    sink.push(1);
    Ok(())
}

fn main() {}
