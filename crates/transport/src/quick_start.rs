//! Quick-Start at the endpoints: the request on the SYN, the response of the receiver, and whether
//! the sender may believe it (RFC 4782 §4).

use crate::narrow::wrapped;
use flowstart_control::Rate;
use flowstart_control::RateCodes;
use flowstart_wire::{RateReport, RateRequest, RateResponse};

/// The IP TTL with which packets leave a host.
const INITIAL_TTL: u8 = 64;
/// The nonce has thirty bits (§3.1).
const NONCE_BITS: u32 = 30;

/// What a sender remembers of its request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    codes: RateCodes,
    code: u8,
    ttl_diff: u8,
    nonce: u32,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Answer {
    /// The rate, where all routers approved one.
    pub approved: Option<Rate>,
    /// What the first data segment is to report to the routers (§4.5): also that nothing was
    /// approved.
    pub report: RateReport,
}

impl Asked {
    /// A request for `rate`; `secret` is what neither routers nor the receiver can guess.
    pub(crate) fn new(codes: RateCodes, rate: Rate, secret: u64) -> (Asked, RateRequest) {
        let [qs_ttl, ..] = secret.to_le_bytes();
        let request = RateRequest {
            code: codes.encode_down(rate),
            qs_ttl,
            ip_ttl: INITIAL_TTL,
            nonce: wrapped(secret >> 8) & low_bits(NONCE_BITS),
        };
        let asked = Asked {
            codes,
            code: request.code,
            ttl_diff: INITIAL_TTL.wrapping_sub(qs_ttl),
            nonce: request.nonce,
        };
        (asked, request)
    }

    /// §4.4: every router took part, the rate is no higher than the request, and no one
    /// raised the rate again on the way.
    pub(crate) fn validate(&self, response: Option<RateResponse>) -> Answer {
        let valid = response.filter(|r| {
            let unchanged = low_bits(2 * u32::from(r.code).min(NONCE_BITS / 2));
            r.ttl_diff == self.ttl_diff
                && (1..=self.code).contains(&r.code)
                && r.nonce & unchanged == self.nonce & unchanged
        });
        Answer {
            approved: valid.map(|r| self.codes.decode(r.code)),
            report: RateReport {
                code: valid.map_or(0, |r| r.code),
                nonce: self.nonce,
            },
        }
    }
}

/// §4.3: what a receiver returns; a request that was refused has no answer.
pub(crate) fn respond(request: RateRequest) -> Option<RateResponse> {
    (request.code > 0).then(|| RateResponse {
        code: request.code,
        ttl_diff: request.ip_ttl.wrapping_sub(request.qs_ttl),
        nonce: request.nonce,
    })
}

fn low_bits(n: u32) -> u32 {
    wrapped((1u64 << n) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE_11: Rate = Rate(81_920_000);

    fn asked() -> (Asked, RateRequest) {
        Asked::new(RateCodes::Powers, CODE_11, 0x2AAA_AAAA << 8 | 0x5B)
    }

    fn approved(change: impl FnOnce(&mut RateResponse)) -> Option<Rate> {
        let (asked, request) = asked();
        let mut response = respond(request).unwrap();
        change(&mut response);
        asked.validate(Some(response)).approved
    }

    #[test]
    fn an_untouched_request_is_approved_as_it_was() {
        assert_eq!(asked().1.nonce, 0x2AAA_AAAA);
        assert_eq!(approved(|_| {}), Some(CODE_11));
    }

    #[test]
    fn ttl_difference_shows_a_router_that_did_not_take_part() {
        let difference = |ip_ttl, qs_ttl| {
            let request = RateRequest {
                ip_ttl,
                qs_ttl,
                ..asked().1
            };
            respond(request).unwrap().ttl_diff
        };
        assert_eq!(difference(63, 91), 228);
        assert_eq!(difference(61, 89), 228);
        assert_eq!(difference(61, 90), 227);
        assert_eq!(approved(|r| r.ttl_diff = r.ttl_diff.wrapping_sub(1)), None);
    }

    #[test]
    fn a_lowered_rate_may_have_changed_only_the_nonce_above_it() {
        let lower = |nonce| {
            approved(|r| {
                r.code = 8;
                r.nonce = nonce;
            })
        };
        assert_eq!(lower(0x2AAA_AAAA), Some(Rate(10_240_000)));
        assert_eq!(lower(0x2AAA_AAAA ^ 0x003F_0000), Some(Rate(10_240_000)));
        assert_eq!(lower(0x2AAA_AAAA ^ 0x0000_8000), None);
    }

    #[test]
    fn a_rate_above_the_one_asked_for_is_not_believed() {
        assert_eq!(approved(|r| r.code = 12), None);
    }

    #[test]
    fn refusal_and_silence_are_reported_too() {
        let (asked, request) = asked();
        assert_eq!(respond(RateRequest { code: 0, ..request }), None);
        let answer = asked.validate(None);
        assert_eq!(answer.approved, None);
        let report = RateReport {
            code: 0,
            nonce: 0x2AAA_AAAA,
        };
        assert_eq!(answer.report, report);
    }
}
