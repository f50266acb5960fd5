use resilient::resilient;

#[resilient(retry)]
struct Client;

fn main() {}
// mistake 6
