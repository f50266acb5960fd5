//! What goes wrong, when, and for how long.

/// What is wrong with the service, or with what is asked of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Trouble {
    Nothing,
    /// Every connection is refused.
    Down,
    /// So large a share of the requests fails, at random.
    Errors(f64),
    /// Only this share of the workers works.
    Capacity(f64),
    /// Requests are taken in and never answered; the restart that ends it forgets them.
    Hang,
    /// Answers take so many times as long, without keeping workers busy.
    Slower(u32),
    /// Only this share of the usual load is let in; the rest is asked to come back in a second.
    Quota(f64),
    /// So many times the usual load arrives.
    Load(f64),
}

/// One story. Before the trouble and after it the service is well.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// What its plot is called.
    pub(crate) file: &'static str,
    pub(crate) trouble: Trouble,
    /// Seconds the trouble lasts.
    pub(crate) lasts: usize,
    /// Callers give up after some 2 to 6 seconds instead of waiting for the call's end.
    pub(crate) impatient: bool,
    /// The service answers most of the time, so that a breaker that opens is wrong.
    pub(crate) answers: bool,
}

/// Seconds before the trouble: longer than any policy looks back.
pub(crate) const BEFORE: usize = 12;
/// Seconds that are measured after the trouble.
pub(crate) const AFTER: usize = 40;
/// Seconds the load goes on so that the last measured calls end under it: no call lasts longer.
const TAIL: usize = 17;

impl Scenario {
    const fn new(name: &'static str, file: &'static str, trouble: Trouble, lasts: usize) -> Self {
        Scenario {
            name,
            file,
            trouble,
            lasts,
            impatient: false,
            answers: false,
        }
    }

    const fn impatient(mut self) -> Self {
        self.impatient = true;
        self
    }

    const fn answers(mut self) -> Self {
        self.answers = true;
        self
    }

    /// The second in which the trouble ends.
    pub(crate) const fn end(&self) -> usize {
        BEFORE + self.lasts
    }

    /// Seconds that are measured, from the first.
    pub(crate) const fn measured(&self) -> usize {
        self.end() + AFTER
    }

    /// Seconds in all.
    pub(crate) const fn seconds(&self) -> usize {
        self.measured() + TAIL
    }

    /// How many times the usual load arrives in a second of the story.
    pub(crate) fn load(&self, second: usize) -> f64 {
        match self.trouble {
            Trouble::Load(factor) if (BEFORE..self.end()).contains(&second) => factor,
            _ => 1.0,
        }
    }
}

pub(crate) const METASTABLE: Scenario =
    Scenario::new("load x 3, 15 s", "load", Trouble::Load(3.0), 15);

pub(crate) const SCENARIOS: [Scenario; 10] = [
    Scenario::new("blip, 1 s", "blip-1", Trouble::Down, 1).answers(),
    Scenario::new("blip, 3 s", "blip-3", Trouble::Down, 3),
    Scenario::new("20 % errors", "errors-20", Trouble::Errors(0.2), 40).answers(),
    Scenario::new("50 % errors", "errors-50", Trouble::Errors(0.5), 40),
    Scenario::new(
        "brown-out to 30 %, 30 s",
        "brown-out",
        Trouble::Capacity(0.3),
        30,
    ),
    Scenario::new("outage, 20 s", "outage", Trouble::Down, 20),
    Scenario::new("hang, 20 s, impatient callers", "hang", Trouble::Hang, 20).impatient(),
    Scenario::new("latency x 20, 20 s", "latency", Trouble::Slower(20), 20).answers(),
    Scenario::new("quota of 80 %, 30 s", "quota", Trouble::Quota(0.8), 30).answers(),
    METASTABLE,
];
