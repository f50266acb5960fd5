async fn search(index: &Index, query: Query) -> Result<Hits, SearchError> {
    let mut __resilient_call = ::resilient::__private::Call::new({
        static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
            "search",
            ::core::module_path!(),
            ::core::file!(),
            ::core::line!(),
            &[
                ::resilient::__private::Said::Retry(
                    ::resilient::__private::RetryOverrides::new().max(2),
                ),
                ::resilient::__private::Said::Hedge(
                    ::resilient::__private::HedgeOverrides::new().quantile(0.95).max(3),
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
        let mut __resilient_copies = ::resilient::__private::Copies::none();
        let mut __resilient_out = loop {
            let __resilient_clone_query = ::resilient::__private::Owned::clone_of(
                &query,
            );
            __resilient_copies
                .start(async {
                    if false {
                        return ::resilient::__private::returned::<
                            Result<Hits, SearchError>,
                        >();
                    }
                    #[allow(
                        clippy::shadow_reuse,
                        clippy::shadow_same,
                        clippy::shadow_unrelated
                    )]
                    let query = __resilient_clone_query.take();
                    #[allow(unused_braces)] { index.ask(query).await }
                });
            if let ::core::ops::ControlFlow::Break(__resilient_out) = ::resilient::__private::race(
                    &mut __resilient_call,
                    &mut __resilient_copies,
                    |__resilient_call, __resilient_out| {
                        ::resilient::__private::succeeded::<
                            Result<Hits, SearchError>,
                            _,
                            _,
                        >(
                            __resilient_call,
                            __resilient_out,
                            ::resilient::__private::by_trait::<_>(),
                        )
                    },
                )
                .await
            {
                break __resilient_out;
            }
        };
        ::resilient::__private::settle_by_traits::<
            Result<Hits, SearchError>,
            _,
        >(&mut __resilient_call, &mut __resilient_out, &mut __resilient_last);
        if let ::core::option::Option::Some(__resilient_ret) = __resilient_out {
            return __resilient_ret;
        }
    }
}
