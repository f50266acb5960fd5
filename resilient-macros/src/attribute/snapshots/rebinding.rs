async fn r#move(
    sink: &mut Sink,
    body: Vec<u8>,
    r#type: String,
    (first, second): (u8, u8),
    #[cfg(feature = "trace")]
    depth: u32,
    plain: String,
) -> Result<(), Error> {
    #![allow(unused_variables)]
    let mut __resilient_call = ::resilient::__private::Call::new({
        static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
            "move",
            ::core::module_path!(),
            ::core::file!(),
            ::core::line!(),
            &[::resilient::__private::Said::RetryFrom("payment")],
        );
        ::resilient::__private::inventory::submit! {
            & __RESILIENT_SITE
        }
        &__RESILIENT_SITE
    });
    let mut __resilient_last = ::core::option::Option::None;
    loop {
        let __resilient_clone_body = ::core::clone::Clone::clone(&body);
        let __resilient_clone_type = ::core::clone::Clone::clone(&r#type);
        let mut __resilient_out = __resilient_call
            .attempt(async {
                if false {
                    return ::resilient::__private::returned::<Result<(), Error>>();
                }
                #[allow(
                    clippy::shadow_reuse,
                    clippy::shadow_same,
                    clippy::shadow_unrelated
                )]
                let (sink, body, mut r#type, mut second) = (
                    &mut *sink,
                    __resilient_clone_body,
                    __resilient_clone_type,
                    second,
                );
                #[cfg(feature = "trace")]
                #[allow(
                    clippy::shadow_reuse,
                    clippy::shadow_same,
                    clippy::shadow_unrelated
                )]
                let mut depth = depth;
                {
                    second += 1;
                    sink.send(body, r#type, second).await
                }
            })
            .await;
        ::resilient::__private::settle_by_traits::<
            Result<(), Error>,
            _,
        >(&mut __resilient_call, &mut __resilient_out, &mut __resilient_last);
        if let ::core::option::Option::Some(__resilient_ret) = __resilient_out {
            return __resilient_ret;
        }
    }
}
