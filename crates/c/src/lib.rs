//! Startups and congestion controls for C: `include/flowstart.h` and a static library.
//!
//! A transport makes a session for each connection, reports what happens, and obeys the window and the
//! pacing rate. Times are nanoseconds of one clock; positions and sizes are bytes of payload. A session is
//! used by one thread at a time.
#![allow(unsafe_code, reason = "pointers from C, and exported names")]

use flowstart_control::session::{Session, UndoRule};
use flowstart_control::signals::{Ack, Established, PathInfo, Sent};
use flowstart_control::{Convention, Duration, Instant, Window, catalog};
use std::ffi::{CStr, c_char};

/// A startup, the congestion control that follows it, and their window.
pub struct FlowstartSession(Session);

/// An acknowledgement.
#[repr(C)]
pub struct FlowstartAck {
    /// Time now.
    pub now_ns: u64,
    /// Bytes acknowledged cumulatively for the first time.
    pub acked: u64,
    /// Bytes reported as received for the first time, cumulatively or selectively.
    pub delivered: u64,
    /// Bytes by which the window may grow.
    pub credit: u64,
    /// All bytes reported as received so far.
    pub delivered_total: u64,
    /// The round-trip time that it gives; zero where it gives none.
    pub rtt_ns: u64,
    /// The smoothed round-trip time; zero before there is a sample.
    pub srtt_ns: u64,
    /// Position of the first byte not yet acknowledged.
    pub una: u64,
    /// Position of the next new byte.
    pub nxt: u64,
    /// Bytes in flight.
    pub flight: u64,
    /// Bytes that the application has queued and not yet sent.
    pub queued: u64,
    /// The peer's advertised window.
    pub peer_window: u64,
    /// The congestion window held the flight back.
    pub cwnd_limited: bool,
    /// A recovery is under way.
    pub in_recovery: bool,
}

/// Makes a session: a startup and a congestion control by name, with parameters
/// (`hystart-plus-plus:css_rounds=3`), for segments of `mss` bytes. Returns null where a name or a
/// parameter is not valid, and writes why into `error`, at most `error_size` bytes with the final zero.
///
/// # Safety
///
/// `startup` and `cc` are strings that end with a zero. `error` is null or has room for `error_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn flowstart_session_new(
    startup: *const c_char,
    cc: *const c_char,
    mss: u32,
    error: *mut c_char,
    error_size: usize,
) -> *mut FlowstartSession {
    // SAFETY: the caller's promise.
    let texts = unsafe { [text(startup), text(cc)] };
    match session(texts, mss) {
        Ok(session) => Box::into_raw(Box::new(FlowstartSession(session))),
        Err(problem) => {
            // SAFETY: the caller's promise.
            unsafe { write(&problem, error, error_size) };
            std::ptr::null_mut()
        }
    }
}

fn session(texts: [Option<&str>; 2], mss: u32) -> Result<Session, String> {
    let [Some(startup), Some(cc)] = texts else {
        return Err("startup and cc: not a string of UTF-8".into());
    };
    if mss == 0 {
        return Err("mss: 0 is not a number of bytes from 1".into());
    }
    let controller = catalog::controller(startup, cc, Convention::RFC);
    let controller = controller.map_err(|e| e.to_string())?;
    if controller.wants_delivery() {
        return Err(format!(
            "startup `{startup}`, cc `{cc}`: needs samples of the delivery rate, which the C interface lacks"
        ));
    }
    Ok(Session::new(controller, Window::new(mss), UndoRule::Eifel))
}

/// The text, where it is one.
unsafe fn text<'a>(of: *const c_char) -> Option<&'a str> {
    if of.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(of) }.to_str().ok()
}

unsafe fn write(problem: &str, into: *mut c_char, size: usize) {
    if into.is_null() || size == 0 {
        return;
    }
    let length = problem.len().min(size - 1);
    // SAFETY: there is room for `size` bytes.
    unsafe {
        std::ptr::copy_nonoverlapping(problem.as_ptr().cast(), into, length);
        *into.add(length) = 0;
    }
}

/// Frees a session; null is permitted.
///
/// # Safety
///
/// `session` is null or one of [`flowstart_session_new`] that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn flowstart_session_free(session: *mut FlowstartSession) {
    if !session.is_null() {
        // SAFETY: the caller's promise.
        drop(unsafe { Box::from_raw(session) });
    }
}

/// The handshake is complete: opens a window of so many segments. `rtt_ns` is its round-trip time, zero
/// where none was measured; `queued` the bytes that the application has to send.
///
/// # Safety
///
/// `session` is one of [`flowstart_session_new`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn flowstart_on_established(
    session: *mut FlowstartSession,
    now_ns: u64,
    rtt_ns: u64,
    initial_window: f64,
    queued: u64,
) {
    // SAFETY: the caller's promise.
    let s = unsafe { &mut (*session).0 };
    let rtt = (rtt_ns > 0).then_some(Duration(rtt_ns));
    let known = PathInfo {
        exact_rtt: rtt,
        ..PathInfo::default()
    };
    let header = s.window.header;
    s.on_established(
        &known,
        &Established {
            initial_window,
            rtt,
            queued,
            header,
            ..Established::at(Instant(now_ns))
        },
    );
}

/// A segment has left; `flight` counts it.
///
/// # Safety
///
/// `session` is one of [`flowstart_session_new`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn flowstart_on_sent(
    session: *mut FlowstartSession,
    now_ns: u64,
    seq: u64,
    bytes: u32,
    retransmission: bool,
    flight: u64,
) {
    // SAFETY: the caller's promise.
    let s = unsafe { &mut (*session).0 };
    s.on_sent(&Sent {
        now: Instant(now_ns),
        bytes,
        seq,
        retransmission,
        flight,
    });
}

/// An acknowledgement has arrived.
///
/// # Safety
///
/// `session` is one of [`flowstart_session_new`], and `ack` is not null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn flowstart_on_ack(
    session: *mut FlowstartSession,
    ack: *const FlowstartAck,
) {
    // SAFETY: the caller's promise.
    let s = unsafe { &mut (*session).0 };
    // SAFETY: the caller's promise.
    let a = unsafe { &*ack };
    let signal = Ack {
        delivered: a.delivered,
        credit: a.credit,
        delivered_total: a.delivered_total,
        rtt: (a.rtt_ns > 0).then_some(Duration(a.rtt_ns)),
        srtt: Duration(a.srtt_ns),
        una: a.una,
        nxt: a.nxt,
        flight: a.flight,
        cwnd_limited: a.cwnd_limited,
        queued: a.queued,
        peer_window: a.peer_window,
        ..Ack::of(Instant(a.now_ns), a.acked)
    };
    match a.in_recovery {
        true => s.on_recovery_ack(&signal),
        false => s.on_ack(&signal),
    }
}

/// A loss was found, the first in its window.
///
/// # Safety
///
/// `session` is one of [`flowstart_session_new`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn flowstart_on_loss(
    session: *mut FlowstartSession,
    now_ns: u64,
    flight: u64,
) {
    // SAFETY: the caller's promise.
    let s = unsafe { &mut (*session).0 };
    s.on_loss(Instant(now_ns), flight, u64::MAX);
}

/// The recovery has ended, in which so many bytes were sent again.
///
/// # Safety
///
/// `session` is one of [`flowstart_session_new`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn flowstart_on_recovered(
    session: *mut FlowstartSession,
    now_ns: u64,
    retransmitted: u64,
    flight: u64,
) {
    // SAFETY: the caller's promise.
    let s = unsafe { &mut (*session).0 };
    s.on_recovered(Instant(now_ns), retransmitted, flight);
}

/// The retransmission timer has expired; `repeated` where it has before for the same data.
///
/// # Safety
///
/// `session` is one of [`flowstart_session_new`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn flowstart_on_timeout(
    session: *mut FlowstartSession,
    now_ns: u64,
    flight: u64,
    repeated: bool,
) {
    // SAFETY: the caller's promise.
    let s = unsafe { &mut (*session).0 };
    s.on_timeout(Instant(now_ns), flight, u64::MAX, repeated);
}

/// The congestion window.
///
/// # Safety
///
/// `session` is one of [`flowstart_session_new`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn flowstart_cwnd_bytes(session: *const FlowstartSession) -> u64 {
    // SAFETY: the caller's promise.
    let s = unsafe { &(*session).0 };
    s.window.cwnd_bytes()
}

/// The rate at which segments are to leave, headers included, in bits a second; zero where nothing is
/// paced.
///
/// # Safety
///
/// `session` is one of [`flowstart_session_new`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn flowstart_pacing_bps(session: *const FlowstartSession) -> u64 {
    // SAFETY: the caller's promise.
    let s = unsafe { &(*session).0 };
    s.window.pacing.map_or(0, |rate| rate.bps())
}

/// Whether the startup has ended.
///
/// # Safety
///
/// `session` is one of [`flowstart_session_new`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn flowstart_has_exited(session: *const FlowstartSession) -> bool {
    // SAFETY: the caller's promise.
    let s = unsafe { &(*session).0 };
    s.controller.exit().is_some()
}
