async fn create_order(api: &Api, key: &str) -> Result<Order, OrderError> {
    let mut __resilient_call = ::resilient::__private::Call::new({
        static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
            "create_order",
            ::core::module_path!(),
            ::core::file!(),
            ::core::line!(),
            &[
                ::resilient::__private::Said::NotIdempotent,
                ::resilient::__private::Said::Claiming(
                    ::resilient::__private::ClaimOverrides::of(STORE)
                        .effects(::resilient::__private::Effects::Unkeyed)
                        .ttl(TTL)
                        .tombstone(::core::time::Duration::from_secs(604800))
                        .lease(::core::time::Duration::from_secs(10))
                        .max_run(::core::time::Duration::from_secs(60))
                        .wait(::core::time::Duration::from_secs(2)),
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
        failure: ::core::option::Option::Some(
            ::resilient::__private::kept_failure::<_>(),
        ),
        resource: ::core::option::Option::Some(order),
    };
    let __resilient_ret = '__resilient: {
        let __resilient_known = match match __resilient_asked.find().await {
            ::resilient::__private::Found::Begun(__resilient_begins) => {
                __resilient_begins
            }
            ::resilient::__private::Found::Uncertain(__resilient_record) => {
                let __resilient_resolution = __resilient_keeping
                    .resolution(look_up(&*__resilient_record, &api, &key).await);
                __resilient_asked
                    .found_out(__resilient_record, __resilient_resolution)
                    .await
            }
        } {
            ::core::ops::ControlFlow::Break(__resilient_known) => __resilient_known,
            ::core::ops::ControlFlow::Continue(__resilient_running) => {
                match {
                    let __resilient_driven = __resilient_running
                        .drive(
                            ::core::pin::pin!(
                                async { let __resilient_out = __resilient_call.attempt(async
                                { if false { return ::resilient::__private::returned:: <
                                Result < Order, OrderError > > (); } #[allow(unused_braces)]
                                { api.create(key). await } }). await; let __resilient_ret =
                                ::resilient::__private::finish:: < Result < Order,
                                OrderError >, _, _, _ > (& mut __resilient_call,
                                __resilient_out, ::resilient::__private::by_trait:: < _ >
                                (), ::resilient::__private::rejected:: < _ >,); let
                                __resilient_left = ::resilient::__private::left:: < Result <
                                Order, OrderError >, _, _, _, _ > (& __resilient_call, &
                                __resilient_ret, & __resilient_keeping,
                                ::resilient::__private::by_trait:: < _ > (), refused,);
                                (__resilient_ret, __resilient_left) }
                            ),
                        )
                        .await;
                    ::resilient::__private::ended(
                            &mut __resilient_call,
                            __resilient_driven,
                        )
                        .await
                } {
                    ::core::ops::ControlFlow::Break(__resilient_known) => {
                        __resilient_known
                    }
                    ::core::ops::ControlFlow::Continue(__resilient_ret) => {
                        break '__resilient __resilient_ret;
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
    };
    let __resilient_failure = match ::resilient::__private::fall_back::<
        Result<Order, OrderError>,
        _,
        _,
    >(&__resilient_call, __resilient_ret, ::resilient::__private::by_trait::<_>()) {
        ::core::ops::ControlFlow::Break(__resilient_ret) => return __resilient_ret,
        ::core::ops::ControlFlow::Continue(__resilient_failure) => __resilient_failure,
    };
    let __resilient_ret: Result<Order, OrderError> = later(__resilient_failure, &key)
        .await;
    ::resilient::__private::fell_back(&__resilient_call, &__resilient_ret);
    return __resilient_ret;
}
