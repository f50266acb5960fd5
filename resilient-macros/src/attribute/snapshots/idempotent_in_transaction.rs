async fn create_order(tx: &mut Transaction<'_>, key: &str) -> Result<Order, OrderError> {
    let mut __resilient_call = ::resilient::__private::Call::new({
        static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
            "create_order",
            ::core::module_path!(),
            ::core::file!(),
            ::core::line!(),
            &[
                ::resilient::__private::Said::NotIdempotent,
                ::resilient::__private::Said::Claiming(
                    ::resilient::__private::ClaimOverrides::of("orders"),
                ),
            ],
        );
        ::resilient::__private::inventory::submit! {
            & __RESILIENT_SITE
        }
        &__RESILIENT_SITE
    });
    let __resilient_asked = ::resilient::__private::Asked::new(
        &__resilient_call,
        ::resilient::__private::shared(),
        ::resilient::__private::key_of(&key),
    );
    let __resilient_keeping = ::resilient::__private::Keeping {
        answer: ::resilient::__private::kept::<_>(),
        failure: ::core::option::Option::None,
        resource: ::core::option::Option::None,
    };
    let __resilient_known = match __resilient_asked
        .begin_in(::resilient::__private::lent(&mut *tx))
        .await
    {
        ::core::ops::ControlFlow::Break(__resilient_known) => __resilient_known,
        ::core::ops::ControlFlow::Continue(__resilient_running) => {
            match {
                let __resilient_driven = __resilient_running
                    .drive(
                        ::core::pin::pin!(
                            async { let __resilient_out = __resilient_call.attempt(async
                            { if false { return ::resilient::__private::returned:: <
                            Result < Order, OrderError > > (); }
                            #[allow(clippy::shadow_reuse, clippy::shadow_same,
                            clippy::shadow_unrelated)] let tx = & mut * tx;
                            #[allow(unused_braces)] { insert(tx, key). await } }). await;
                            let __resilient_ret = ::resilient::__private::finish:: <
                            Result < Order, OrderError >, _, _, _ > (& mut
                            __resilient_call, __resilient_out,
                            ::resilient::__private::Unclassified,
                            ::resilient::__private::rejected:: < _ >,); let
                            __resilient_left = ::resilient::__private::left_in:: < Result
                            < Order, OrderError >, _, _, _, _ > (& __resilient_call, &
                            __resilient_ret, & __resilient_keeping,
                            ::resilient::__private::Unclassified, | _ | false,);
                            (__resilient_ret, __resilient_left) }
                        ),
                    )
                    .await;
                ::resilient::__private::ended_in(
                        ::resilient::__private::lent(&mut *tx),
                        &mut __resilient_call,
                        __resilient_driven,
                    )
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
        Result<Order, OrderError>,
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
