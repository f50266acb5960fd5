use resilient::resilient;

fn main() {
    let _call = #[resilient(retry)]
    async || std::io::Result::Ok(1);
}
// case N22
