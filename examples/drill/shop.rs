//! The shop, as a process of its own that can be killed.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::Command;

use resilient_test_servers::{Server, free_port};

/// Of how many shops the one here thinks it is one, where each keeps a share of the quota.
const SHOPS: u32 = 2;

/// How much of the quota the shop takes at once.
const BATCH: u32 = 4;

/// How the shop keeps an order from being placed twice, and what becomes of its quota while Redis is
/// away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// By a lease, and a key for the payment provider. Without Redis nobody is let in.
    Lease,
    /// By one transaction for order, charge and key. Without Redis the shop lets its share in.
    Transaction,
}

impl Mode {
    /// How much of a quota a shop lets through by itself, from its start on.
    pub(crate) fn share_of(self, quota: u32) -> u32 {
        self.shops().map_or(0, |shops| quota / shops)
    }

    fn shops(self) -> Option<u32> {
        (self == Mode::Transaction).then_some(SHOPS)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Mode::Lease => "lease",
            Mode::Transaction => "transaction",
        })
    }
}

/// The process. It is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Shop {
    program: PathBuf,
    arguments: Vec<String>,
    port: u16,
    process: Server,
}

impl Shop {
    pub(crate) fn start(mode: Mode, postgres: u16, redis: u16, payments: &str) -> io::Result<Self> {
        let port = free_port()?;
        let arguments = [
            ("--listen", format!("127.0.0.1:{port}")),
            ("--mode", mode.to_string()),
            (
                "--postgres",
                format!("postgres://postgres@127.0.0.1:{postgres}/postgres"),
            ),
            ("--redis", format!("redis://127.0.0.1:{redis}")),
            ("--payments", payments.to_owned()),
            ("--lease", "3s".to_owned()),
            ("--reserve", BATCH.to_string()),
        ];
        let share = mode.shops().map(|shops| ("--share", shops.to_string()));
        let arguments: Vec<String> = arguments
            .into_iter()
            .chain(share)
            .flat_map(|(name, value)| [name.to_owned(), value])
            .collect();
        // Built beside this program.
        let program = std::env::current_exe()?.with_file_name("shop");
        let process = spawn(&program, &arguments)?;
        Ok(Shop {
            program,
            arguments,
            port,
            process,
        })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(crate) fn kill(&mut self) -> io::Result<()> {
        self.process.kill()
    }

    pub(crate) fn restart(&mut self) -> io::Result<()> {
        self.process = spawn(&self.program, &self.arguments)?;
        Ok(())
    }

    pub(crate) fn freeze(&self) -> io::Result<()> {
        self.process.freeze()
    }

    pub(crate) fn thaw(&self) -> io::Result<()> {
        self.process.thaw()
    }
}

fn spawn(program: &PathBuf, arguments: &[String]) -> io::Result<Server> {
    Server::spawn(Command::new(program).args(arguments))
}
