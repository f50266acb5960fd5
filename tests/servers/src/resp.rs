//! As much of the protocol of Redis (RESP2) as tests need to look behind a client.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

/// A server that does not answer for so long is not going to.
const PATIENCE: Duration = Duration::from_secs(30);

/// Sends one command over a connection of its own.
pub(crate) fn ask(port: u16, command: &[&str]) -> io::Result<Option<String>> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(request(command).as_bytes())?;
    reply(&mut BufReader::new(stream))
}

fn request(command: &[&str]) -> String {
    let parts = command
        .iter()
        .map(|part| format!("${}\r\n{part}\r\n", part.len()));
    format!("*{}\r\n{}", command.len(), parts.collect::<String>())
}

fn reply(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let line = line.trim_end();
    let Some((kind, rest)) = line.split_at_checked(1) else {
        return Err(io::ErrorKind::UnexpectedEof.into());
    };
    match kind {
        "+" | ":" => Ok(Some(rest.to_owned())),
        "$" => bulk(reader, rest),
        "*" => array(reader, rest),
        _ => Err(io::Error::other(line.to_owned())),
    }
}

fn bulk(reader: &mut impl BufRead, length: &str) -> io::Result<Option<String>> {
    // Nothing has the length -1.
    let Ok(length) = length.parse::<usize>() else {
        return Ok(None);
    };
    let mut bytes = vec![0; length + "\r\n".len()];
    reader.read_exact(&mut bytes)?;
    bytes.truncate(length);
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

fn array(reader: &mut impl BufRead, length: &str) -> io::Result<Option<String>> {
    let length: usize = length.parse().unwrap_or_default();
    let parts: io::Result<Vec<String>> = (0..length)
        .map(|_| Ok(reply(reader)?.unwrap_or_default()))
        .collect();
    Ok(Some(parts?.join("\n")))
}
