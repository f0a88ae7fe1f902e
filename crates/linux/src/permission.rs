//! What this machine and this process must permit.

use crate::agent::Agent;
use crate::namespace::Host;
use std::fs;
use std::io;
use std::net::Ipv4Addr;

/// The kernel's description of its structures, which BPF programs need.
const BTF: &str = "/sys/kernel/btf/vmlinux";

/// Why nothing can be run here: one line, without what would do instead.
///
/// `drives`: a startup is to drive the kernel's sender. All is tried and left again.
pub fn refusal(drives: bool) -> Option<String> {
    let missing = match fs::File::open("/dev/net/tun") {
        Err(e) => {
            format!("/dev/net/tun cannot be opened ({e})")
        }
        _ => match Host::new(Ipv4Addr::new(10, 9, 0, 1), &[]) {
            Err(e) => match e.kind() {
                io::ErrorKind::PermissionDenied => {
                    format!(
                        "separate network namespaces need root, or CAP_SYS_ADMIN and \
                         CAP_NET_ADMIN ({e})"
                    )
                }
                _ => format!("no network namespace with a TUN device can be made ({e})"),
            },
            _ => {
                return drives.then(driving).flatten();
            }
        },
    };
    Some(missing)
}

/// Why no startup can drive the kernel's sender.
fn driving() -> Option<String> {
    no_btf().or_else(|| Agent::start(0).err().map(|e| e.to_string()))
}

/// Why no BPF program can be fitted to this kernel.
pub fn no_btf() -> Option<String> {
    let error = fs::metadata(BTF).err()?;
    Some(format!(
        "{BTF} cannot be read ({error}): the kernel has no BTF"
    ))
}
