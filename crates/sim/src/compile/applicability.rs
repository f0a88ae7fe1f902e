//! Which fields of a stack mean something beside which others, in one table.
//!
//! A field that would change nothing is refused by name, because whoever gives it expects
//! something of it. A resolved scenario leaves such fields out.

use crate::spec::{RequestError, StackSpec};
use flowstart_transport::handshake::Handshake;
use flowstart_transport::receiver::AckPolicy;
use flowstart_transport::stack::RecoveryKind::{
    self, NewReno, Ns2Sack, Quic, Rack, Reno, Sack, Tahoe,
};
use flowstart_transport::stack::{Pacing, Sharing, Stack};
use serde_json::{Map, Value};

/// Fields that mean something together, and under which stacks.
struct Group {
    fields: &'static [&'static str],
    applies: fn(&Stack) -> bool,
    /// What is wrong under the others, and what would be right.
    otherwise: &'static str,
}

const fn under(
    fields: &'static [&'static str],
    applies: fn(&Stack) -> bool,
    otherwise: &'static str,
) -> Group {
    Group {
        fields,
        applies,
        otherwise,
    }
}

fn recovers_by(stack: &Stack, kinds: &[RecoveryKind]) -> bool {
    kinds.contains(&stack.recovery)
}

/// Every field of a stack, once.
const GROUPS: &[Group] = &[
    under(
        &[
            "preset",
            "mss",
            "header",
            "iw",
            "handshake",
            "ack",
            "recovery",
            "rto_initial",
            "rto_min",
            "rto_max",
            "tick",
            "pacing",
            "ecn",
            "window",
            "window_growth",
            "restart",
            "grow_when_app_limited",
            "max_timeouts",
            "interrupt_min",
            "interrupt_max",
            "rate_codes",
            "sharing",
        ],
        |_| true,
        "",
    ),
    under(
        &["server_flight"],
        |s| s.handshake != Handshake::ZeroRtt,
        "data does not wait for it under `0-rtt` (stack.handshake)",
    ),
    under(
        &["ack_timer", "ack_every"],
        |s| s.ack != AckPolicy::Every,
        "every segment is acknowledged at once; give `stack.ack = \"delayed\"`",
    ),
    under(
        &["ack_quick"],
        |s| matches!(s.ack, AckPolicy::QuickThenDelayed { .. }),
        "only `quick-then-delayed` has such a beginning (stack.ack)",
    ),
    under(
        &["ack_reordering"],
        |s| recovers_by(s, &[Quic]),
        "only `quic` numbers its packets (stack.recovery)",
    ),
    under(
        &["next_seg_rule_3", "next_seg_rule_4"],
        |s| recovers_by(s, &[Sack]),
        "only `sack` has this rule (stack.recovery)",
    ),
    under(
        &["limited_transmit"],
        |s| recovers_by(s, &[Tahoe, Reno, NewReno, Sack, Ns2Sack]),
        "only `tahoe`, `reno`, `newreno`, `sack` and `ns2-sack` have it (stack.recovery)",
    ),
    under(
        &["newreno_impatient", "newreno_partial_deflation"],
        |s| recovers_by(s, &[NewReno]),
        "only `newreno` has this choice (stack.recovery)",
    ),
    under(
        &["frto"],
        |s| recovers_by(s, &[Rack]),
        "only `rack` has F-RTO (stack.recovery)",
    ),
    under(
        &["sack_cost"],
        |s| recovers_by(s, &[Sack, Ns2Sack, Rack, Quic]),
        "only `sack`, `ns2-sack`, `rack` and `quic` send blocks (stack.recovery)",
    ),
    under(
        &["tick_phase", "coarse_pacing"],
        |s| s.rto.ticks.is_some(),
        "only the `ns2` stack counts in ticks",
    ),
    under(
        &["pacing_gain"],
        |s| matches!(s.pacing, Pacing::Rfc9002(_)),
        "only `rfc9002` has one (stack.pacing)",
    ),
    under(
        &["receive_buffer", "receive_buffer_max", "receive_share"],
        |s| s.buffer.is_some(),
        "the window does not grow; give `stack.window_growth = \"linux\"`",
    ),
    under(
        &["window_scaling"],
        |s| !s.window_unbounded && (s.window.is_some() || s.buffer.is_some()),
        "only a window that is given or grows is scaled (stack.window), under `ns2` and `quic` none",
    ),
    under(
        &["sharing_lifetime"],
        |s| s.sharing != Sharing::None,
        "connections leave nothing behind; give `stack.sharing = \"remember\"`",
    ),
    under(
        &["sharing_cap"],
        |s| s.sharing.opens_windows(),
        "only `temporal` and `ensemble` open windows from a memory (stack.sharing)",
    ),
];

impl StackSpec {
    /// Refuses a field that changes nothing in `stack`, which these fields have made.
    pub(super) fn refuse_what_does_nothing(&self, stack: &Stack) -> Result<(), RequestError> {
        let given = self.given();
        let refused = idle(stack).find_map(|(field, why)| Some((field, given.get(field)?, why)));
        refused.map_or(Ok(()), |(field, value, why)| {
            let value = value.as_str().map_or(value.to_string(), String::from);
            let problem = format!("`{value}` changes nothing: {why}");
            Err(RequestError::new(format!("stack.{field}"), problem))
        })
    }

    /// Without the fields that change nothing in `stack`.
    pub(super) fn without_what_does_nothing(&self, stack: &Stack) -> StackSpec {
        let mut given = self.given();
        for (field, _) in idle(stack) {
            given.remove(field);
        }
        serde_json::from_value(Value::Object(given)).expect("as it was written")
    }

    /// The fields that are given, by name.
    fn given(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            _ => unreachable!("a struct of plain fields is an object"),
        }
    }
}

/// The fields that change nothing, and why.
fn idle(stack: &Stack) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
    let groups = GROUPS.iter().filter(|group| !(group.applies)(stack));
    groups.flat_map(|group| group.fields.iter().map(|field| (*field, group.otherwise)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_in_the_table_once() {
        let schema = schemars::schema_for!(StackSpec).to_value();
        let mut fields: Vec<&str> = schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|g| g.fields).copied().collect();
        fields.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, fields);
    }
}
