//! A private Redis or Valkey server.

use std::io;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::{Server, free_port, left_out, resp};

/// How long a start may take; on a busy machine, seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// What this is started as, the first of them that is installed.
const PROGRAMS: [&str; 2] = ["redis-server", "valkey-server"];

/// A Redis server on a free port, its data in a temporary folder. It is killed when this is
/// dropped.
#[derive(Debug)]
pub struct Redis {
    program: &'static str,
    options: Vec<String>,
    folder: TempDir,
    port: u16,
    server: Server,
}

impl Redis {
    /// Starts one that keeps everything in memory; `None` if Redis is not installed, and says so
    /// once.
    pub fn start() -> io::Result<Option<Self>> {
        Redis::start_with(&["--appendonly", "no"])
    }

    /// Starts one that writes every change to its file before it answers, so that a
    /// [`kill`](Redis::kill) loses nothing.
    pub fn start_durable() -> io::Result<Option<Self>> {
        Redis::start_with(&["--appendonly", "yes", "--appendfsync", "always"])
    }

    fn start_with(options: &[&str]) -> io::Result<Option<Self>> {
        let Some(program) = installed() else {
            left_out("Redis is not installed (Debian: apt-get install redis-server)");
            return Ok(None);
        };
        let folder = tempfile::Builder::new()
            .prefix("resilient-redis-")
            .tempdir()?;
        let options: Vec<String> = options.iter().map(ToString::to_string).collect();
        let port = free_port()?;
        let mut redis = Redis {
            server: spawn(program, port, &folder, &options)?,
            program,
            options,
            folder,
            port,
        };
        redis.wait_until_ready()?;
        Ok(Some(redis))
    }

    /// Where it is reached.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Its port on the loopback interface.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends it at once, without a chance to tidy up (SIGKILL).
    pub fn kill(&mut self) -> io::Result<()> {
        self.server.kill()
    }

    /// Starts it again on the same port and data, after a [`kill`](Redis::kill).
    pub fn restart(&mut self) -> io::Result<()> {
        self.server = spawn(self.program, self.port, &self.folder, &self.options)?;
        self.wait_until_ready()
    }

    /// Stops it where it is (SIGSTOP): connections stay open and nothing answers.
    pub fn freeze(&self) -> io::Result<()> {
        self.server.freeze()
    }

    /// Lets it go on (SIGCONT).
    pub fn thaw(&self) -> io::Result<()> {
        self.server.thaw()
    }

    /// Deletes everything in it.
    pub fn flush(&self) -> io::Result<()> {
        self.ask(&["FLUSHALL"]).map(drop)
    }

    /// Changes a setting: `maxmemory-policy`, `maxmemory`.
    pub fn set(&self, setting: &str, value: &str) -> io::Result<()> {
        self.ask(&["CONFIG", "SET", setting, value]).map(drop)
    }

    /// Sends it any command, over a connection of its own. Answers with the reply as text, the
    /// parts of an array in lines, nothing as `None`; an error of the server is an error.
    pub fn ask(&self, command: &[&str]) -> io::Result<Option<String>> {
        resp::ask(self.port, command)
    }

    /// Asks until it answers. What ended meanwhile is started again: the port may have gone to
    /// someone else between being found free and being used.
    fn wait_until_ready(&mut self) -> io::Result<()> {
        let patience = Instant::now() + PATIENCE;
        while !self.is_ready() {
            if Instant::now() > patience {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    format!("Redis was not ready after {PATIENCE:?}"),
                ));
            }
            sleep(Duration::from_millis(10));
            if self.server.has_ended()? {
                self.server = spawn(self.program, self.port, &self.folder, &self.options)?;
            }
        }
        Ok(())
    }

    /// Whether this process, and no other on its port, has loaded its data.
    fn is_ready(&self) -> bool {
        let own = format!("process_id:{}", self.server.id());
        let says = |command: &[&str], line: &str| {
            let reply = self.ask(command).ok().flatten().unwrap_or_default();
            reply.lines().any(|found| found == line)
        };
        says(&["INFO", "server"], &own) && says(&["INFO", "persistence"], "loading:0")
    }
}

fn installed() -> Option<&'static str> {
    let path = std::env::var_os("PATH")?;
    PROGRAMS
        .into_iter()
        .find(|program| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

fn spawn(program: &str, port: u16, folder: &TempDir, options: &[String]) -> io::Result<Server> {
    let mut command = Command::new(program);
    command
        .current_dir(folder.path())
        .args(["--bind", "127.0.0.1", "--save", "", "--dir"])
        .arg(folder.path())
        .arg("--port")
        .arg(port.to_string())
        .args(options);
    Server::spawn(&mut command)
}
