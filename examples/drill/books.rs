//! What the shop and the payment provider have written down.

use std::collections::HashMap;
use std::error::Error;

use tokio_postgres::NoTls;

use crate::scripted_server::Ledger;
use crate::shop::Mode;

/// What is there, order by order.
#[derive(Debug)]
pub(crate) struct Books {
    /// How many orders there are under each reference of a customer.
    pub(crate) orders: HashMap<String, Vec<String>>,
    /// How often each order was charged.
    charges: HashMap<String, u32>,
    /// How often the provider recognised a repeat.
    pub(crate) charges_repeated: u64,
}

impl Books {
    pub(crate) async fn read(
        url: &str,
        mode: Mode,
        provider: &Ledger,
    ) -> Result<Self, Box<dyn Error>> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        let connection = tokio::spawn(connection);
        let mut orders: HashMap<String, Vec<String>> = HashMap::new();
        for row in client
            .query("select reference, id from orders", &[])
            .await?
        {
            orders.entry(row.get(0)).or_default().push(row.get(1));
        }
        let mut charges = HashMap::new();
        match mode {
            Mode::Lease => {
                for order in orders.values().flatten() {
                    charges.insert(order.clone(), provider.times_charged(order));
                }
            }
            Mode::Transaction => {
                let counted = "select order_id, count(*) from charges group by order_id";
                for row in client.query(counted, &[]).await? {
                    charges.insert(row.get(0), u32::try_from(row.get::<_, i64>(1))?);
                }
            }
        }
        drop(client);
        connection.await??;
        Ok(Books {
            orders,
            charges,
            charges_repeated: provider.repeats(),
        })
    }

    pub(crate) fn times_charged(&self, order: &str) -> u32 {
        self.charges.get(order).copied().unwrap_or(0)
    }
}
