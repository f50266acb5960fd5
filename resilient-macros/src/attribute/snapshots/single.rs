async fn send(
    mut parts: Vec<u8>,
    sink: &mut Sink,
) -> Result<impl Iterator<Item = u8>, Error> {
    let mut __resilient_call = ::resilient::__private::Call::new({
        static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
            "send",
            ::core::module_path!(),
            ::core::file!(),
            ::core::line!(),
            &[
                ::resilient::__private::Said::Bulkhead("pool"),
                ::resilient::__private::Said::Timeout(
                    ::core::time::Duration::from_micros(1500),
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
                return ::resilient::__private::returned::<Result<_, Error>>();
            }
            {
                parts.push(0);
                sink.send(&parts).await?;
                Ok(parts.into_iter())
            }
        })
        .await;
    return ::resilient::__private::finish::<
        Result<_, Error>,
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
