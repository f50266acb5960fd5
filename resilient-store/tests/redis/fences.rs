//! I58: a fence is never given out twice, whatever the server has lost.

use resilient_core::idempotency::{Fence, Fenced, Store};
use resilient_test_servers::Redis;

use crate::actor::{alone, claim, finish, id, win};

#[tokio::test]
async fn i58_a_server_that_lost_everything_gives_out_larger_fences() {
    let Some(mut server) = Redis::start().unwrap() else {
        return;
    };
    let first = win(&alone(&server).await, &claim("k", 1)).await;
    server.kill().unwrap();
    server.restart().unwrap();
    let store = alone(&server).await;
    let second = win(&store, &claim("k", 2)).await;
    assert!(second.fence > first.fence);
    let late = store.complete(&id("k"), first.fence, &finish("late")).await;
    assert_eq!(late.unwrap(), Fenced::Lost);
}

/// As if the clock had been an hour ahead, and was set back.
#[tokio::test]
async fn i58_fences_grow_while_the_clock_goes_back() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let store = alone(&server).await;
    let first = win(&store, &claim("a", 1)).await.fence;
    let ahead = Fence(first.0 + 3_600_000_000);
    server
        .ask(&["SET", "idem:fence", &ahead.to_string()])
        .unwrap();
    assert_eq!(win(&store, &claim("b", 2)).await.fence, Fence(ahead.0 + 1));
    assert_eq!(win(&store, &claim("c", 3)).await.fence, Fence(ahead.0 + 2));
}

#[tokio::test]
async fn a_last_fence_that_is_none_is_left_behind() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let store = alone(&server).await;
    let mut last = win(&store, &claim("k", 1)).await.fence;
    for (garbage, owner) in [("no number", 2), ("9e300", 3), ("-5", 4), ("", 5)] {
        server.ask(&["SET", "idem:fence", garbage]).unwrap();
        let fence = win(&store, &claim(&format!("k{owner}"), owner)).await.fence;
        assert!(fence > last, "{garbage:?}");
        last = fence;
    }
}
