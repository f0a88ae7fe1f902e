//! The rows of a capture as columns: a number of bytes a row, not an object a cell.
//!
//! A cell without a value is NaN in a column of floats and the largest number in one of integers; texts are
//! numbers of words. Python makes nulls and words of them.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;

use flowstart_capture::{
    Connection, Control, Direction, Exit, Flag, Handshake, IdleRestart, QuicConnection, Reading,
    Rows, Transfer,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;

use crate::arrays::array;

/// Different words and the number of each.
struct Words<K> {
    numbers: HashMap<K, u32>,
    words: Vec<String>,
}

impl<K> Default for Words<K> {
    fn default() -> Self {
        Words {
            numbers: HashMap::new(),
            words: Vec::new(),
        }
    }
}

impl<K: Clone + Eq + Hash + Serialize> Words<K> {
    fn number(&mut self, key: &K) -> u32 {
        if let Some(&number) = self.numbers.get(key) {
            return number;
        }
        let number = self.words.len() as u32;
        self.words.push(word(key));
        self.numbers.insert(key.clone(), number);
        number
    }
}

/// A value as its JSON has it; the parts of a list with spaces between.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        Ok(serde_json::Value::Array(parts)) => {
            let words: Vec<String> = parts.iter().map(word).collect();
            words.join(" ")
        }
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

/// A cell of a column of integers.
trait Cell: Copy {
    const ABSENT: Self;
}

macro_rules! cells {
    ($($kind:ty),*) => { $(impl Cell for $kind { const ABSENT: $kind = <$kind>::MAX; })* };
}
cells!(u8, u32, u64);

/// The value, or its substitute for none.
fn or_absent<T: Cell>(value: Option<T>) -> T {
    value.unwrap_or(T::ABSENT)
}

fn or_nan(value: Option<f64>) -> f64 {
    value.unwrap_or(f64::NAN)
}

/// A column in another order. It stays where it is: the allocator keeps much of what a thread that has ended had
/// allocated, so that copies of all columns would take twice the memory.
fn ordered<T: Copy>(mut cells: Vec<T>, order: &[u32]) -> Vec<T> {
    let unordered = cells.clone();
    for (cell, &row) in cells.iter_mut().zip(order) {
        *cell = unordered[row as usize];
    }
    cells
}

/// The order of rows by a key; equal ones stay as they are.
fn order_by<K: Ord>(rows: usize, key: impl Fn(usize) -> K) -> Vec<u32> {
    let mut order: Vec<u32> = (0..rows as u32).collect();
    order.sort_by_key(|&row| key(row as usize));
    order
}

/// Declares a table: for each column its name, the type of its cells and how a row gives one. Of a column of words the
/// type is that of the keys.
macro_rules! table {
    ($(#[$doc:meta])* $name:ident($row:ident: $from:ty) {
        numbers { $($number:ident: $kind:ty = $cell:expr_2021,)* }
        words { $($text:ident: $key:ty = $word:expr_2021,)* }
    }) => {
        $(#[$doc])*
        #[derive(Default)]
        struct $name {
            $($number: Vec<$kind>,)*
            $($text: (Words<$key>, Vec<u32>),)*
        }

        impl $name {
            fn push(&mut self, $row: $from) {
                $(self.$number.push($cell);)*
                $({
                    let word: Option<$key> = $word;
                    let (words, numbers) = &mut self.$text;
                    numbers.push(word.map_or(u32::ABSENT, |word| words.number(&word)));
                })*
            }

            /// `{name: array}`, and `{name: (array of numbers, words)}` of words; the rows in the given order.
            fn into_dict<'py>(self, py: Python<'py>, order: &[u32]) -> PyResult<Bound<'py, PyDict>> {
                let dict = PyDict::new(py);
                $(dict.set_item(stringify!($number), array(py, ordered(self.$number, order))?)?;)*
                $({
                    let (words, numbers) = self.$text;
                    let numbers = array(py, ordered(numbers, order))?;
                    dict.set_item(stringify!($text), (numbers, words.words))?;
                })*
                Ok(dict)
            }
        }
    };
}

table! {
    /// One row per TCP connection.
    Connections(row: Connection) {
        numbers {
            stream: u32 = row.stream as u32,
            file: u32 = row.file as u32,
            pair: u32 = (row.pair.0 as u32) << 1 | u32::from(row.pair.1),
            start: f64 = row.start,
            client_port: u32 = row.client_port.into(),
            server_port: u32 = row.server_port.into(),
            rtt_s: f64 = or_nan(row.rtt_s),
            server_rtt_s: f64 = or_nan(row.server_rtt_s),
            syns: u32 = or_absent(row.syns),
            syn_acks: u32 = or_absent(row.syn_acks),
            c2s_bytes: u64 = or_absent(row.c2s_bytes),
            s2c_bytes: u64 = or_absent(row.s2c_bytes),
            c2s_seen_bytes: u64 = or_absent(row.c2s_seen_bytes),
            s2c_seen_bytes: u64 = or_absent(row.s2c_seen_bytes),
            c2s_payload_sum: u64 = or_absent(row.c2s_payload_sum),
            s2c_payload_sum: u64 = or_absent(row.s2c_payload_sum),
            c2s_window: u32 = or_absent(row.c2s_window.map(|window| window as u32)),
            s2c_window: u32 = or_absent(row.s2c_window.map(|window| window as u32)),
            c2s_handshake_window: u32 = or_absent(row.c2s_handshake_window.map(|window| window as u32)),
            s2c_handshake_window: u32 = or_absent(row.s2c_handshake_window.map(|window| window as u32)),
            c2s_widest_window: u32 = or_absent(row.c2s_widest_window.map(|window| window as u32)),
            s2c_widest_window: u32 = or_absent(row.s2c_widest_window.map(|window| window as u32)),
            c2s_initial_window: u32 = or_absent(row.c2s_facts.initial_window),
            s2c_initial_window: u32 = or_absent(row.s2c_facts.initial_window),
            c2s_growth: f64 = or_nan(row.c2s_facts.growth),
            s2c_growth: f64 = or_nan(row.s2c_facts.growth),
            c2s_exit_window: u32 = or_absent(row.c2s_facts.exit_window.map(|window| window as u32)),
            s2c_exit_window: u32 = or_absent(row.s2c_facts.exit_window.map(|window| window as u32)),
            c2s_pacing: f64 = or_nan(row.c2s_facts.pacing),
            s2c_pacing: f64 = or_nan(row.s2c_facts.pacing),
            client_wscale: u8 = or_absent(row.client_wscale),
            server_wscale: u8 = or_absent(row.server_wscale),
            client_mss: u32 = or_absent(row.client_mss.map(u32::from)),
            server_mss: u32 = or_absent(row.server_mss.map(u32::from)),
            timestamps: u8 = or_absent(row.timestamps.map(u8::from)),
            sack: u8 = or_absent(row.sack.map(u8::from)),
            c2s_retransmissions: u32 = or_absent(row.c2s_retransmissions),
            s2c_retransmissions: u32 = or_absent(row.s2c_retransmissions),
            c2s_out_of_order: u32 = or_absent(row.c2s_out_of_order),
            s2c_out_of_order: u32 = or_absent(row.s2c_out_of_order),
            c2s_packets: u64 = or_absent(row.c2s_packets),
            s2c_packets: u64 = or_absent(row.s2c_packets),
            c2s_zero_windows: u32 = or_absent(row.c2s_zero_windows),
            s2c_zero_windows: u32 = or_absent(row.s2c_zero_windows),
            fins: u32 = or_absent(row.fins),
            resets: u32 = or_absent(row.resets),
            end_s: f64 = or_nan(row.end_s),
            copies: u64 = row.copies,
            missed_bytes: u64 = or_absent(row.missed_bytes),
        }
        words {
            client_ip: IpAddr = Some(row.client_ip),
            server_ip: IpAddr = Some(row.server_ip),
            handshake: Handshake = Some(row.handshake),
            c2s_exit: Exit = row.c2s_facts.exit,
            s2c_exit: Exit = row.s2c_facts.exit,
            c2s_idle_restart: IdleRestart = row.c2s_facts.idle_restart,
            s2c_idle_restart: IdleRestart = row.s2c_facts.idle_restart,
            c2s_cc: Control = row.c2s_facts.control,
            s2c_cc: Control = row.s2c_facts.control,
            state: String = row.state,
            history: String = row.history,
            flags: Vec<Flag> = Some(row.flags),
        }
    }
}

table! {
    /// One row per transfer.
    Transfers(row: Transfer) {
        numbers {
            connection: u32 = row.connection as u32,
            start: f64 = row.start,
            bytes: u64 = row.bytes,
            end_s: f64 = row.end_s,
            acked_s: f64 = or_nan(row.acked_s),
        }
        words {
            direction: Direction = Some(row.direction),
        }
    }
}

table! {
    /// One row per QUIC connection.
    QuicConnections(row: QuicConnection) {
        numbers {
            file: u32 = row.file as u32,
            start: f64 = row.start,
            client_port: u32 = row.client_port.into(),
            server_port: u32 = row.server_port.into(),
            rtt_s: f64 = or_nan(row.rtt_s),
            c2s_bytes: u64 = row.c2s_bytes,
            s2c_bytes: u64 = row.s2c_bytes,
            c2s_datagrams: u64 = row.c2s_datagrams,
            s2c_datagrams: u64 = row.s2c_datagrams,
            end_s: f64 = row.end_s,
        }
        words {
            client_ip: IpAddr = Some(row.client_ip),
            server_ip: IpAddr = Some(row.server_ip),
            version: String = Some(row.version),
            handshake: &'static str = Some(if row.complete { "complete" } else { "incomplete" }),
        }
    }
}

/// The rows of a reading.
#[derive(Default)]
pub(crate) struct Columns {
    connections: Connections,
    transfers: Transfers,
    quic: QuicConnections,
}

impl Rows for Columns {
    fn connection(&mut self, row: Connection) {
        self.connections.push(row);
    }

    fn transfer(&mut self, row: Transfer) {
        self.transfers.push(row);
    }

    fn quic(&mut self, row: QuicConnection) {
        self.quic.push(row);
    }

    fn clear(&mut self) {
        *self = Columns::default();
    }
}

impl Columns {
    /// `{connections: columns, transfers: columns, quic: columns}`, connections by number and transfers by start; of each connection also the network at its far side (`network`)
    /// and which side opened it (`opener`).
    pub(crate) fn into_dict<'py>(
        mut self,
        py: Python<'py>,
        reading: &Reading,
    ) -> PyResult<Bound<'py, PyDict>> {
        let begun = &self.connections.stream;
        let order = order_by(begun.len(), |row| begun[row]);
        let pairs = ordered(std::mem::take(&mut self.connections.pair), &order);
        self.connections.pair = vec![0; order.len()];
        let far_sides = pairs
            .into_iter()
            .map(|pair| reading.far_side((pair as usize >> 1, pair & 1 == 1)));
        let (networks, openers): (Vec<u32>, Vec<u32>) = far_sides
            .map(|side| match side {
                Some((group, opened)) => (group as u32, u32::from(opened)),
                None => (u32::ABSENT, u32::ABSENT),
            })
            .unzip();
        let names: Vec<&str> = reading
            .groups
            .iter()
            .map(|group| group.network.as_str())
            .collect();
        let connections = self.connections.into_dict(py, &order)?;
        connections.del_item("pair")?;
        connections.set_item("network", (array(py, networks)?, names))?;
        connections.set_item("opener", (array(py, openers)?, ["local", "remote"]))?;
        let (starts, of) = (&self.transfers.start, &self.transfers.connection);
        // Times are positive: their bits are in the order of their values.
        let by_start = order_by(starts.len(), |row| (starts[row].to_bits(), of[row]));
        let as_they_ended = order_by(self.quic.start.len(), |_| ());
        let tables = PyDict::new(py);
        tables.set_item("connections", connections)?;
        tables.set_item("transfers", self.transfers.into_dict(py, &by_start)?)?;
        tables.set_item("quic", self.quic.into_dict(py, &as_they_ended)?)?;
        Ok(tables)
    }
}
