async fn call(&self) -> Result<u32, Error> {
    let mut __resilient_call = ::facade::resilient::__private::Call::within(
        &self.registries[0],
        {
            static __RESILIENT_SITE: ::facade::resilient::__private::Site = ::facade::resilient::__private::Site::new(
                "call",
                ::core::module_path!(),
                ::core::file!(),
                ::core::line!(),
                &[
                    ::facade::resilient::__private::Said::Name("charge-card"),
                    ::facade::resilient::__private::Said::Dependency("payment"),
                    ::facade::resilient::__private::Said::Retry(
                        ::facade::resilient::__private::RetryOverrides::new()
                            .max(MAX)
                            .base(::core::time::Duration::from_millis(100))
                            .cap(CAP)
                            .factor(2.0)
                            .jitter(::facade::resilient::__private::Jitter::Decorrelated)
                            .retry_after_cap(::core::time::Duration::from_secs(90)),
                    ),
                    ::facade::resilient::__private::Said::NestedSuppress,
                    ::facade::resilient::__private::Said::Breaker(
                        ::facade::resilient::__private::checked::name(BREAKER),
                    ),
                    ::facade::resilient::__private::Said::BreakerPer(
                        ::facade::resilient::__private::Per::Call,
                    ),
                    ::facade::resilient::__private::Said::Budget("shared"),
                    ::facade::resilient::__private::Said::Bulkhead("pool"),
                    ::facade::resilient::__private::Said::Timeout(
                        ::facade::resilient::__private::checked::timeout(limits::TIMEOUT),
                    ),
                    ::facade::resilient::__private::Said::Deadline(
                        ::core::time::Duration::from_secs(15),
                    ),
                    ::facade::resilient::__private::Said::Keyed,
                ],
            );
            ::facade::resilient::__private::inventory::submit! {
                & __RESILIENT_SITE
            }
            &__RESILIENT_SITE
        },
    );
    __resilient_call.draw_key();
    __resilient_call.set_breaker_key(&self.shard);
    let mut __resilient_last = ::core::option::Option::None;
    loop {
        let mut __resilient_out = __resilient_call
            .attempt(async {
                if false {
                    return ::facade::resilient::__private::returned::<
                        Result<u32, Error>,
                    >();
                }
                #[allow(unused_braces)] { self.api.get().await }
            })
            .await;
        ::facade::resilient::__private::settle::<
            Result<u32, Error>,
            _,
            _,
            _,
            _,
        >(
            &mut __resilient_call,
            &mut __resilient_out,
            &mut __resilient_last,
            ::facade::resilient::__private::ByFn(judge::<u32>),
            Error::refused,
        );
        if let ::core::option::Option::Some(__resilient_ret) = __resilient_out {
            return __resilient_ret;
        }
    }
}
