async fn price(item: &Item) -> Result<Price, PriceError> {
    let mut __resilient_call = ::resilient::__private::Call::new({
        static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
            "price",
            ::core::module_path!(),
            ::core::file!(),
            ::core::line!(),
            &[
                ::resilient::__private::Said::Timeout(
                    ::core::time::Duration::from_secs(1),
                ),
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
                return ::resilient::__private::returned::<Result<Price, PriceError>>();
            }
            #[allow(unused_braces)] { ask(item).await }
        })
        .await;
    let __resilient_ret = ::resilient::__private::finish::<
        Result<Price, PriceError>,
        _,
        _,
        _,
    >(
        &mut __resilient_call,
        __resilient_out,
        ::resilient::__private::by_trait::<_>(),
        PriceError::of,
    );
    let __resilient_failure = match ::resilient::__private::fall_back::<
        Result<Price, PriceError>,
        _,
        _,
    >(&__resilient_call, __resilient_ret, ::resilient::__private::by_trait::<_>()) {
        ::core::ops::ControlFlow::Break(__resilient_ret) => return __resilient_ret,
        ::core::ops::ControlFlow::Continue(__resilient_failure) => __resilient_failure,
    };
    let __resilient_time = {
        const __RESILIENT_TIME: ::core::time::Duration = ::resilient::__private::fallback_time(
            ::core::time::Duration::from_millis(200),
        );
        __RESILIENT_TIME
    };
    let __resilient_out: ::core::option::Option<Result<Price, PriceError>> = ::resilient::__private::in_time(
            remembered(__resilient_failure, &item),
            __resilient_time,
        )
        .await;
    return ::resilient::__private::fell_back_in_time::<
        Result<Price, PriceError>,
        _,
        _,
    >(&__resilient_call, __resilient_out, __resilient_time, PriceError::of);
}
