//! What is requested of Linux through its C interface, and nothing else: every `unsafe` block of this crate
//! is here.
#![allow(unsafe_code)]

#[cfg(feature = "bpf")]
use std::ffi::CString;
use std::ffi::c_int;
use std::io;
use std::mem::{size_of, zeroed};
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
#[cfg(feature = "bpf")]
use std::path::Path;
use std::time::Duration;

/// `TUNSETIFF`.
const TUNSETIFF: libc::Ioctl = 0x4004_54ca;
/// Maximum size of `TCP_INFO`, bytes; kernels return less or, in newer versions, more.
const INFO_BYTES: usize = 320;

fn checked(answer: c_int) -> io::Result<c_int> {
    match answer {
        -1 => Err(io::Error::last_os_error()),
        done => Ok(done),
    }
}

/// This thread has a separate network from now on.
pub(crate) fn unshare_network() -> io::Result<()> {
    // SAFETY: no memory is handed over.
    checked(unsafe { libc::unshare(libc::CLONE_NEWNET) }).map(drop)
}

/// This thread is in the network namespace of this descriptor from now on.
pub(crate) fn enter_network(namespace: &OwnedFd) -> io::Result<()> {
    // SAFETY: no memory is handed over, and the descriptor is open.
    checked(unsafe { libc::setns(namespace.as_raw_fd(), libc::CLONE_NEWNET) }).map(drop)
}

/// A request about an interface (`struct ifreq`).
fn request(name: &str) -> libc::ifreq {
    // SAFETY: all zeros are a valid request, of an interface without a name.
    let mut request: libc::ifreq = unsafe { zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *to = from as libc::c_char;
    }
    request
}

fn ask(fd: RawFd, what: libc::Ioctl, request: &mut libc::ifreq) -> io::Result<()> {
    // SAFETY: the kernel reads and writes one `ifreq`, which lives until it is done.
    checked(unsafe { libc::ioctl(fd, what, request) }).map(drop)
}

/// Makes a TUN device of this name in this thread's network. Reading and writing never wait.
pub(crate) fn open_tun(name: &str) -> io::Result<OwnedFd> {
    let flags = libc::O_RDWR | libc::O_NONBLOCK | libc::O_CLOEXEC;
    // SAFETY: the path is a string that ends in a zero.
    let fd = checked(unsafe { libc::open(c"/dev/net/tun".as_ptr(), flags) })?;
    // SAFETY: the descriptor is new, and nobody else has it.
    let device = unsafe { OwnedFd::from_raw_fd(fd) };
    let mut request = request(name);
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    ask(fd, TUNSETIFF, &mut request)?;
    Ok(device)
}

/// Gives an interface an address with a network of 256, a packet size, and a queue of so many packets,
/// and turns it on.
pub(crate) fn configure(name: &str, address: Ipv4Addr, mtu: u16, queue: u32) -> io::Result<()> {
    let socket = socket(libc::SOCK_DGRAM)?;
    let fd = socket.as_raw_fd();
    let inet = |address: Ipv4Addr| {
        let address = sockaddr(address, 0);
        // SAFETY: both are socket addresses of the same size; `sockaddr` is the general form.
        unsafe { *(&raw const address).cast::<libc::sockaddr>() }
    };
    let mut request = request(name);
    request.ifr_ifru.ifru_mtu = mtu.into();
    ask(fd, libc::SIOCSIFMTU as libc::Ioctl, &mut request)?;
    request.ifr_ifru.ifru_metric = queue as c_int;
    ask(fd, libc::SIOCSIFTXQLEN as libc::Ioctl, &mut request)?;
    request.ifr_ifru.ifru_addr = inet(address);
    ask(fd, libc::SIOCSIFADDR as libc::Ioctl, &mut request)?;
    request.ifr_ifru.ifru_netmask = inet(Ipv4Addr::new(255, 255, 255, 0));
    ask(fd, libc::SIOCSIFNETMASK as libc::Ioctl, &mut request)?;
    turn_on(fd, name)
}

/// Turns the loopback device of this thread's network on.
pub(crate) fn turn_on_loopback() -> io::Result<()> {
    turn_on(socket(libc::SOCK_DGRAM)?.as_raw_fd(), "lo")
}

fn turn_on(fd: RawFd, name: &str) -> io::Result<()> {
    let mut request = request(name);
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    ask(fd, libc::SIOCSIFFLAGS as libc::Ioctl, &mut request)
}

/// An IPv4 socket of this thread's network.
pub(crate) fn socket(kind: c_int) -> io::Result<OwnedFd> {
    // SAFETY: no memory is handed over.
    let fd = checked(unsafe { libc::socket(libc::AF_INET, kind | libc::SOCK_CLOEXEC, 0) })?;
    // SAFETY: the descriptor is new, and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn sockaddr(address: Ipv4Addr, port: u16) -> libc::sockaddr_in {
    // SAFETY: all zeros are a valid address.
    let mut found: libc::sockaddr_in = unsafe { zeroed() };
    found.sin_family = libc::AF_INET as libc::sa_family_t;
    found.sin_port = port.to_be();
    found.sin_addr.s_addr = u32::from_ne_bytes(address.octets());
    found
}

const SOCKADDR: libc::socklen_t = size_of::<libc::sockaddr_in>() as libc::socklen_t;

/// Connects a socket, and waits until it is.
pub(crate) fn connect(socket: &OwnedFd, address: Ipv4Addr, port: u16) -> io::Result<()> {
    let to = sockaddr(address, port);
    // SAFETY: the address lives until the kernel has read it, and is as long as is said.
    checked(unsafe { libc::connect(socket.as_raw_fd(), (&raw const to).cast(), SOCKADDR) })
        .map(drop)
}

/// Has a socket wait for connections to this port.
pub(crate) fn listen(socket: &OwnedFd, port: u16) -> io::Result<()> {
    let at = sockaddr(Ipv4Addr::UNSPECIFIED, port);
    // SAFETY: the address lives until the kernel has read it, and is as long as is said.
    checked(unsafe { libc::bind(socket.as_raw_fd(), (&raw const at).cast(), SOCKADDR) })?;
    // SAFETY: no memory is handed over.
    checked(unsafe { libc::listen(socket.as_raw_fd(), 128) }).map(drop)
}

/// Gives a socket a separate port.
pub(crate) fn bind(socket: &OwnedFd) -> io::Result<()> {
    let at = sockaddr(Ipv4Addr::UNSPECIFIED, 0);
    // SAFETY: the address lives until the kernel has read it, and is as long as is said.
    checked(unsafe { libc::bind(socket.as_raw_fd(), (&raw const at).cast(), SOCKADDR) }).map(drop)
}

/// Takes the next connection of a socket that waits for them.
pub(crate) fn accept(socket: &OwnedFd) -> io::Result<OwnedFd> {
    let (nobody, flags) = (std::ptr::null_mut(), libc::SOCK_CLOEXEC);
    // SAFETY: the kernel is told to say nothing of the peer's address.
    let fd =
        checked(unsafe { libc::accept4(socket.as_raw_fd(), nobody, std::ptr::null_mut(), flags) })?;
    // SAFETY: the descriptor is new, and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Ends what threads wait for at a socket: a connection, data, or room for it.
pub(crate) fn shut(socket: &OwnedFd) {
    // SAFETY: no memory is handed over.
    unsafe { libc::shutdown(socket.as_raw_fd(), libc::SHUT_RDWR) };
}

/// The port of this end of a socket.
pub(crate) fn port(socket: &OwnedFd) -> io::Result<u16> {
    let (mut at, mut length) = (sockaddr(Ipv4Addr::UNSPECIFIED, 0), SOCKADDR);
    // SAFETY: the kernel writes no more than the length that it is told, which is the address's.
    let answer =
        unsafe { libc::getsockname(socket.as_raw_fd(), (&raw mut at).cast(), &raw mut length) };
    checked(answer)?;
    Ok(u16::from_be(at.sin_port))
}

/// The port of the other end of a socket that is connected.
pub(crate) fn peer_port(socket: &OwnedFd) -> io::Result<u16> {
    let (mut at, mut length) = (sockaddr(Ipv4Addr::UNSPECIFIED, 0), SOCKADDR);
    // SAFETY: the kernel writes no more than the length that it is told, which is the address's.
    let answer =
        unsafe { libc::getpeername(socket.as_raw_fd(), (&raw mut at).cast(), &raw mut length) };
    checked(answer)?;
    Ok(u16::from_be(at.sin_port))
}

/// Sets an option of a socket.
pub(crate) fn set_option<T: Copy>(
    socket: &OwnedFd,
    (level, name): (c_int, c_int),
    value: &T,
) -> io::Result<()> {
    set_bytes(
        socket,
        (level, name),
        (&raw const *value).cast(),
        size_of::<T>(),
    )
}

/// The same in words.
pub(crate) fn set_text(socket: &OwnedFd, option: (c_int, c_int), text: &str) -> io::Result<()> {
    set_bytes(socket, option, text.as_ptr(), text.len())
}

fn set_bytes(
    socket: &OwnedFd,
    (level, name): (c_int, c_int),
    value: *const u8,
    length: usize,
) -> io::Result<()> {
    // SAFETY: both callers hand over a reference that lives until the kernel has read so many bytes.
    let answer = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            name,
            value.cast(),
            length as libc::socklen_t,
        )
    };
    checked(answer).map(drop)
}

/// The kernel's values of a TCP socket under `TCP_INFO` or `TCP_CC_INFO`, with their length.
pub(crate) fn tcp_option(socket: &OwnedFd, name: c_int) -> io::Result<Vec<u8>> {
    let mut found = vec![0_u8; INFO_BYTES];
    let mut length = INFO_BYTES as libc::socklen_t;
    // SAFETY: the kernel writes no more than the length that it is told, which is the vector's.
    let answer = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            name,
            found.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    checked(answer)?;
    found.truncate(length as usize);
    Ok(found)
}

/// This thread comes before others (`SCHED_FIFO`) and its sleeps end when they are over. Where that is
/// not permitted it continues as it was; how late it is is measured anyway.
pub(crate) fn come_first(priority: c_int) {
    // SAFETY: the parameters live until the kernel has read them.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
        let parameters = libc::sched_param {
            sched_priority: priority,
        };
        libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters);
    }
}

/// Waits until one of these can be read or the time is over.
pub(crate) fn wait_readable(files: &[RawFd], most: Duration) -> io::Result<()> {
    let mut polled: Vec<libc::pollfd> = files
        .iter()
        .map(|&fd| libc::pollfd {
            fd,
            events: libc::POLLIN,
            revents: 0,
        })
        .collect();
    let time = libc::timespec {
        tv_sec: most.as_secs() as libc::time_t,
        tv_nsec: most.subsec_nanos().into(),
    };
    // SAFETY: the kernel reads and writes as many entries as it is told there are, and reads the time.
    let answer = unsafe {
        libc::ppoll(
            polled.as_mut_ptr(),
            polled.len() as libc::nfds_t,
            &raw const time,
            std::ptr::null(),
        )
    };
    match checked(answer) {
        Err(e) if e.kind() != io::ErrorKind::Interrupted => Err(e),
        _ => Ok(()),
    }
}

/// Ends a process, which may clean up (`SIGTERM`).
#[cfg(feature = "bpf")]
pub(crate) fn terminate(process: u32) {
    // SAFETY: no memory is handed over.
    unsafe { libc::kill(process as libc::pid_t, libc::SIGTERM) };
}

/// Whether this folder is one of the BPF file system (`BPF_FS_MAGIC`).
#[cfg(feature = "bpf")]
pub(crate) fn is_bpf_files(folder: &Path) -> bool {
    let Ok(path) = CString::new(folder.as_os_str().as_encoded_bytes()) else {
        return false;
    };
    // SAFETY: the path ends in a zero, and the kernel writes one `statfs`, which lives until it is done.
    unsafe {
        let mut found: libc::statfs = zeroed();
        libc::statfs(path.as_ptr(), &raw mut found) == 0 && found.f_type == 0xcafe_4a11
    }
}

/// The kernel's monotonic clock, nanoseconds: that of the events of BPF programs.
pub(crate) fn monotonic() -> u64 {
    // SAFETY: the kernel writes one `timespec`, which lives until it is done.
    unsafe {
        let mut time: libc::timespec = zeroed();
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time);
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    }
}
