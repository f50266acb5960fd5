async fn search(user: &User, items: &[Item]) -> Result<Found, SearchError> {
    let mut __resilient_call = ::resilient::__private::Call::new({
        static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
            "search",
            ::core::module_path!(),
            ::core::file!(),
            ::core::line!(),
            &[
                ::resilient::__private::Said::Retry(
                    ::resilient::__private::RetryOverrides::new().max(3),
                ),
                ::resilient::__private::Said::Limiter("api"),
                ::resilient::__private::Said::LimiterMaxWait(
                    ::core::time::Duration::from_millis(200),
                ),
            ],
        );
        ::resilient::__private::inventory::submit! {
            & __RESILIENT_SITE
        }
        &__RESILIENT_SITE
    });
    __resilient_call.set_rate_limit_key(&user.id);
    __resilient_call.set_rate_limit_cost(&(items.len() as u32));
    let mut __resilient_last = ::core::option::Option::None;
    loop {
        let mut __resilient_out = __resilient_call
            .attempt(async {
                if false {
                    return ::resilient::__private::returned::<
                        Result<Found, SearchError>,
                    >();
                }
                #[allow(unused_braces)] { find(items).await }
            })
            .await;
        ::resilient::__private::settle_by_traits::<
            Result<Found, SearchError>,
            _,
        >(&mut __resilient_call, &mut __resilient_out, &mut __resilient_last);
        if let ::core::option::Option::Some(__resilient_ret) = __resilient_out {
            return __resilient_ret;
        }
    }
}
