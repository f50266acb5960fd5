//! The books of a payment provider that honours `Idempotency-Key`.

use std::collections::HashMap;

/// Who was charged, and which keys were answered.
///
/// Charges are counted per order and repeats are recognised per key, so a client that repeats a
/// charge without its key is seen to charge the order twice.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    charges: HashMap<String, u32>,
    receipts: HashMap<String, u64>,
    charged: u64,
    repeats: u64,
}

/// The answer to a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    pub number: u64,
    /// Whether this receipt was issued before, to an earlier request with the same key.
    pub repeated: bool,
}

impl Ledger {
    /// Charges `order`, unless `key` was charged before: then its receipt is issued again.
    pub fn charge(&mut self, order: &str, key: Option<&str>) -> Receipt {
        if let Some(&number) = key.and_then(|key| self.receipts.get(key)) {
            self.repeats += 1;
            return Receipt {
                number,
                repeated: true,
            };
        }
        self.charged += 1;
        *self.charges.entry(order.to_owned()).or_default() += 1;
        if let Some(key) = key {
            self.receipts.insert(key.to_owned(), self.charged);
        }
        Receipt {
            number: self.charged,
            repeated: false,
        }
    }

    /// How often `order` was charged. More than once is what idempotency keys are there to prevent.
    pub fn times_charged(&self, order: &str) -> u32 {
        self.charges.get(order).copied().unwrap_or(0)
    }

    /// The orders that were charged more than once, in alphabetical order.
    pub fn charged_twice(&self) -> Vec<&str> {
        let mut orders: Vec<&str> = self
            .charges
            .iter()
            .filter(|&(_, &times)| times > 1)
            .map(|(order, _)| order.as_str())
            .collect();
        orders.sort_unstable();
        orders
    }

    /// How many charges were made.
    pub fn charges(&self) -> u64 {
        self.charged
    }

    /// How many requests were answered from their key, without charging again.
    pub fn repeats(&self) -> u64 {
        self.repeats
    }
}
