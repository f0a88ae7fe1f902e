//! The ports of a connection.

use flowstart_sim::record::packets::{FlowLog, Host};

/// The ports of what the data's sender sends, its own first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ports([u16; 2]);

impl Ports {
    /// The ports of a connection to the port `server`; the client has an ephemeral port.
    pub(super) fn of(log: &FlowLog, server: u16) -> Ports {
        const EPHEMERAL: u16 = 49_152;
        const COUNT: u32 = 1 << 14;
        let ephemeral = EPHEMERAL + (log.flow % COUNT) as u16;
        match log.by_receiver {
            true => Ports([server, ephemeral]),
            false => Ports([ephemeral, server]),
        }
    }

    /// From which port to which `host` sends.
    pub(super) fn sent_by(self, host: Host) -> [u16; 2] {
        let Ports([own, other]) = self;
        match host {
            Host::Sender => [own, other],
            Host::Receiver => [other, own],
        }
    }
}
