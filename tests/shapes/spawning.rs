use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use resilient::resilient;

use super::fallible::{Attempts, Failure, sendable};

// case N24
#[resilient(retry(max = 3, base = "0s"), timeout = "5s", deadline = "20s")]
async fn shared(attempts: Arc<Attempts>, text: String) -> Result<usize, Failure> {
    attempts.next().await?;
    Ok(text.len())
}

// shape 32; case N26
/// Each level retries on its own: only the innermost fails, so only it runs again.
#[resilient(retry(max = 3, base = "0s"))]
async fn down(attempts: &Attempts, level: u32) -> Result<u32, Failure> {
    if level == 0 {
        return attempts.next().await;
    }
    Ok(1 + Box::pin(down(attempts, level - 1)).await?)
}

#[resilient(retry(max = 3, base = "0s"))]
async fn generic<T: Send + Sync>(attempts: &Attempts, value: T) -> Result<usize, Failure> {
    attempts.next().await?;
    Ok(std::mem::size_of_val(&value))
}

// shape 74
/// Not `Send`, and not asked to be.
#[resilient(retry(max = 3, base = "0s"))]
async fn local(attempts: &Attempts, count: Rc<Cell<u32>>) -> Result<u32, Failure> {
    count.set(count.get() + 1);
    attempts.next().await?;
    Ok(count.get())
}

// shape 19
/// `Send` but not `Sync`, and lent to the attempts.
#[resilient(retry(max = 3, base = "0s"))]
async fn received(attempts: &Attempts, numbers: Receiver<u32>) -> Result<u32, Failure> {
    let number = numbers.try_recv().map_err(|_| Failure::Never)?;
    attempts.next().await?;
    Ok(number)
}

/// An error that is `Send` but not `Sync`.
#[derive(Debug, resilient::Classify)]
#[transient]
struct Unshared(#[allow(dead_code)] Cell<u32>);

impl From<resilient::Rejection> for Unshared {
    fn from(_: resilient::Rejection) -> Self {
        Unshared(Cell::new(0))
    }
}

#[resilient(retry(max = 3, base = "0s"))]
async fn unshared(attempts: &Attempts) -> Result<u32, Unshared> {
    attempts.next().await.map_err(|_| Unshared(Cell::new(1)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn protected_functions_can_be_spawned() {
    let attempts = Arc::new(Attempts::failing(2));
    let length = tokio::spawn(shared(Arc::clone(&attempts), "four".to_owned())).await;
    assert_eq!(length.unwrap(), Ok(4));
    assert_eq!(attempts.made(), 3);

    let task = tokio::spawn(async move {
        let attempts = Attempts::failing(1);
        let text = String::from("text");
        generic(&attempts, &*text).await
    });
    assert_eq!(task.await.unwrap(), Ok(16));
}

#[tokio::test]
async fn recursion() {
    let attempts = Attempts::failing(2);
    assert_eq!(sendable(down(&attempts, 3)).await, Ok(6));
    assert_eq!(attempts.made(), 3);
}

#[tokio::test]
async fn what_is_not_send_stays_on_its_thread() {
    let count = Rc::new(Cell::new(0));
    assert_eq!(local(&Attempts::failing(2), Rc::clone(&count)).await, Ok(3));

    let (sender, numbers) = channel();
    for number in [4, 5, 6] {
        sender.send(number).unwrap();
    }
    assert_eq!(received(&Attempts::failing(2), numbers).await, Ok(6));

    assert_eq!(sendable(unshared(&Attempts::failing(2))).await.unwrap(), 3);
}
