//! A host: a separate network namespace, with one TUN device.
//!
//! The namespace has no name and no process. Descriptors of this process are all that keeps it, so it
//! is gone with the process, however that ends.

use crate::sys;
use std::fs::{self, File};
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::OwnedFd;
use std::thread;

/// What the device is called.
const DEVICE: &str = "flowstart0";
/// Bytes of an IP packet, at most.
pub(crate) const MTU: u16 = 1500;
/// Packets that wait for the emulator to read them: more than any window.
const DEVICE_QUEUE: u32 = 100_000;

/// A host with an address.
pub(crate) struct Host {
    namespace: OwnedFd,
    address: Ipv4Addr,
}

impl Host {
    /// A host and its device. `settings` are names below `/proc/sys/net` and what is written there.
    pub(crate) fn new(
        address: Ipv4Addr,
        settings: &[(String, String)],
    ) -> io::Result<(Host, OwnedFd)> {
        let made = thread::scope(|scope| {
            let made = scope.spawn(|| {
                sys::unshare_network()?;
                let namespace = OwnedFd::from(File::open("/proc/thread-self/ns/net")?);
                sys::turn_on_loopback()?;
                for (name, value) in settings {
                    write_setting(name, value)?;
                }
                let device = sys::open_tun(DEVICE)?;
                sys::configure(DEVICE, address, MTU, DEVICE_QUEUE)?;
                Ok((Host { namespace, address }, device))
            });
            made.join()
        });
        made.unwrap_or_else(|_| Err(io::Error::other("a thread ended early")))
    }

    /// Its address.
    pub(crate) fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// This thread is in its network from now on.
    pub(crate) fn enter(&self) -> io::Result<()> {
        sys::enter_network(&self.namespace)
    }

    /// Does something in its network, on a separate thread. Sockets that are made there stay there.
    pub(crate) fn run<T: Send>(
        &self,
        work: impl FnOnce() -> io::Result<T> + Send,
    ) -> io::Result<T> {
        let done = thread::scope(|scope| {
            let done = scope.spawn(|| {
                self.enter()?;
                work()
            });
            done.join()
        });
        done.unwrap_or_else(|_| Err(io::Error::other("a thread ended early")))
    }
}

/// The kernel looks up these files in the network of the thread that opens them.
fn write_setting(name: &str, value: &str) -> io::Result<()> {
    let path = format!("/proc/sys/net/{name}");
    fs::write(&path, value)
        .map_err(|e| io::Error::new(e.kind(), format!("{path} cannot be set to `{value}`: {e}")))
}
