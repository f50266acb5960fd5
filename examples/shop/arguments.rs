//! What the shop is told on the command line.

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Lease,
    Transaction,
}

pub(crate) struct Arguments {
    pub(crate) listen: String,
    pub(crate) mode: Mode,
    pub(crate) postgres: Option<String>,
    pub(crate) redis: Option<String>,
    pub(crate) payments: Option<String>,
    pub(crate) lease: String,
    pub(crate) share: Option<u32>,
    pub(crate) reserve: Option<u32>,
}

impl Arguments {
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut arguments = Arguments {
            listen: "127.0.0.1:3000".to_owned(),
            mode: Mode::Lease,
            postgres: None,
            redis: None,
            payments: None,
            lease: "30s".to_owned(),
            share: None,
            reserve: None,
        };
        while let Some(name) = words.next() {
            let value = words
                .next()
                .ok_or_else(|| format!("`{name}` needs a value"))?;
            match name.as_str() {
                "--listen" => arguments.listen = value,
                "--postgres" => arguments.postgres = Some(value),
                "--redis" => arguments.redis = Some(value),
                "--payments" => arguments.payments = Some(value),
                "--lease" => arguments.lease = value,
                "--share" => arguments.share = Some(number(&value)?),
                "--reserve" => arguments.reserve = Some(number(&value)?),
                "--mode" => arguments.mode = mode(&value)?,
                _ => return Err(format!("`{name}` is no argument of the shop")),
            }
        }
        if arguments.mode == Mode::Transaction && arguments.postgres.is_none() {
            return Err("`--mode transaction` needs `--postgres`".to_owned());
        }
        Ok(arguments)
    }
}

fn mode(word: &str) -> Result<Mode, String> {
    match word {
        "lease" => Ok(Mode::Lease),
        "transaction" => Ok(Mode::Transaction),
        _ => Err(format!(
            "`{word}` is no mode: write `lease` or `transaction`"
        )),
    }
}

fn number(word: &str) -> Result<u32, String> {
    word.parse()
        .map_err(|_| format!("`{word}` is no whole number"))
}
