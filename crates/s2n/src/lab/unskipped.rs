//! A controller under which s2n-quic skips no packet numbers at random.

use s2n_quic::provider::congestion_controller::{
    CongestionController, Endpoint, PathInfo, Publisher, RandomGenerator, RttEstimator, Timestamp,
};

/// Bytes that the endpoint finds in addition to the window and to what is in flight.
pub(super) const SHIFT: u32 = 1 << 31;

/// Controllers of an endpoint, or one of them, with a larger window by as much as is in flight in
/// addition, so that the room in the window stays the same.
///
/// s2n-quic draws the number of packets between two skips: 30, and half a window to two windows
/// (s2n-quic-transport 0.91.0, space/application.rs, `arm_skip_counter`). Half of this window is
/// 700,000 packets, more than a transfer of the grid has.
#[derive(Clone, Debug)]
pub(super) struct Unskipped<C>(pub C);

impl<E: Endpoint> Endpoint for Unskipped<E> {
    type CongestionController = Unskipped<E::CongestionController>;

    fn new_congestion_controller(&mut self, path: PathInfo<'_>) -> Self::CongestionController {
        Unskipped(self.0.new_congestion_controller(path))
    }
}

impl<C: CongestionController> CongestionController for Unskipped<C> {
    type PacketInfo = C::PacketInfo;

    fn congestion_window(&self) -> u32 {
        self.0.congestion_window().saturating_add(SHIFT)
    }

    fn bytes_in_flight(&self) -> u32 {
        self.0.bytes_in_flight().saturating_add(SHIFT)
    }

    fn is_congestion_limited(&self) -> bool {
        self.0.is_congestion_limited()
    }

    fn requires_fast_retransmission(&self) -> bool {
        self.0.requires_fast_retransmission()
    }

    fn on_packet_sent<Pub: Publisher>(
        &mut self,
        time_sent: Timestamp,
        sent_bytes: usize,
        app_limited: Option<bool>,
        rtt: &RttEstimator,
        publisher: &mut Pub,
    ) -> C::PacketInfo {
        self.0
            .on_packet_sent(time_sent, sent_bytes, app_limited, rtt, publisher)
    }

    fn on_rtt_update<Pub: Publisher>(
        &mut self,
        time_sent: Timestamp,
        now: Timestamp,
        rtt: &RttEstimator,
        publisher: &mut Pub,
    ) {
        self.0.on_rtt_update(time_sent, now, rtt, publisher);
    }

    fn on_ack<Pub: Publisher>(
        &mut self,
        time_sent: Timestamp,
        bytes: usize,
        packet: C::PacketInfo,
        rtt: &RttEstimator,
        random: &mut dyn RandomGenerator,
        now: Timestamp,
        publisher: &mut Pub,
    ) {
        self.0
            .on_ack(time_sent, bytes, packet, rtt, random, now, publisher);
    }

    fn on_packet_lost<Pub: Publisher>(
        &mut self,
        bytes: u32,
        packet: C::PacketInfo,
        persistent: bool,
        new_burst: bool,
        random: &mut dyn RandomGenerator,
        now: Timestamp,
        publisher: &mut Pub,
    ) {
        self.0
            .on_packet_lost(bytes, packet, persistent, new_burst, random, now, publisher);
    }

    fn on_explicit_congestion<Pub: Publisher>(
        &mut self,
        ce_count: u64,
        now: Timestamp,
        publisher: &mut Pub,
    ) {
        self.0.on_explicit_congestion(ce_count, now, publisher);
    }

    fn on_mtu_update<Pub: Publisher>(&mut self, mtu: u16, publisher: &mut Pub) {
        self.0.on_mtu_update(mtu, publisher);
    }

    fn on_packet_discarded<Pub: Publisher>(&mut self, bytes: usize, publisher: &mut Pub) {
        self.0.on_packet_discarded(bytes, publisher);
    }

    fn earliest_departure_time(&self) -> Option<Timestamp> {
        self.0.earliest_departure_time()
    }

    fn send_quantum(&self) -> Option<usize> {
        self.0.send_quantum()
    }
}
