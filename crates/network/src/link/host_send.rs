//! The sending side of a host: packets wait for the processor, and those of a batch leave together
//! when all of it is done (UDP_SEGMENT and TSO: one call, one pass through the stack).

use super::common::{Common, LinkImpl, Verdict};
use super::cpu::{Batch, Cpu};
use super::kind::StagePlan;
use crate::host::Host;
use crate::moment::Moment;
use crate::queue::Backlog;
use flowstart_control::Instant;
use flowstart_wire::Packet;

/// The sending side of a host with this processor.
pub fn host_send(host: &Host, cpu: &Cpu) -> StagePlan {
    let (host, cpu) = (*host, cpu.clone());
    StagePlan::new("sending", "sending", move |_| Sending {
        host,
        cpu: cpu.clone(),
        open: None,
        backlog: Backlog::default(),
    })
}

/// A batch that a packet may join.
#[derive(Clone, Copy)]
struct Open {
    batch: Batch,
    flow: u32,
    wire: u32,
    at: Instant,
}

/// The way from a transport to the interface.
struct Sending {
    host: Host,
    cpu: Cpu,
    open: Option<Open>,
    backlog: Backlog,
}

impl Sending {
    /// The batch that a packet joins. Datagrams of a batch have one size, but for a short last; with a
    /// pacer between them each leaves when it is due.
    fn open_batch(&mut self, packet: &Packet, now: Instant) -> Option<&mut Open> {
        let (most, cpu) = (self.host.send_batch, &self.cpu);
        let paced = self.host.paced_batch;
        self.open.as_mut().filter(|open| {
            open.flow == packet.flow
                && packet.wire <= open.wire
                && open.batch.packets < most
                && (paced || open.at == now && open.batch.is_open(cpu))
        })
    }

    /// The batch of a packet, and whether that moves the link's next delivery.
    fn batch(&mut self, packet: &Packet, now: Instant, link: &mut Common) -> (Batch, bool) {
        let (work, cpu) = (self.host.costs.sending(packet), self.cpu.clone());
        let paced = self.host.paced_batch;
        if packet.is_data()
            && let Some(open) = self.open_batch(packet, now)
        {
            let is_short = packet.wire < open.wire;
            let moves = if paced {
                let packets = open.batch.packets + 1;
                let own = Batch::begin(&cpu, work, now);
                open.batch = Batch { packets, ..own };
                false
            } else {
                open.batch.join(&cpu, work, now, link)
            };
            let batch = open.batch;
            if is_short {
                self.open = None;
            }
            return (batch, moves);
        }
        let batch = Batch::begin(&cpu, self.host.costs.batch + work, now);
        self.open = packet.is_data().then_some(Open {
            batch,
            flow: packet.flow,
            wire: packet.wire,
            at: now,
        });
        (batch, false)
    }
}

impl LinkImpl for Sending {
    fn send(&mut self, packet: &Packet, now: Moment, link: &mut Common) -> Verdict {
        let now = now.time;
        let (batch, moves) = self.batch(packet, now, link);
        self.backlog.add(packet.wire);
        link.counters.accept(packet.wire, self.backlog);
        match batch.depart(packet, now, link) {
            Verdict::Accepted if moves => Verdict::First,
            verdict => verdict,
        }
    }

    fn backlog(&mut self) -> Option<&mut Backlog> {
        Some(&mut self.backlog)
    }

    fn busy_until(&self) -> Instant {
        self.cpu.free()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Link;
    use super::super::testing::stage;
    use super::*;
    use crate::host::Costs;
    use flowstart_control::Duration;

    fn host(send_batch: u32, costs: Costs) -> Host {
        Host {
            send_batch,
            costs,
            ..Host::IDEAL
        }
    }

    /// When packets of these times and sizes leave, in nanoseconds.
    fn leaving(host: &Host, packets: &[(u64, u32)]) -> Vec<u64> {
        let mut sending: Link = stage(&host_send(host, &Cpu::default()));
        let mut left = Vec::new();
        for &(us, wire) in packets {
            let time = Instant::from_micros(us);
            let moment = Moment { time, cause: time };
            while let Some(due) = sending.next_delivery().filter(|due| due.time < time) {
                left.push(due.time.nanos());
                sending.deliver(due);
            }
            sending.send(&Packet::data(0, wire, 0, 0), moment);
        }
        left.extend(sending.arrivals().map(|arrival| arrival.time.nanos()));
        left
    }

    fn us(us: u64) -> Duration {
        Duration::from_micros(us)
    }

    #[test]
    fn a_batch_leaves_when_all_of_it_is_done() {
        let costs = Costs {
            packet: us(1),
            batch: us(10),
            ..Costs::default()
        };
        let packets: Vec<(u64, u32)> = vec![(0, 1200); 5];
        let times = leaving(&host(3, costs), &packets);
        assert_eq!(times, [13_000, 13_000, 13_000, 25_000, 25_000]);
    }

    #[test]
    fn a_short_packet_ends_a_batch_and_a_longer_one_begins_the_next() {
        let costs = Costs {
            batch: us(10),
            ..Costs::default()
        };
        let sizes = [1200, 600, 600, 1200, 1200].map(|wire| (0, wire));
        let times = leaving(&host(10, costs), &sizes);
        assert_eq!(times, [10_000, 10_000, 20_000, 30_000, 30_000]);
    }

    #[test]
    fn datagrams_of_a_paced_batch_leave_by_themselves_for_the_cost_of_one_batch() {
        let costs = Costs {
            batch: us(10),
            ..Costs::default()
        };
        let paced = Host {
            paced_batch: true,
            ..host(2, costs)
        };
        let times = leaving(&paced, &[(0, 1200), (20, 1200), (40, 1200)]);
        assert_eq!(times, [10_000, 20_000, 50_000]);
    }

    /// Vector V7: 1280 bytes at 3.1 us are 3.30 Gbit/s, at 0.14 us 73, at 30.8 us 0.333; 1200 at 5 us
    /// 1.92.
    #[test]
    fn the_processor_bounds_the_rate() {
        for (wire, nanos, mbps) in [
            (1280, 3100, 3303),
            (1280, 140, 73_142),
            (1280, 30_800, 332),
            (1200, 5000, 1920),
        ] {
            let costs = Costs {
                packet: Duration(nanos),
                ..Costs::default()
            };
            let times = leaving(&host(1, costs), &[(0, wire); 1000]);
            assert_eq!(u64::from(wire) * 8 * 1000 * 1000 / times[999], mbps);
        }
    }

    #[test]
    fn bytes_cost_what_their_number_does() {
        let costs = Costs {
            kilobyte: us(10),
            ..Costs::default()
        };
        assert_eq!(leaving(&host(1, costs), &[(0, 1500)]), [15_000]);
    }
}
