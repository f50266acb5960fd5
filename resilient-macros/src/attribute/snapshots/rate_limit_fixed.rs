async fn search(query: &str) -> Result<Found, SearchError> {
    let mut __resilient_call = ::resilient::__private::Call::new({
        static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
            "search",
            ::core::module_path!(),
            ::core::file!(),
            ::core::line!(),
            &[
                ::resilient::__private::Said::Limiter(
                    ::resilient::__private::checked::name(API),
                ),
                ::resilient::__private::Said::LimiterCost(5),
                ::resilient::__private::Said::LimiterMaxWait(limits::WAIT),
            ],
        );
        ::resilient::__private::inventory::submit! {
            & __RESILIENT_SITE
        }
        &__RESILIENT_SITE
    });
    let __resilient_out = __resilient_call
        .attempt(async {
            if false {
                return ::resilient::__private::returned::<Result<Found, SearchError>>();
            }
            #[allow(unused_braces)] { find(query).await }
        })
        .await;
    return ::resilient::__private::finish::<
        Result<Found, SearchError>,
        _,
        _,
        _,
    >(
        &mut __resilient_call,
        __resilient_out,
        ::resilient::__private::Unclassified,
        ::resilient::__private::rejected::<_>,
    );
}
