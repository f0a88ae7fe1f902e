/* HyStart++ and CUBIC, driven by hand: each acknowledgement of a segment adds one, until a loss. */

#include <stdio.h>
#include "flowstart.h"

#define MSS 1460

int main(void) {
    char error[200];
    FlowstartSession *session =
        flowstart_session_new("hystart-plus-plus", "cubic", MSS, error, sizeof error);
    if (!session) {
        fprintf(stderr, "error: %s\n", error);
        return 2;
    }
    uint64_t rtt = 50000000;
    flowstart_on_established(session, rtt, rtt, 10, UINT64_MAX);
    printf("%llu\n", (unsigned long long)flowstart_cwnd_bytes(session));

    for (int segment = 1; segment <= 10; segment++) {
        uint64_t una = (uint64_t)segment * MSS, flight = flowstart_cwnd_bytes(session);
        FlowstartAck ack = {
            .now_ns = 2 * rtt, .acked = MSS, .delivered = MSS, .credit = MSS,
            .delivered_total = una, .rtt_ns = rtt, .srtt_ns = rtt, .una = una,
            .nxt = una + flight, .flight = flight, .queued = UINT64_MAX,
            .peer_window = UINT64_MAX, .cwnd_limited = true,
        };
        flowstart_on_ack(session, &ack);
    }
    printf("%llu\n", (unsigned long long)flowstart_cwnd_bytes(session));

    flowstart_on_loss(session, 3 * rtt, flowstart_cwnd_bytes(session));
    printf("%llu %d\n", (unsigned long long)flowstart_cwnd_bytes(session),
           flowstart_has_exited(session));
    flowstart_session_free(session);

    if (!flowstart_session_new("hystrat", "cubic", MSS, error, sizeof error))
        printf("%s\n", error);
    return 0;
}
