/// A client.
impl<const N: usize> Gateway for Client<{ N }> {
    #![allow(dead_code)]
    const LIMITS: Limits = Limits { calls: 3 };
    type Answer = [u8; 3];
    checked! {}
    fn untouched(&self) -> Limit<{ N }> {
        Limit
    }
    /// Takes the money.
    ///
    /// # Effective policy
    ///
    /// - Up to 4 attempts, with full jitter.
    /// - Each attempt is cut after 5s.
    /// - Said to be safe to repeat.
    /// - As registered for `payment`: other retry settings, budget, breaker, bulkhead, deadline.
    pub(crate) async fn charge(&self) -> Result<u32, Error> {
        let mut __resilient_call = ::resilient::__private::Call::new({
            static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
                "Client::charge",
                ::core::module_path!(),
                ::core::file!(),
                ::core::line!(),
                &[
                    ::resilient::__private::Said::Dependency("payment"),
                    ::resilient::__private::Said::Retry(
                        ::resilient::__private::RetryOverrides::new()
                            .max(4)
                            .jitter(::resilient::__private::Jitter::Full),
                    ),
                    ::resilient::__private::Said::Timeout(
                        ::core::time::Duration::from_secs(5),
                    ),
                    ::resilient::__private::Said::Idempotent,
                ],
            );
            ::resilient::__private::inventory::submit! {
                & __RESILIENT_SITE
            }
            &__RESILIENT_SITE
        });
        let mut __resilient_last = ::core::option::Option::None;
        loop {
            let mut __resilient_out = __resilient_call
                .attempt(async {
                    if false {
                        return ::resilient::__private::returned::<Result<u32, Error>>();
                    }
                    #[allow(unused_braces)] { self.post("/charges").await }
                })
                .await;
            ::resilient::__private::settle_by_traits::<
                Result<u32, Error>,
                _,
            >(&mut __resilient_call, &mut __resilient_out, &mut __resilient_last);
            if let ::core::option::Option::Some(__resilient_ret) = __resilient_out {
                return __resilient_ret;
            }
        }
    }
    async fn refund(&self, order: &Order) -> Result<u32, Error> {
        let mut __resilient_call = ::resilient::__private::Call::new({
            static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
                "Client::refund",
                ::core::module_path!(),
                ::core::file!(),
                ::core::line!(),
                &[
                    ::resilient::__private::Said::Dependency("payment"),
                    ::resilient::__private::Said::Retry(
                        ::resilient::__private::RetryOverrides::new()
                            .max(2)
                            .jitter(::resilient::__private::Jitter::Full),
                    ),
                    ::resilient::__private::Said::Timeout(
                        ::core::time::Duration::from_secs(1),
                    ),
                    ::resilient::__private::Said::Keyed,
                ],
            );
            ::resilient::__private::inventory::submit! {
                & __RESILIENT_SITE
            }
            &__RESILIENT_SITE
        });
        __resilient_call.set_key(&order.id);
        let mut __resilient_last = ::core::option::Option::None;
        loop {
            let mut __resilient_out = __resilient_call
                .attempt(async {
                    if false {
                        return ::resilient::__private::returned::<Result<u32, Error>>();
                    }
                    #[allow(unused_braces)] { self.post("/refunds").await }
                })
                .await;
            ::resilient::__private::settle_by_traits::<
                Result<u32, Error>,
                _,
            >(&mut __resilient_call, &mut __resilient_out, &mut __resilient_last);
            if let ::core::option::Option::Some(__resilient_ret) = __resilient_out {
                return __resilient_ret;
            }
        }
    }
    #[cfg(feature = "net")]
    #[cfg_attr(feature = "net", inline)]
    async fn status(&self) -> Result<u32, Error> {
        let mut __resilient_call = ::resilient::__private::Call::new({
            static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
                "Client::status",
                ::core::module_path!(),
                ::core::file!(),
                ::core::line!(),
                &[
                    ::resilient::__private::Said::Name("status"),
                    ::resilient::__private::Said::Dependency("payment"),
                    ::resilient::__private::Said::Retry(
                        ::resilient::__private::RetryOverrides::new()
                            .max(4)
                            .jitter(::resilient::__private::Jitter::Full),
                    ),
                    ::resilient::__private::Said::Timeout(
                        ::core::time::Duration::from_secs(5),
                    ),
                    ::resilient::__private::Said::Idempotent,
                ],
            );
            ::resilient::__private::inventory::submit! {
                & __RESILIENT_SITE
            }
            &__RESILIENT_SITE
        });
        let mut __resilient_last = ::core::option::Option::None;
        loop {
            let mut __resilient_out = __resilient_call
                .attempt(async {
                    if false {
                        return ::resilient::__private::returned::<Result<u32, Error>>();
                    }
                    #[allow(unused_braces)] { Ok(1) }
                })
                .await;
            ::resilient::__private::settle_by_traits::<
                Result<u32, Error>,
                _,
            >(&mut __resilient_call, &mut __resilient_out, &mut __resilient_last);
            if let ::core::option::Option::Some(__resilient_ret) = __resilient_out {
                return __resilient_ret;
            }
        }
    }
    #[cfg(not(feature = "net"))]
    #[cfg_attr(feature = "net", inline)]
    async fn status(&self) -> Result<u32, Error> {
        Ok(1)
    }
}
