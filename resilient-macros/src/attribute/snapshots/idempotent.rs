/// Takes the order.
///
/// # Effective policy
///
/// - Up to 3 attempts.
/// - Runs once under the key `req.key` of each `user.id`, claimed in the store `orders`.
/// - Its answer is given to repeats for 1day.
/// - Whoever has its effects recognises a repeat.
async fn create_order(
    user: &User,
    req: &CreateOrder,
) -> Result<OrderCreated, OrderError> {
    let mut __resilient_call = ::resilient::__private::Call::new({
        static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
            "create_order",
            ::core::module_path!(),
            ::core::file!(),
            ::core::line!(),
            &[
                ::resilient::__private::Said::Retry(
                    ::resilient::__private::RetryOverrides::new().max(3),
                ),
                ::resilient::__private::Said::Idempotent,
                ::resilient::__private::Said::Claiming(
                    ::resilient::__private::ClaimOverrides::of("orders")
                        .effects(::resilient::__private::Effects::Keyed)
                        .ttl(::core::time::Duration::from_secs(86400)),
                ),
            ],
        );
        ::resilient::__private::inventory::submit! {
            & __RESILIENT_SITE
        }
        &__RESILIENT_SITE
    });
    let mut __resilient_asked = ::resilient::__private::Asked::new(
        &__resilient_call,
        ::resilient::__private::scope_of(&user.id),
        ::resilient::__private::key_of(&req.key),
    );
    __resilient_asked.fingerprint(&req);
    let __resilient_keeping = ::resilient::__private::Keeping {
        answer: ::resilient::__private::kept::<_>(),
        failure: ::core::option::Option::None,
        resource: ::core::option::Option::None,
    };
    let __resilient_known = match __resilient_asked.begin().await {
        ::core::ops::ControlFlow::Break(__resilient_known) => __resilient_known,
        ::core::ops::ControlFlow::Continue(__resilient_running) => {
            match {
                let __resilient_driven = __resilient_running
                    .drive(
                        ::core::pin::pin!(
                            async { let mut __resilient_last =
                            ::core::option::Option::None; let __resilient_ret = loop {
                            let mut __resilient_out = __resilient_call.attempt(async { if
                            false { return ::resilient::__private::returned:: < Result <
                            OrderCreated, OrderError > > (); } #[allow(unused_braces)] {
                            place(user, req). await } }). await;
                            ::resilient::__private::settle_by_traits:: < Result <
                            OrderCreated, OrderError >, _ > (& mut __resilient_call, &
                            mut __resilient_out, & mut __resilient_last); if let
                            ::core::option::Option::Some(__resilient_ret) =
                            __resilient_out { break __resilient_ret; } }; let
                            __resilient_left = ::resilient::__private::left:: < Result <
                            OrderCreated, OrderError >, _, _, _, _ > (& __resilient_call,
                            & __resilient_ret, & __resilient_keeping,
                            ::resilient::__private::by_trait:: < _ > (), | _ | false,);
                            (__resilient_ret, __resilient_left) }
                        ),
                    )
                    .await;
                ::resilient::__private::ended(&mut __resilient_call, __resilient_driven)
                    .await
            } {
                ::core::ops::ControlFlow::Break(__resilient_known) => __resilient_known,
                ::core::ops::ControlFlow::Continue(__resilient_ret) => {
                    return __resilient_ret;
                }
            }
        }
    };
    return ::resilient::__private::repeated::<
        Result<OrderCreated, OrderError>,
        _,
        _,
        _,
    >(
        &mut __resilient_call,
        __resilient_known,
        &__resilient_keeping,
        ::resilient::__private::rejected::<_>,
    );
}
