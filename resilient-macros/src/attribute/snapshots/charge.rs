/// Takes the money.
///
/// # Effective policy
///
/// - Up to 4 attempts, with full jitter.
/// - Each attempt is cut after 5s.
/// - Guarded by the breaker of `payment`.
/// - Said to be safe to repeat under its idempotency key.
pub async fn charge(api: &Api, order: &Order) -> Result<Charge, ChargeError> {
    let mut __resilient_call = ::resilient::__private::Call::new({
        static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
            "charge",
            ::core::module_path!(),
            ::core::file!(),
            ::core::line!(),
            &[
                ::resilient::__private::Said::Retry(
                    ::resilient::__private::RetryOverrides::new()
                        .max(4)
                        .jitter(::resilient::__private::Jitter::Full),
                ),
                ::resilient::__private::Said::Breaker("payment"),
                ::resilient::__private::Said::Timeout(
                    ::core::time::Duration::from_secs(5),
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
                    return ::resilient::__private::returned::<
                        Result<Charge, ChargeError>,
                    >();
                }
                {
                    let answer = api.post("/charges", order).await?;
                    Ok(answer.into())
                }
            })
            .await;
        ::resilient::__private::settle_by_traits::<
            Result<Charge, ChargeError>,
            _,
        >(&mut __resilient_call, &mut __resilient_out, &mut __resilient_last);
        if let ::core::option::Option::Some(__resilient_ret) = __resilient_out {
            return __resilient_ret;
        }
    }
}
