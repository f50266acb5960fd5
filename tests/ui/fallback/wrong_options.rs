use resilient::resilient;

async fn cached(_error: std::io::Error, _id: &u32) -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = "1s", fallback(timeout = "200ms"))]
async fn call(id: u32) -> std::io::Result<u32> {
    Ok(id)
}

#[resilient(timeout = "1s", fallback(call = cached(id), timout = "200ms"))]
async fn another(id: u32) -> std::io::Result<u32> {
    Ok(id)
}

#[resilient(timeout = "1s", fallback(call = cached(id), timeout = "0s"))]
async fn third(id: u32) -> std::io::Result<u32> {
    Ok(id)
}

#[resilient(timeout = "1s", fallback(cached(id)))]
async fn fourth(id: u32) -> std::io::Result<u32> {
    Ok(id)
}

fn main() {}
