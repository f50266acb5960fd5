//! The server that other tests stand on.

use std::io::Read;
use std::net::TcpStream;
use std::time::Duration;

use resilient_test_servers::Postgres;

/// What a server answers to a request for encryption: one byte, from whoever accepts connections.
fn answers(port: u16) -> bool {
    let asked = TcpStream::connect(("127.0.0.1", port)).and_then(|mut stream| {
        std::io::Write::write_all(&mut stream, &[0, 0, 0, 8, 4, 210, 22, 47])?;
        stream.set_read_timeout(Some(Duration::from_millis(500)))?;
        stream.read_exact(&mut [0])
    });
    asked.is_ok()
}

#[test]
fn it_can_be_killed_restarted_and_frozen() {
    let Some(mut server) = Postgres::start().unwrap() else {
        return;
    };
    let port = server.port();
    assert!(answers(port), "after its start");
    server.kill().unwrap();
    assert!(!answers(port), "killed");
    server.restart().unwrap();
    assert!(answers(port), "restarted");
    server.freeze().unwrap();
    assert!(!answers(port), "frozen");
    server.thaw().unwrap();
    assert!(answers(port), "thawed");
    drop(server);
    assert!(!answers(port), "dropped");
}
