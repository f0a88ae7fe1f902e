#![doc = include_str!("../README.md")]
//!
//! The main items: [`pcap::pcap`], [`qlog::qlog`].

pub mod pcap;
pub mod qlog;
