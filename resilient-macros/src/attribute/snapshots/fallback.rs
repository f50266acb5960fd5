async fn price(item: &Item) -> Result<Price, PriceError> {
    let mut __resilient_call = ::resilient::__private::Call::new({
        static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
            "price",
            ::core::module_path!(),
            ::core::file!(),
            ::core::line!(),
            &[
                ::resilient::__private::Said::Dependency("prices"),
                ::resilient::__private::Said::Idempotent,
            ],
        );
        ::resilient::__private::inventory::submit! {
            & __RESILIENT_SITE
        }
        &__RESILIENT_SITE
    });
    let mut __resilient_last = ::core::option::Option::None;
    let __resilient_ret = loop {
        let mut __resilient_out = __resilient_call
            .attempt(async {
                if false {
                    return ::resilient::__private::returned::<
                        Result<Price, PriceError>,
                    >();
                }
                #[allow(unused_braces)] { ask(item).await }
            })
            .await;
        ::resilient::__private::settle_by_traits::<
            Result<Price, PriceError>,
            _,
        >(&mut __resilient_call, &mut __resilient_out, &mut __resilient_last);
        if let ::core::option::Option::Some(__resilient_ret) = __resilient_out {
            break __resilient_ret;
        }
    };
    let __resilient_failure = match ::resilient::__private::fall_back::<
        Result<Price, PriceError>,
        _,
        _,
    >(&__resilient_call, __resilient_ret, ::resilient::__private::by_trait::<_>()) {
        ::core::ops::ControlFlow::Break(__resilient_ret) => return __resilient_ret,
        ::core::ops::ControlFlow::Continue(__resilient_failure) => __resilient_failure,
    };
    let __resilient_ret: Result<Price, PriceError> = remembered(
            __resilient_failure,
            &item,
        )
        .await;
    ::resilient::__private::fell_back(&__resilient_call, &__resilient_ret);
    return __resilient_ret;
}
