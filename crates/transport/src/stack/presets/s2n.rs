//! s2n-quic.

use crate::stack::*;

impl Stack {
    /// s2n-quic 1.91, which acknowledges every tenth packet (`packet_tolerance`), and undoes nothing.
    pub fn s2n() -> Stack {
        let base = Stack::quic();
        Stack {
            preset: "s2n",
            recovery: RecoveryOptions {
                undo: Undo::None,
                ..base.recovery
            },
            receiver: ReceiverOptions {
                ack: AckPolicy::Delayed {
                    every: 10,
                    timer: Duration::from_millis(25),
                },
                ..base.receiver
            },
            ..base
        }
    }
}
