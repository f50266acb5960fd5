fn pay<'life0, 'life1, 'async_trait>(
    &'life0 mut self,
    id: String,
    count: u32,
    sink: &'life1 mut Sink,
) -> ::core::pin::Pin<
    Box<
        dyn ::core::future::Future<
            Output = Result<u32, Error>,
        > + ::core::marker::Send + 'async_trait,
    >,
>
where
    'life0: 'async_trait,
    'life1: 'async_trait,
    Self: 'async_trait,
{
    Box::pin(async move {
        if let ::core::option::Option::Some(__ret) = ::core::option::Option::None::<
            Result<u32, Error>,
        > {
            #[allow(unreachable_code)] return __ret;
        }
        let __self = self;
        let id = id;
        let count = count;
        let __ret: Result<u32, Error> = {
            let mut __resilient_call = ::resilient::__private::Call::new({
                static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
                    "pay",
                    ::core::module_path!(),
                    ::core::file!(),
                    ::core::line!(),
                    &[
                        ::resilient::__private::Said::Retry(
                            ::resilient::__private::RetryOverrides::new().max(3),
                        ),
                        ::resilient::__private::Said::Keyed,
                    ],
                );
                ::resilient::__private::inventory::submit! {
                    & __RESILIENT_SITE
                }
                &__RESILIENT_SITE
            });
            __resilient_call.set_key(&__self.next(&id));
            let mut __resilient_last = ::core::option::Option::None;
            loop {
                let __resilient_clone_id = ::core::clone::Clone::clone(&id);
                let mut __resilient_out = __resilient_call
                    .attempt(async {
                        if false {
                            return ::resilient::__private::returned::<
                                Result<u32, Error>,
                            >();
                        }
                        #[allow(
                            clippy::shadow_reuse,
                            clippy::shadow_same,
                            clippy::shadow_unrelated
                        )]
                        let (id, mut count, sink, __self) = (
                            __resilient_clone_id,
                            count,
                            &mut *sink,
                            &mut *__self,
                        );
                        {
                            count += 1;
                            __self.pay(id, count, sink).await
                        }
                    })
                    .await;
                ::resilient::__private::settle::<
                    Result<u32, Error>,
                    _,
                    _,
                    _,
                    _,
                >(
                    &mut __resilient_call,
                    &mut __resilient_out,
                    &mut __resilient_last,
                    ::resilient::__private::When(Error::is_transient),
                    ::resilient::__private::rejected::<_>,
                );
                if let ::core::option::Option::Some(__resilient_ret) = __resilient_out {
                    return __resilient_ret;
                }
            }
        };
        #[allow(unreachable_code)] __ret
    })
}
