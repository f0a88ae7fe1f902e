//! What the program in the kernel and the agent say to each other: `bpf/shared.h`, field by field.

/// Reads and writes a record whose fields lie one behind the other, as C has them.
macro_rules! record {
    ($(#[$about:meta])* $name:ident: $($(#[$field_about:meta])* $field:ident: $of:ty,)*) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub struct $name {
            $($(#[$field_about])* pub $field: $of,)*
        }

        impl $name {
            /// Bytes of all fields.
            pub const BYTES: usize = 0 $(+ std::mem::size_of::<$of>())*;

            /// `None` where there are fewer.
            pub fn read(bytes: &[u8]) -> Option<$name> {
                let mut rest = bytes;
                $(
                    let (field, behind) = rest.split_first_chunk()?;
                    let $field = <$of>::from_ne_bytes(*field);
                    rest = behind;
                )*
                let _ = rest;
                Some($name { $($field,)* })
            }

            /// As the kernel reads it.
            pub fn write(&self) -> Vec<u8> {
                let mut bytes = Vec::with_capacity($name::BYTES);
                $(bytes.extend(self.$field.to_ne_bytes());)*
                bytes
            }
        }

        #[cfg(test)]
        impl $name {
            const FIELDS: &[(&str, &str)] = &[$((stringify!($of), stringify!($field)),)*];
        }
    };
}

record! {
    /// Something has happened to a connection. Counts are of segments unless they are named bytes.
    Event:
    /// The monotonic clock.
    now_ns: u64,
    /// All that is cumulatively acknowledged.
    acked_bytes: u64,
    /// The socket's own port, and its peer's.
    port: u16,
    peer_port: u16,
    /// See [`What`].
    kind: u32,
    /// `icsk_ca_state`.
    state: u32,
    /// Counts what set the window at once.
    epoch: u32,
    /// Of an acknowledgement, `tcp_ack`'s; of a loss, whether the window came down already.
    flag: u32,
    outstanding_bytes: u32,
    snd_wnd: u32,
    cwnd: u32,
    ssthresh: u32,
    mss: u32,
    packets_out: u32,
    in_flight: u32,
    max_packets_out: u32,
    data_segs_out: u32,
    total_retrans: u32,
    delivered: u32,
    lost: u32,
    reordering: u32,
    srtt_us: u32,
    is_cwnd_limited: u32,
    /// -1: none.
    rtt_us: i32,
    acked_sacked: u32,
    losses: u32,
    prior_in_flight: u32,
    rate_prior_delivered: u32,
    rate_delivered: i32,
    /// -1: no sample.
    rate_interval_us: i32,
    rate_snd_interval_us: u32,
    rate_rcv_interval_us: u32,
    rate_is_app_limited: u32,
}

record! {
    /// What a connection's sender is to do.
    Command:
    /// Payload bytes a second; what leaves together is reckoned by it in any case.
    pacing_rate: u64,
    /// That of the last event that this takes account of.
    epoch: u32,
    /// Segments.
    cwnd: u32,
    /// Segments; in a reduction, what the window is to become.
    ssthresh: u32,
    /// The window holds in a recovery too.
    owns_cwnd: u32,
    /// Of 1024, what a loss leaves of the window until a better answer comes.
    loss_share: u32,
    /// Segments that leave together, at least.
    min_tso: u32,
    /// It is paced.
    paced: u32,
    reserved: u32,
}

/// The kinds of events, by their numbers in `shared.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The connection has opened.
    Established,
    /// More has left since the last event.
    Sent,
    /// An acknowledgement has been worked through, but for what it lets leave.
    Ack,
    /// Recovery begins.
    Loss,
    /// The window begins to slide down for a mark (CWR).
    Marked,
    /// Either is over.
    Recovered,
    /// The retransmission timer has expired.
    Timeout,
    /// What it began is over.
    Repaired,
    /// A reduction was for nothing.
    Undone,
    /// The connection has closed.
    Released,
}

/// How the agent identifies connections: the port of the sender's own socket, and its peer's.
pub type Ports = (u16, u16);

impl Event {
    /// Whose it is.
    pub fn ports(&self) -> Ports {
        (self.port, self.peer_port)
    }

    /// `None` for an unknown number.
    pub fn what(&self) -> Option<What> {
        const ALL: [What; 10] = [
            What::Established,
            What::Sent,
            What::Ack,
            What::Loss,
            What::Marked,
            What::Recovered,
            What::Timeout,
            What::Repaired,
            What::Undone,
            What::Released,
        ];
        ALL.get(self.kind as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields of a structure of `shared.h`, with Rust's names of their types.
    fn fields(name: &str) -> Vec<(String, String)> {
        let header = include_str!("../../bpf/shared.h");
        let body = header.split(&format!("struct {name} {{")).nth(1).unwrap();
        let body = body.split("};").next().unwrap();
        let lines = body.lines().filter_map(|line| line.split_once(';'));
        lines
            .map(|(field, _)| {
                let (of, name) = field.trim().split_once(' ').unwrap();
                (of.replace('s', "i"), name.to_string())
            })
            .collect()
    }

    fn known(of: &[(&str, &str)]) -> Vec<(String, String)> {
        of.iter()
            .map(|(a, b)| (a.to_string(), b.to_string()))
            .collect()
    }

    #[test]
    fn both_sides_know_the_same_fields_in_the_same_order() {
        assert_eq!(fields("fs_event"), known(Event::FIELDS));
        assert_eq!(fields("fs_command"), known(Command::FIELDS));
    }

    #[test]
    fn no_compiler_puts_anything_between_or_behind_them() {
        assert_eq!([Event::BYTES % 8, Command::BYTES % 8], [0, 0]);
    }

    #[test]
    fn kinds_have_the_numbers_of_the_header() {
        let header = include_str!("../../bpf/shared.h");
        let list = header
            .split("enum {")
            .nth(1)
            .unwrap()
            .split("};")
            .next()
            .unwrap();
        let names = list
            .lines()
            .filter_map(|line| line.trim().strip_prefix("FS_"));
        let names: Vec<_> = names
            .map(|line| line.split(',').next().unwrap().to_lowercase())
            .collect();
        let known: Vec<_> = (0..names.len() as u32)
            .map(|kind| {
                Event {
                    kind,
                    ..Event::default()
                }
                .what()
            })
            .map(|what| format!("{:?}", what.unwrap()).to_lowercase())
            .collect();
        assert_eq!(names, known);
        let beyond = Event {
            kind: names.len() as u32,
            ..Event::default()
        };
        assert_eq!(beyond.what(), None);
    }

    #[test]
    fn what_is_written_is_read_and_what_is_cut_is_not() {
        let command = Command {
            pacing_rate: 1 << 40,
            cwnd: 10,
            paced: 1,
            ..Command::default()
        };
        let bytes = command.write();
        assert_eq!(Command::read(&bytes), Some(command));
        assert_eq!(Command::read(&bytes[1..]), None);
    }
}
