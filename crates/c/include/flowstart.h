/* flowstart's startups and congestion controls for C. Written from crates/c/src/lib.rs. */

#ifndef FLOWSTART_H
#define FLOWSTART_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/**
 * A startup, the congestion control that follows it, and their window.
 */
typedef struct FlowstartSession FlowstartSession;

/**
 * An acknowledgement.
 */
typedef struct {
  /**
   * Time now.
   */
  uint64_t now_ns;
  /**
   * Bytes acknowledged cumulatively for the first time.
   */
  uint64_t acked;
  /**
   * Bytes reported as received for the first time, cumulatively or selectively.
   */
  uint64_t delivered;
  /**
   * Bytes by which the window may grow.
   */
  uint64_t credit;
  /**
   * All bytes reported as received so far.
   */
  uint64_t delivered_total;
  /**
   * The round-trip time that it gives; zero where it gives none.
   */
  uint64_t rtt_ns;
  /**
   * The smoothed round-trip time; zero before there is a sample.
   */
  uint64_t srtt_ns;
  /**
   * Position of the first byte not yet acknowledged.
   */
  uint64_t una;
  /**
   * Position of the next new byte.
   */
  uint64_t nxt;
  /**
   * Bytes in flight.
   */
  uint64_t flight;
  /**
   * Bytes that the application has queued and not yet sent.
   */
  uint64_t queued;
  /**
   * The peer's advertised window.
   */
  uint64_t peer_window;
  /**
   * The congestion window held the flight back.
   */
  bool cwnd_limited;
  /**
   * A recovery is under way.
   */
  bool in_recovery;
} FlowstartAck;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes a session: a startup and a congestion control by name, with parameters
 * (`hystart-plus-plus:css_rounds=3`), for segments of `mss` bytes. Returns null where a name or a
 * parameter is not valid, and writes why into `error`, at most `error_size` bytes with the final zero.
 *
 * # Safety
 *
 * `startup` and `cc` are strings that end with a zero. `error` is null or has room for `error_size` bytes.
 */
FlowstartSession *flowstart_session_new(const char *startup,
                                        const char *cc,
                                        uint32_t mss,
                                        char *error,
                                        uintptr_t error_size);

/**
 * Frees a session; null is permitted.
 *
 * # Safety
 *
 * `session` is null or one of [`flowstart_session_new`] that is not used again.
 */
void flowstart_session_free(FlowstartSession *session);

/**
 * The handshake is complete: opens a window of so many segments. `rtt_ns` is its round-trip time, zero
 * where none was measured; `queued` the bytes that the application has to send.
 *
 * # Safety
 *
 * `session` is one of [`flowstart_session_new`].
 */
void flowstart_on_established(FlowstartSession *session,
                              uint64_t now_ns,
                              uint64_t rtt_ns,
                              double initial_window,
                              uint64_t queued);

/**
 * A segment has left; `flight` counts it.
 *
 * # Safety
 *
 * `session` is one of [`flowstart_session_new`].
 */
void flowstart_on_sent(FlowstartSession *session,
                       uint64_t now_ns,
                       uint64_t seq,
                       uint32_t bytes,
                       bool retransmission,
                       uint64_t flight);

/**
 * An acknowledgement has arrived.
 *
 * # Safety
 *
 * `session` is one of [`flowstart_session_new`], and `ack` is not null.
 */
void flowstart_on_ack(FlowstartSession *session, const FlowstartAck *ack);

/**
 * A loss was found, the first in its window.
 *
 * # Safety
 *
 * `session` is one of [`flowstart_session_new`].
 */
void flowstart_on_loss(FlowstartSession *session, uint64_t now_ns, uint64_t flight);

/**
 * The recovery has ended, in which so many bytes were sent again.
 *
 * # Safety
 *
 * `session` is one of [`flowstart_session_new`].
 */
void flowstart_on_recovered(FlowstartSession *session,
                            uint64_t now_ns,
                            uint64_t retransmitted,
                            uint64_t flight);

/**
 * The retransmission timer has expired; `repeated` where it has before for the same data.
 *
 * # Safety
 *
 * `session` is one of [`flowstart_session_new`].
 */
void flowstart_on_timeout(FlowstartSession *session,
                          uint64_t now_ns,
                          uint64_t flight,
                          bool repeated);

/**
 * The congestion window.
 *
 * # Safety
 *
 * `session` is one of [`flowstart_session_new`].
 */
uint64_t flowstart_cwnd_bytes(const FlowstartSession *session);

/**
 * The rate at which segments are to leave, headers included, in bits a second; zero where nothing is
 * paced.
 *
 * # Safety
 *
 * `session` is one of [`flowstart_session_new`].
 */
uint64_t flowstart_pacing_bps(const FlowstartSession *session);

/**
 * Whether the startup has ended.
 *
 * # Safety
 *
 * `session` is one of [`flowstart_session_new`].
 */
bool flowstart_has_exited(const FlowstartSession *session);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FLOWSTART_H */
