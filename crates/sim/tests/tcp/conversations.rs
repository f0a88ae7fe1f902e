//! Conversations: writes that wait until others have been delivered.

use super::outcome;
use flowstart_sim::Outcome;
use flowstart_sim::record::flow::TransferRow;

/// A request, its reply, the next request and the reply to that, over 100 ms; the application thinks
/// before each.
const TALK: &str = r#"
    path = { rate = "10Mbps", rtt = "100ms" }
    stack = { ack = "every", restart = "keep" }
    flows = [
        { start = "1s", writes = [
            { at = "0s", size = "500B" },
            { after = { flow = 1, write = 0, pause = "2s" }, size = "500B" },
        ] },
        { direction = "reverse", handshake = false, writes = [
            { after = { flow = 0, write = 0, pause = "30ms" }, size = "50pkt" },
            { after = { flow = 0, write = 1, pause = "40ms" }, size = "50pkt" },
        ] },
    ]
"#;

fn turns(outcome: &Outcome) -> Vec<&TransferRow> {
    let mut rows: Vec<&TransferRow> = outcome.transfers.iter().collect();
    rows.sort_by(|a, b| a.available_s.partial_cmp(&b.available_s).unwrap());
    rows
}

fn close(found: Option<f64>, expected: f64) {
    let found = found.unwrap();
    assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
}

#[test]
fn a_turn_begins_a_pause_after_the_turn_before_it_has_arrived() {
    let outcome = outcome(TALK);
    let turns = turns(&outcome);
    close(turns[0].available_s, 1.0);
    for (turn, pause) in turns.windows(2).zip([0.03, 2.0, 0.04]) {
        close(turn[1].available_s, turn[0].delivered_s.unwrap() + pause);
    }
    let row = outcome.flows.row(1);
    assert_eq!(
        row.opened_s, turns[1].available_s,
        "its first data opens it"
    );
    assert!(outcome.flows.iter().all(|row| row.complete));
}

#[test]
fn a_window_stays_warm_from_turn_to_turn_unless_the_stack_restarts_it() {
    let seconds = |text: &str| {
        let outcome = outcome(text);
        let turns = turns(&outcome);
        let taken = |turn: &TransferRow| turn.delivered_s.unwrap() - turn.available_s.unwrap();
        [taken(turns[1]), taken(turns[3])]
    };
    let [cold, warm] = seconds(TALK);
    assert!(
        cold - warm > 0.15,
        "{cold} and {warm}: two round trips less"
    );
    let [cold, restarted] = seconds(&TALK.replace("keep", "initial-window"));
    assert!((cold - restarted).abs() < 1e-6, "{cold} and {restarted}");
}

#[test]
fn a_row_shows_what_became_of_a_write() {
    let lossy = TALK.replace(
        "handshake = false",
        "handshake = false, forced_drops = [61, 62]",
    );
    let outcome = outcome(&lossy);
    let turns = turns(&outcome);
    let counts = |turn: &TransferRow| {
        let again = turn.packets_retransmitted;
        (
            turn.packets_sent,
            turn.packets_dropped,
            again,
            turn.timeouts,
        )
    };
    assert_eq!(counts(turns[1]), (50, 0, 0, 0));
    assert_eq!(counts(turns[3]), (52, 2, 2, 0));
    let reply = turns[1];
    close(reply.sent_s, reply.available_s.unwrap());
    // 50 ms and 1500 bytes at 10 Mbit/s.
    close(reply.first_delivered_s, reply.available_s.unwrap() + 0.0512);
    assert!(reply.delivered_s > reply.first_delivered_s && reply.acked_s > reply.delivered_s);
}

#[test]
fn what_waits_for_data_that_never_comes_is_never_written() {
    let until =
        |end: &str| outcome(&TALK.replacen("path =", &format!("duration = \"{end}\"\npath ="), 1));
    let cut = until("2s");
    let available: Vec<bool> = (cut.transfers.iter())
        .map(|row| row.available_s.is_some())
        .collect();
    assert_eq!(available, [true, false, true, false]);
    let unheard = until("1100ms").flows.row(1);
    assert_eq!((unheard.opened_s, unheard.packets_sent), (None, 0));
}

#[test]
fn a_write_that_is_due_waits_for_those_before_it() {
    let outcome = outcome(
        r#"
        path = { rate = "10Mbps", rtt = "100ms" }
        flows = [
            { writes = [{ at = "0s", size = "1kB" }, { at = "5s", size = "1kB" }] },
            { direction = "reverse", writes = [
                { at = "0s", size = "1kB" },
                { at = "3s", size = "1kB" },
                { after = { flow = 0, write = 0 }, size = "1kB" },
                { after = { flow = 0, write = 1 }, size = "1kB" },
            ] },
        ]
        "#,
    );
    let mine = outcome.transfers.iter().filter(|row| row.flow == 1);
    let at: Vec<f64> = mine.map(|row| row.available_s.unwrap()).collect();
    assert_eq!(at[..3], [0.0, 3.0, 3.0]);
    assert!(at[3] > 5.05);
}
