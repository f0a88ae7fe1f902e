//! The receiving side of a host: packets wait in the buffer of a socket until the processor reads
//! them, in batches. What finds the buffer full is lost (`udp_queue_rcv_skb` of Linux).

use super::common::{Common, LinkImpl, Verdict};
use super::cpu::{Batch, Cpu};
use super::kind::StagePlan;
use crate::host::Host;
use crate::moment::Moment;
use crate::queue::Backlog;
use flowstart_control::Instant;
use flowstart_wire::Packet;
use std::collections::VecDeque;

/// The name of such stages.
pub(super) const NAME: &str = "socket";

/// The receiving side of a host with this processor.
pub fn socket(host: &Host, cpu: &Cpu) -> StagePlan {
    let (host, cpu) = (*host, cpu.clone());
    StagePlan::new(NAME, NAME, move |_| Socket {
        host,
        cpu: cpu.clone(),
        last: None,
        unread: VecDeque::new(),
        backlog: Backlog::default(),
    })
}

/// A socket and its reader.
struct Socket {
    host: Host,
    cpu: Cpu,
    /// The last batch, which others may join.
    last: Option<Batch>,
    /// When the processor reads each packet that it has not read, and its size.
    unread: VecDeque<(Instant, u32)>,
    backlog: Backlog,
}

impl Socket {
    /// What has been read leaves the buffer.
    fn read(&mut self, now: Instant) {
        while let Some(&(read, wire)) = self.unread.front()
            && read <= now
        {
            self.unread.pop_front();
            self.backlog.take(wire);
        }
    }

    fn has_room(&self) -> bool {
        let limit = self.host.receive_buffer;
        limit == 0 || self.backlog.packets < limit.into()
    }

    /// The batch which a packet joins that comes now.
    fn open_batch(&mut self, now: Instant) -> Option<&mut Batch> {
        let (cpu, most) = (&self.cpu, self.host.receive_batch);
        let last = self.last.as_mut();
        last.filter(|batch| batch.begin >= now && batch.packets < most && batch.is_open(cpu))
    }
}

impl LinkImpl for Socket {
    fn send(&mut self, packet: &Packet, now: Moment, link: &mut Common) -> Verdict {
        let now = now.time;
        self.read(now);
        if !self.has_room() {
            link.counters.refused += 1;
            return Verdict::Dropped;
        }
        let (work, cpu) = (self.host.costs.receiving(packet), self.cpu.clone());
        let mut moves = false;
        let batch = match self.open_batch(now) {
            Some(batch) => {
                moves = batch.join(&cpu, work, now, link);
                *batch
            }
            None => Batch::begin(&cpu, self.host.costs.batch + work, now),
        };
        self.last = Some(batch);
        if batch.begin > now {
            self.unread.push_back((batch.begin, packet.wire));
            self.backlog.add(packet.wire);
        }
        link.counters.accept(packet.wire, self.backlog);
        match batch.depart(packet, now, link) {
            Verdict::Accepted if moves => Verdict::First,
            verdict => verdict,
        }
    }

    fn held(&mut self, now: Moment, _link: &mut Common) -> Backlog {
        self.read(now.time);
        self.backlog
    }

    fn busy_until(&self) -> Instant {
        self.cpu.free()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{pass, stage};
    use super::super::{Link, Verdict};
    use super::*;
    use crate::host::Costs;
    use flowstart_control::{Duration, Rate};
    use flowstart_wire::{Body, SynAck, UNLIMITED_WINDOW};

    /// Bytes of a datagram in the vectors.
    const WIRE: u32 = 1228;

    fn host(buffer: u32, per_packet: Duration) -> Host {
        Host {
            receive_buffer: buffer,
            costs: Costs {
                packet: per_packet,
                ..Costs::default()
            },
            ..Host::IDEAL
        }
    }

    /// Offers so many datagrams at a rate; how many are lost.
    fn lost(socket: &mut Link, datagrams: u64, rate: Rate) -> u64 {
        let mut lost = 0;
        for n in 0..datagrams {
            let time = Instant::ZERO + rate.time_for(n * u64::from(WIRE));
            let moment = Moment { time, cause: time };
            while let Some(due) = socket.next_delivery().filter(|due| *due <= moment) {
                socket.deliver(due);
            }
            let packet = Packet::data(0, WIRE, n, 0);
            lost += u64::from(socket.send(&packet, moment) == Verdict::Dropped);
        }
        lost
    }

    /// A reader that is busy with a verification of this length, in milliseconds.
    fn stalled(buffer: u32, ms: u64) -> Link {
        let mut host = host(buffer, Duration::ZERO);
        host.costs.verify = Duration::from_millis(ms);
        let mut socket = stage(&socket(&host, &Cpu::default()));
        let answer = Packet::new(0, WIRE, Body::SynAck(SynAck::new(0, UNLIMITED_WINDOW)));
        let now = Moment {
            time: Instant::ZERO,
            cause: Instant::ZERO,
        };
        socket.send(&answer, now);
        socket
    }

    const GIGABIT: Rate = Rate(1_000_000_000);

    /// Vector V5: 508 datagrams arrive in 5 ms at 1 Gbit/s, and 50 at 100 Mbit/s.
    #[test]
    fn a_stalled_reader_loses_what_its_buffer_does_not_hold() {
        let hundred = Rate(100_000_000);
        let arrive = |ms, rate: Rate| rate.bytes_in(Duration::from_millis(ms)) / u64::from(WIRE);
        for (ms, rate, arriving, losing) in [
            (5, GIGABIT, 508, 416),
            (5, hundred, 50, 0),
            (16, hundred, 162, 70),
        ] {
            assert_eq!(arrive(ms, rate), arriving);
            assert_eq!(lost(&mut stalled(92, ms), arriving, rate), losing);
        }
    }

    /// Vector V5: the buffer of 92 or 910 fills in 9.0 and 89 ms at 100 Mbit/s, in 0.09 and 0.89 at
    /// 10 Gbit/s.
    #[test]
    fn a_buffer_fills_in_the_time_of_its_datagrams() {
        for (rate, buffer, fills_us) in [
            (100_000_000, 92, 9038),
            (1_000_000_000, 92, 903),
            (10_000_000_000, 92, 90),
            (100_000_000, 910, 89_398),
            (1_000_000_000, 910, 8939),
            (10_000_000_000, 910, 893),
        ] {
            let mut socket = stalled(buffer, 900);
            assert_eq!(lost(&mut socket, u64::from(buffer) + 1, Rate(rate)), 1);
            let time = Rate(rate).time_for(u64::from(buffer) * u64::from(WIRE));
            assert_eq!(time.nanos() / 1000, fills_us);
        }
    }

    /// Vector V6: bursts of 256, 512 and 1024 at 1 Gbit/s and a reader of 15 us a datagram lose 0, 85
    /// and 261; those that it reads when the burst ends are in its buffer no longer.
    #[test]
    fn a_slow_reader_loses_its_backlog_beyond_the_buffer() {
        for (burst, losing) in [(256, 0), (512, 85), (1024, 261)] {
            let slow = host(92, Duration::from_micros(15));
            let lost_of = lost(&mut stage(&socket(&slow, &Cpu::default())), burst, GIGABIT);
            // One is being read.
            assert!(lost_of.abs_diff(losing) <= 1, "{burst}: {lost_of}");
        }
        let fast = host(92, Duration::from_micros(5));
        let mut fast = stage(&socket(&fast, &Cpu::default()));
        assert_eq!(lost(&mut fast, 1024, GIGABIT), 0);
    }

    #[test]
    fn packets_that_wait_are_read_together_and_done_together() {
        let us = Duration::from_micros;
        let mut host = host(0, us(10));
        (host.receive_batch, host.costs.batch) = (3, us(5));
        let times = pass(
            stage(&socket(&host, &Cpu::default())),
            &[0, 1, 2, 3, 4, 100],
        );
        // Alone; three of those that came meanwhile; the rest.
        assert_eq!(times, [15, 50, 50, 50, 65, 115]);
    }

    #[test]
    fn a_processor_serves_in_the_order_of_arrival() {
        let cpu = Cpu::default();
        let host = host(0, Duration::from_micros(10));
        let mut sockets = [stage(&socket(&host, &cpu)), stage(&socket(&host, &cpu))];
        let now = Moment {
            time: Instant::ZERO,
            cause: Instant::ZERO,
        };
        let mut done = |socket: usize| {
            sockets[socket].send(&Packet::data(0, WIRE, 0, 0), now);
            let last = sockets[socket].arrivals().last();
            last.map(|moment| moment.time.nanos() / 1000)
        };
        let times = [done(0), done(1), done(0)];
        assert_eq!(times, [Some(10), Some(20), Some(30)]);
    }
}
