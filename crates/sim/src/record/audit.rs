//! The accounts of a run: nothing is lost from them, whatever its fields are.

use super::flow::{FlowRow, TransferRow};
use super::outcome::Outcome;
use crate::Scenario;
use std::fmt;

/// Relative, and in seconds: what rounding of times comes to.
const ROUNDING: f64 = 1e-9;
const ROUNDING_S: f64 = 1e-8;

impl Outcome {
    /// Checks that packets and bytes are conserved and nothing is faster than its ideal.
    ///
    /// # Errors
    ///
    /// The first account that does not add up, in words.
    pub fn audit(&self, scenario: &Scenario) -> Result<(), String> {
        let is_steady = !varies(scenario);
        self.flows
            .iter()
            .try_for_each(|flow| flow.audit(is_steady))?;
        let mut transfers = self.transfers.iter();
        transfers.try_for_each(|transfer| transfer.audit(is_steady))?;
        self.flows.iter().try_for_each(|row| finite(&row))?;
        self.transfers.iter().try_for_each(finite)?;
        self.objects.iter().try_for_each(|row| finite(&row))?;
        self.links.iter().try_for_each(finite)?;
        self.startups.iter().try_for_each(finite)
    }
}

/// Whether all numbers of a row are finite, in the form in which Rust prints them.
fn finite(row: &impl fmt::Debug) -> Result<(), String> {
    let text = format!("{row:?}");
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    match words.any(|word| matches!(word, "NaN" | "inf")) {
        true => Err(format!("finite numbers: {text}")),
        false => Ok(()),
    }
}

impl FlowRow {
    /// One flow's accounts; times only where the path's rate is steady.
    fn audit(&self, is_steady: bool) -> Result<(), String> {
        let accounted = self.packets_arrived + self.packets_dropped + self.packets_in_network;
        let size = self.size_bytes.unwrap_or(u64::MAX);
        let is_in_order = self
            .fct_s
            .zip(self.duration_s)
            .is_none_or(|(fct, all)| fct <= all);
        let is_possible = self.slowdown.is_none_or(|times| times >= 1.0 - ROUNDING);
        for (holds, account) in [
            (
                self.packets_sent == accounted,
                "sent = arrived + dropped + in network",
            ),
            (self.bytes_delivered <= size, "delivered <= size"),
            (
                !self.complete || self.bytes_delivered == size,
                "complete: delivered = size",
            ),
            (
                !self.complete || is_in_order,
                "delivered before acknowledged",
            ),
            (
                self.packets_retransmitted <= self.packets_sent,
                "retransmitted <= sent",
            ),
            (self.packets_marked <= self.packets_sent, "marked <= sent"),
            (!is_steady || is_possible, "not faster than the ideal"),
        ] {
            if !holds {
                return Err(format!("{account}: {self:?}"));
            }
        }
        Ok(())
    }
}

impl TransferRow {
    /// One write's accounts; its time only where the path's rate is steady.
    fn audit(&self, is_steady: bool) -> Result<(), String> {
        let times = self.delivered_s.zip(self.available_s);
        let took = times.map(|(delivered, available)| delivered - available);
        let is_possible = took.is_none_or(|took| took >= self.ideal_fct_s - ROUNDING_S);
        for (holds, account) in [
            (self.packets_dropped <= self.packets_sent, "dropped <= sent"),
            (
                self.packets_retransmitted <= self.packets_sent,
                "retransmitted <= sent",
            ),
            (!is_steady || is_possible, "not faster than the ideal"),
        ] {
            if !holds {
                return Err(format!("{account}: {self:?}"));
            }
        }
        Ok(())
    }
}

/// A rate that varies may be above its mean, with which the ideal counts.
fn varies(scenario: &Scenario) -> bool {
    let path = &scenario.path;
    path.rate_variation.is_some()
        || path.rate_trace.is_some()
        || path.reverse_rate_trace.is_some()
        || !path.rate_steps.is_empty()
}
