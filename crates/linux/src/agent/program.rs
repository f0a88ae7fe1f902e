//! The program in the kernel, and the thread that answers its events.
//!
//! The program is a congestion control that sockets take by name (`TCP_CONGESTION`). Nothing is pinned:
//! descriptors of this process are all that keeps it.

use super::connection::Connection;
use super::records::{Command, Event, Ports, What};
use crate::sys;
use flowstart_control::{Duration, Instant};
use flowstart_live::links::Lateness;
use libbpf_rs::{
    Link, MapCore, MapFlags, MapHandle, Object, ObjectBuilder, PrintLevel, RingBufferBuilder,
};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

/// The compiled program; `bpf/build.sh` makes it.
const OBJECT: &[u8] = include_bytes!("../../bpf/flowstart.bpf.o");
/// Place of its name among what `struct tcp_congestion_ops` of `kernel.h` begins with: behind five
/// functions.
const NAME_AT: usize = 5 * 8;
/// `TCP_CA_NAME_MAX`.
const NAME_BYTES: usize = 16;
/// It comes before programs, and behind the emulator.
const PRIORITY: i32 = 30;
/// For how long the thread sleeps where nothing happens.
const NAP: std::time::Duration = std::time::Duration::from_millis(100);

/// A request to the thread.
enum Request {
    /// To look after the sender of this socket, which has these ports; an answer when it may send.
    Attend(Ports, OwnedFd, Box<Connection>, Sender<()>),
    /// To give it back.
    Release(Ports, Sender<Option<Box<Connection>>>),
}

/// A congestion control of the kernel's by the name of which sockets are driven from here.
pub struct Agent {
    name: String,
    requests: Option<Sender<Request>>,
    bell: UnixStream,
    thread: Option<JoinHandle<Lateness>>,
}

impl Agent {
    /// Loads the program. Times count from `origin`, nanoseconds of the monotonic clock.
    pub fn start(origin: u64) -> io::Result<Agent> {
        let name = new_name();
        let (object, link) = load(&name)?;
        let (requests, asked) = mpsc::channel();
        let (bell, rung) = UnixStream::pair()?;
        rung.set_nonblocking(true)?;
        let desk = Desk {
            origin,
            commands: map(&object, "commands")?,
            attended: HashMap::new(),
            early: HashMap::new(),
            answered: Vec::new(),
        };
        let events = map(&object, "events")?;
        let thread = thread::spawn(move || {
            let answered = desk.run(&events, &asked, rung);
            drop((link, object));
            answered
        });
        Ok(Agent {
            name,
            requests: Some(requests),
            bell,
            thread: Some(thread),
        })
    }

    /// What it is called among the kernel's congestion controls.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn ask<T>(&self, request: impl FnOnce(Sender<T>) -> Request) -> io::Result<Receiver<T>> {
        let ended = || io::Error::other("the agent ended early");
        let (answer, answered) = mpsc::channel();
        let requests = self.requests.as_ref().ok_or_else(ended)?;
        requests.send(request(answer)).map_err(|_| ended())?;
        (&self.bell).write_all(&[0])?;
        Ok(answered)
    }

    /// Looks after the sender of this socket, which has or will have these ports, from now on. The
    /// answer comes when it may send.
    pub fn attend(
        &self,
        ports: Ports,
        socket: OwnedFd,
        connection: Connection,
    ) -> io::Result<Receiver<()>> {
        self.ask(|answer| Request::Attend(ports, socket, Box::new(connection), answer))
    }

    /// Gives back the sender of the socket of these ports.
    pub fn release(&self, ports: Ports) -> io::Result<Option<Box<Connection>>> {
        let answered = self.ask(|answer| Request::Release(ports, answer))?;
        Ok(answered.recv().unwrap_or(None))
    }

    /// Takes the program out of the kernel. How long after events they were answered.
    pub fn stop(mut self) -> Lateness {
        self.end().unwrap_or_default()
    }

    fn end(&mut self) -> Option<Lateness> {
        self.requests = None;
        let _ = (&self.bell).write_all(&[0]);
        self.thread.take()?.join().ok()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.end();
    }
}

/// A name that no other process has, nor another agent of this one.
fn new_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed) % 1000;
    format!("fs{}_{number}", std::process::id())
}

fn load(name: &str) -> io::Result<(Object, Link)> {
    libbpf_rs::set_print(Some((PrintLevel::Warn, |_, line| log(&line))));
    let failed =
        |what: &str, e: libbpf_rs::Error| io::Error::other(format!("{what}: {e}{}", logged()));
    let mut open = ObjectBuilder::default()
        .open_memory(OBJECT)
        .map_err(|e| failed("the BPF program cannot be read", e))?;
    for mut map in open.maps_mut() {
        if map.name() == "flowstart" {
            let start = map.initial_value_mut();
            let field = start.and_then(|start| start.get_mut(NAME_AT..NAME_AT + NAME_BYTES));
            let field = field.ok_or_else(|| io::Error::other("the BPF program has no name"))?;
            field.fill(0);
            field[..name.len()].copy_from_slice(name.as_bytes());
        }
    }
    let mut object = open
        .load()
        .map_err(|e| failed("the kernel does not take the BPF program", e))?;
    let mut maps = object.maps_mut();
    let mut control = maps
        .find(|map| map.name() == "flowstart")
        .ok_or_else(|| io::Error::other("the BPF program has no congestion control"))?;
    let link = control
        .attach_struct_ops()
        .map_err(|e| failed("the kernel does not take the congestion control", e))?;
    drop(maps);
    Ok((object, link))
}

/// The last line that libbpf has written, for errors: nothing of it goes to the terminal.
static LOG: std::sync::Mutex<String> = std::sync::Mutex::new(String::new());

fn log(line: &str) {
    if let Ok(mut log) = LOG.lock() {
        *log = line.trim().replace('\n', "; ");
    }
}

fn logged() -> String {
    let line = LOG.lock().map(|log| log.clone()).unwrap_or_default();
    if line.is_empty() {
        line
    } else {
        format!(" ({line})")
    }
}

fn map(object: &Object, name: &str) -> io::Result<MapHandle> {
    let found = object.maps().find(|map| map.name() == name);
    let found = found.ok_or_else(|| io::Error::other("a map of the BPF program is missing"))?;
    MapHandle::try_from(&found).map_err(io::Error::other)
}

/// A sender that is looked after.
struct Attended {
    socket: OwnedFd,
    connection: Box<Connection>,
    opened: Option<Sender<()>>,
    told: Option<Command>,
}

impl Attended {
    /// Whether the kernel does not know yet what is to be done.
    fn has_news(&mut self, now: Instant) -> bool {
        self.told != Some(self.connection.command(now))
    }
}

/// Where events are answered.
struct Desk {
    origin: u64,
    commands: MapHandle,
    attended: HashMap<Ports, Attended>,
    /// Events of connections that have no owner yet.
    early: HashMap<Ports, Vec<Event>>,
    /// How long after its event each answer came.
    answered: Vec<Duration>,
}

impl Desk {
    fn run(
        mut self,
        ring: &MapHandle,
        asked: &Receiver<Request>,
        mut rung: UnixStream,
    ) -> Lateness {
        sys::come_first(PRIORITY);
        let (told, events) = mpsc::channel();
        let mut builder = RingBufferBuilder::new();
        let added = builder.add(ring, move |bytes: &[u8]| {
            // The receiver is of this thread.
            if let Some(event) = Event::read(bytes) {
                let _ = told.send(event);
            }
            0
        });
        if added.is_err() {
            return Lateness::default();
        }
        let Ok(ring) = builder.build() else {
            return Lateness::default();
        };
        let files = [ring.epoll_fd(), rung.as_raw_fd()];
        loop {
            if sys::wait_readable(&files, self.nap()).is_err() {
                break;
            }
            let mut bell = [0; 64];
            let _ = rung.read(&mut bell);
            loop {
                match asked.try_recv() {
                    Ok(request) => self.serve(request),
                    Err(mpsc::TryRecvError::Empty) => break,
                    Err(mpsc::TryRecvError::Disconnected) => return Lateness::of(self.answered),
                }
            }
            let _ = ring.consume();
            for event in events.try_iter() {
                self.on_event(event);
            }
            self.on_time();
        }
        Lateness::of(self.answered)
    }

    fn now(&self) -> Instant {
        self.time(sys::monotonic())
    }

    fn time(&self, monotonic: u64) -> Instant {
        Instant::from_nanos(monotonic.saturating_sub(self.origin))
    }

    /// Until a sender needs an event.
    fn nap(&self) -> std::time::Duration {
        let due = self
            .attended
            .values()
            .filter_map(|a| a.connection.due())
            .min();
        let wait = due.map_or(NAP, |due| {
            std::time::Duration::from_nanos(due.since(self.now()).nanos())
        });
        wait.min(NAP)
    }

    fn serve(&mut self, request: Request) {
        match request {
            Request::Attend(ports, socket, connection, opened) => {
                let attended = Attended {
                    socket,
                    connection,
                    opened: Some(opened),
                    told: None,
                };
                self.attended.insert(ports, attended);
                for event in self.early.remove(&ports).unwrap_or_default() {
                    self.on_event(event);
                }
            }
            Request::Release(ports, answer) => {
                let attended = self.attended.remove(&ports);
                let _ = answer.send(attended.map(|attended| attended.connection));
            }
        }
    }

    fn on_event(&mut self, event: Event) {
        let (at, now) = (self.time(event.now_ns), self.now());
        let ports = event.ports();
        let Some(attended) = self.attended.get_mut(&ports) else {
            if event.what() == Some(What::Released) {
                self.early.remove(&ports);
            } else {
                self.early.entry(ports).or_default().push(event);
            }
            return;
        };
        if attended.connection.on_event(&event, at) {
            let news = event.what() != Some(What::Sent) || attended.has_news(now);
            if news {
                self.tell(ports, now);
            }
            self.answered.push(self.now().since(at));
        }
    }

    fn on_time(&mut self) {
        let now = self.now();
        let due = |a: &Attended| a.connection.due().is_some_and(|due| due <= now);
        let due: Vec<Ports> = self
            .attended
            .iter()
            .filter(|(_, a)| due(a))
            .map(|(ports, _)| *ports)
            .collect();
        for ports in due {
            self.tell(ports, now);
        }
    }

    /// Leaves a command where the program finds it, and has the kernel look for something to send.
    fn tell(&mut self, ports: Ports, now: Instant) {
        let Some(attended) = self.attended.get_mut(&ports) else {
            return;
        };
        let command = attended.connection.command(now);
        if attended.told != Some(command) {
            let socket = attended.socket.as_raw_fd().to_ne_bytes();
            let left = self
                .commands
                .update(&socket, &command.write(), MapFlags::ANY);
            if left.is_ok() {
                attended.told = Some(command);
            }
        }
        attended.connection.on_look(now);
        // The kernel takes this for a reason to send what may leave (`tcp_push_pending_frames`). Looking
        // for it, it tells what has left before, so that it has to look twice.
        let nodelay = (libc::IPPROTO_TCP, libc::TCP_NODELAY);
        for _ in 0..2 {
            let _ = sys::set_option(&attended.socket, nodelay, &1_i32);
        }
        if let Some(opened) = attended.opened.take() {
            let _ = opened.send(());
        }
    }
}
