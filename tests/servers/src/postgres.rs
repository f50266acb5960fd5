//! A private Postgres server.

use std::fs;
use std::io;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::unistd::{Gid, Uid, User, geteuid};
use tempfile::TempDir;

use crate::{Server, family, free_port, left_out};

/// How long a start may take; on a busy machine, with recovery, seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// A Postgres server on a free port, its data in a temporary folder. It is killed when this is
/// dropped.
///
/// What it has committed survives [`kill`](Postgres::kill), but not a crash of the machine: it does
/// not wait for the disk, unless it was [started so](Postgres::start_durable).
#[derive(Debug)]
pub struct Postgres {
    programs: Programs,
    options: &'static [&'static str],
    folder: TempDir,
    port: u16,
    server: Server,
}

impl Postgres {
    /// Starts one; `None` if Postgres is not installed, and says so once.
    pub fn start() -> io::Result<Option<Self>> {
        Postgres::start_with(&["fsync=off", "full_page_writes=off"])
    }

    /// Starts one that is set as it comes: a commit waits for the disk. For those who measure it.
    pub fn start_durable() -> io::Result<Option<Self>> {
        Postgres::start_with(&[])
    }

    fn start_with(options: &'static [&'static str]) -> io::Result<Option<Self>> {
        let Some(programs) = Programs::find()? else {
            left_out("Postgres is not installed (Debian: apt-get install postgresql)");
            return Ok(None);
        };
        let folder = tempfile::Builder::new()
            .prefix("resilient-postgres-")
            .tempdir()?;
        programs.give(folder.path())?;
        programs.initialise(&folder.path().join("data"))?;
        let port = free_port()?;
        let server = programs.spawn(&folder.path().join("data"), port, options)?;
        let mut postgres = Postgres {
            programs,
            options,
            folder,
            port,
            server,
        };
        postgres.wait_until_ready()?;
        Ok(Some(postgres))
    }

    /// One that tests share while any of them has it, each with a table of its own: nobody may kill
    /// or freeze it.
    pub fn shared() -> io::Result<Option<Arc<Self>>> {
        static SHARED: Mutex<Weak<Postgres>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = shared.upgrade() {
            return Ok(Some(running));
        }
        let started = Postgres::start()?.map(Arc::new);
        if let Some(started) = &started {
            *shared = Arc::downgrade(started);
        }
        Ok(started)
    }

    /// Where it is reached: a URL of its superuser and first database.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Its port on the loopback interface.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends it and all its connections at once, without a chance to tidy up (SIGKILL).
    pub fn kill(&mut self) -> io::Result<()> {
        self.server.freeze()?;
        let children = family::children(self.server.id())?;
        self.server.kill()?;
        family::kill(&children)
    }

    /// Starts it again on the same port and data, after a [`kill`](Postgres::kill).
    pub fn restart(&mut self) -> io::Result<()> {
        self.server = self.spawn()?;
        self.wait_until_ready()
    }

    /// Stops it and its connections where they are (SIGSTOP): they stay open and nothing answers.
    pub fn freeze(&self) -> io::Result<()> {
        // The parent first, so that it has no more children meanwhile.
        self.server.freeze()?;
        family::freeze(&family::children(self.server.id())?)
    }

    /// Lets them go on (SIGCONT).
    pub fn thaw(&self) -> io::Result<()> {
        family::thaw(&family::children(self.server.id())?)?;
        self.server.thaw()
    }

    fn spawn(&self) -> io::Result<Server> {
        let data = self.folder.path().join("data");
        self.programs.spawn(&data, self.port, self.options)
    }

    /// Asks until it answers; a server that ends meanwhile is started again, because the remains of
    /// a killed one may be in its way for a moment.
    fn wait_until_ready(&mut self) -> io::Result<()> {
        let patience = Instant::now() + PATIENCE;
        while !self.programs.is_ready(self.port)? {
            if Instant::now() > patience {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    format!("Postgres was not ready after {PATIENCE:?}"),
                ));
            }
            sleep(Duration::from_millis(30));
            if self.server.has_ended()? {
                self.server = self.spawn()?;
            }
        }
        Ok(())
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // A server that was killed already has no children to be found.
        let _ = self.kill();
    }
}

/// The server's programs, and who may run them.
#[derive(Debug)]
struct Programs {
    folder: PathBuf,
    /// Postgres refuses to run as root.
    user: Option<(Uid, Gid)>,
}

impl Programs {
    fn find() -> io::Result<Option<Self>> {
        let Some(folder) = on_the_path().or_else(in_a_package) else {
            return Ok(None);
        };
        if !geteuid().is_root() {
            return Ok(Some(Programs { folder, user: None }));
        }
        let user = User::from_name("postgres")?
            .ok_or_else(|| io::Error::other("there is no user `postgres` to run Postgres as"))?;
        Ok(Some(Programs {
            folder,
            user: Some((user.uid, user.gid)),
        }))
    }

    fn give(&self, folder: &Path) -> io::Result<()> {
        match self.user {
            Some((user, group)) => chown(folder, Some(user.as_raw()), Some(group.as_raw())),
            None => Ok(()),
        }
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.folder.join(name));
        // The folder it is started from may be one that its user cannot read.
        command.current_dir("/").stdin(Stdio::null());
        if let Some((user, group)) = self.user {
            command.uid(user.as_raw()).gid(group.as_raw());
        }
        command
    }

    fn initialise(&self, data: &Path) -> io::Result<()> {
        let output = self
            .command("initdb")
            .args(["--username=postgres", "--auth=trust", "--encoding=UTF8"])
            .args(["--no-locale", "--no-sync", "--no-instructions", "--pgdata"])
            .arg(data)
            .output()?;
        if output.status.success() {
            return Ok(());
        }
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(io::Error::other(format!("initdb: {why}")))
    }

    fn spawn(&self, data: &Path, port: u16, options: &[&str]) -> io::Result<Server> {
        let mut command = self.command("postgres");
        command.arg("-D").arg(data).arg("-p").arg(port.to_string());
        let always = [
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "max_connections=300",
        ];
        for setting in always.iter().chain(options) {
            command.args(["-c", setting]);
        }
        Server::spawn(&mut command)
    }

    fn is_ready(&self, port: u16) -> io::Result<bool> {
        let status = self
            .command("pg_isready")
            .args(["--quiet", "--host=127.0.0.1", "--timeout=5"])
            .arg(format!("--port={port}"))
            .stderr(Stdio::null())
            .status()?;
        Ok(status.success())
    }
}

fn on_the_path() -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).find(|folder| holds_a_server(folder))
}

/// Where Debian and its relatives put it: the newest version there is.
fn in_a_package() -> Option<PathBuf> {
    let version = |folder: &PathBuf| -> u32 {
        let name = folder.file_name().and_then(|name| name.to_str());
        name.and_then(|name| name.parse().ok()).unwrap_or_default()
    };
    fs::read_dir("/usr/lib/postgresql")
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|folder| holds_a_server(&folder.join("bin")))
        .max_by_key(version)
        .map(|folder| folder.join("bin"))
}

fn holds_a_server(folder: &Path) -> bool {
    ["initdb", "postgres", "pg_isready"]
        .iter()
        .all(|name| folder.join(name).is_file())
}
