#![doc = include_str!("../README.md")]

mod clock;
pub mod lab;
