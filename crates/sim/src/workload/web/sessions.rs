//! The sessions of a run: what each has read, and what it requests next.
//!
//! Sessions do not depend on links and endpoints. They are notified when a connection's data has
//! arrived and when it has closed, and return their next wake; a wake requests at most
//! one connection. Every variable of every session has a separate random stream, and
//! draws are made in the order of pages and objects, so that all startups under comparison
//! see the same ones whatever their timing.

use super::entry::{WebEntry, WebRoute};
use crate::flow_plan::{FlowPlan, Opening};
use crate::maybe_time::MaybeTime;
use crate::record::object::ObjectRecord;
use crate::slab::Slab;
use crate::spec::{Direction, PauseFrom};
use flowstart_control::{Duration, Instant};
use flowstart_network::moment::Moment;
use flowstart_network::random::{below, stream};
use rand_pcg::Pcg64Mcg;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::{NonZeroU32, NonZeroU64};

/// A connection that is to open now.
pub struct Launch {
    /// What it is like.
    pub plan: FlowPlan,
    /// How it opens.
    pub opening: Opening,
    /// Which of the entries' routes its data takes.
    pub route: u32,
}

/// All sessions of a run.
pub struct Sessions<'a> {
    entries: &'a [WebEntry],
    seed: u64,
    /// Flows that are none of ours come first.
    first_flow: u32,
    /// What each flow is for.
    purposes: Vec<Purpose>,
    objects: Vec<ObjectRecord>,
    starts: Vec<Starts>,
    sessions: Slab<Session>,
    pages: Slab<Page>,
    wakes: BinaryHeap<Reverse<Wake>>,
    /// How many wakes have been requested, which identifies them.
    asked: u64,
    /// Those of which the run has not heard.
    news: Vec<Moment>,
    unfinished: usize,
}

#[derive(Clone, Copy)]
enum Purpose {
    Request(u32),
    Response(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Wake {
    moment: Moment,
    order: u64,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// The next session of this entry begins.
    Session(u32),
    /// The next page of this session begins.
    Page(u32),
    /// This page requests its next object.
    Object(u32),
    /// A server answers the request for this object, on a connection that opens so.
    Response(u32, Opening),
}

/// The sessions of an entry that have not begun.
struct Starts {
    next: u32,
    interval: Pcg64Mcg,
}

/// An open session, with the random stream of each of its variables.
struct Session {
    entry: u32,
    number: u32,
    client: u32,
    pages_left: u64,
    pages_begun: u32,
    pages_open: u32,
    server: Pcg64Mcg,
    page_pause: Pcg64Mcg,
    objects: Pcg64Mcg,
    object_pause: Pcg64Mcg,
    size: Pcg64Mcg,
}

/// A page that is being read.
struct Page {
    /// Where its session is.
    session: u32,
    number: u32,
    server: u32,
    objects_left: u64,
    objects_begun: u32,
    objects_open: u32,
}

impl<'a> Sessions<'a> {
    /// The sessions of these entries, whose flows come after `flows` others.
    pub fn new(entries: &'a [WebEntry], flows: usize, seed: u64) -> Sessions<'a> {
        let mut sessions = Sessions {
            entries,
            seed,
            first_flow: flows as u32,
            purposes: Vec::new(),
            objects: Vec::new(),
            starts: Vec::new(),
            sessions: Slab::default(),
            pages: Slab::default(),
            wakes: BinaryHeap::new(),
            asked: 0,
            news: Vec::new(),
            unfinished: 0,
        };
        for (i, entry) in (0..).zip(entries) {
            sessions.starts.push(Starts {
                next: 0,
                interval: stream(seed, "web interval", u64::from(i)),
            });
            sessions.unfinished += entry.sessions as usize;
            sessions.ask(entry.start, Instant::ZERO, What::Session(i));
        }
        sessions
    }

    /// How many sessions have not ended.
    pub fn unfinished(&self) -> usize {
        self.unfinished
    }

    /// The objects that have been requested, in that order.
    pub fn into_objects(self) -> Vec<ObjectRecord> {
        self.objects
    }

    /// The moments of wakes that have been requested since the last call.
    pub fn take_news(&mut self) -> impl Iterator<Item = Moment> + use<'_, 'a> {
        self.news.drain(..)
    }

    /// Whether a flow is one of ours.
    pub fn owns(&self, flow: u32) -> bool {
        flow >= self.first_flow
    }

    /// The moment of the next wake.
    pub fn next_wake(&self) -> Option<Moment> {
        self.wakes.peek().map(|Reverse(wake)| wake.moment)
    }

    /// The object that one of our flows requests or answers, by its place among all that are
    /// requested.
    pub fn object_of(&self, flow: u32) -> u32 {
        match self.purpose(flow) {
            Purpose::Request(object) | Purpose::Response(object) => object,
        }
    }

    /// The next wake has come; the connection that is to open, with the next flow's number.
    pub fn wake(&mut self, now: Instant) -> Option<Launch> {
        let Reverse(wake) = self.wakes.pop()?;
        Some(match wake.what {
            What::Session(entry) => {
                let session = self.begin_session(entry, now);
                self.begin_page(session, now)
            }
            What::Page(session) => self.begin_page(session, now),
            What::Object(page) => self.request(page, now),
            What::Response(object, opening) => self.respond(object, opening, now),
        })
    }

    /// A flow of ours has delivered all its data. `rtt` is what its sender has measured.
    pub fn on_delivered(&mut self, flow: u32, rtt: Duration, now: Instant) {
        match self.purpose(flow) {
            Purpose::Request(object) if self.entry_of(object).single_connection => {
                self.ask(now, now, What::Response(object, Opening::Established(rtt)));
            }
            Purpose::Request(_) => {}
            Purpose::Response(object) => self.objects[object as usize].responded = now.into(),
        }
    }

    /// A flow of ours has closed, having delivered everything and heard so, or having given
    /// up before or after.
    pub fn on_closed(&mut self, flow: u32, delivered: bool, acknowledged: bool, now: Instant) {
        match self.purpose(flow) {
            Purpose::Request(object) if self.entry_of(object).single_connection => {
                if !delivered {
                    self.end_object(object, now);
                }
            }
            Purpose::Request(object) if acknowledged => {
                self.ask(now, now, What::Response(object, Opening::Handshake));
            }
            Purpose::Request(object) => self.end_object(object, now),
            Purpose::Response(object) => {
                if acknowledged {
                    self.objects[object as usize].done = now.into();
                }
                self.end_object(object, now);
            }
        }
    }

    fn purpose(&self, flow: u32) -> Purpose {
        self.purposes[(flow - self.first_flow) as usize]
    }

    fn entry_of(&self, object: u32) -> &'a WebEntry {
        &self.entries[self.objects[object as usize].entry as usize]
    }

    fn ask(&mut self, at: Instant, now: Instant, what: What) {
        let moment = Moment {
            time: at,
            cause: now,
        };
        let order = self.asked;
        self.asked += 1;
        self.wakes.push(Reverse(Wake {
            moment,
            order,
            what,
        }));
        self.news.push(moment);
    }

    /// The key of the entry's next session; the one after it is seen to.
    fn begin_session(&mut self, number_of_entry: u32, now: Instant) -> u32 {
        let entry = &self.entries[number_of_entry as usize];
        let starts = &mut self.starts[number_of_entry as usize];
        let number = starts.next;
        starts.next += 1;
        if starts.next < entry.sessions {
            let at = now + entry.interval.time(&mut starts.interval);
            self.ask(at, now, What::Session(number_of_entry));
        }
        let index = u64::from(number_of_entry) << 32 | u64::from(number);
        let stream = |variable| stream(self.seed, variable, index);
        self.sessions.insert(Session {
            entry: number_of_entry,
            number,
            client: below(&mut stream("web client"), entry.clients.into()) as u32,
            pages_left: entry.pages.count(&mut stream("web pages")),
            pages_begun: 0,
            pages_open: 0,
            server: stream("web server"),
            page_pause: stream("web page pause"),
            objects: stream("web objects"),
            object_pause: stream("web object pause"),
            size: stream("web size"),
        })
    }

    /// Begins a page with its first request.
    fn begin_page(&mut self, key: u32, now: Instant) -> Launch {
        let session = self.sessions.get_mut(key);
        let entry = &self.entries[session.entry as usize];
        session.pages_left -= 1;
        session.pages_open += 1;
        let page = Page {
            session: key,
            number: session.pages_begun,
            server: below(&mut session.server, entry.servers.into()) as u32,
            objects_left: entry.objects.count(&mut session.objects),
            objects_begun: 0,
            objects_open: 0,
        };
        session.pages_begun += 1;
        if entry.page_pause_from == PauseFrom::Start && session.pages_left > 0 {
            let pause = entry.page_pause.time(&mut session.page_pause);
            self.ask(now + pause, now, What::Page(key));
        }
        let page = self.pages.insert(page);
        self.request(page, now)
    }

    /// A page's next request; the one after it is seen to.
    fn request(&mut self, key: u32, now: Instant) -> Launch {
        let page = self.pages.get_mut(key);
        let session = self.sessions.get_mut(page.session);
        let entry = &self.entries[session.entry as usize];
        let drawn = entry.size.count(&mut session.size);
        let object = ObjectRecord {
            entry: session.entry,
            session: session.number,
            page: page.number,
            object: page.objects_begun,
            server: page.server,
            client: session.client,
            packets: drawn.min(entry.max_size),
            cut: drawn > entry.max_size,
            request: self.first_flow + self.purposes.len() as u32,
            response: None,
            page_key: key,
            requested: now,
            responded: MaybeTime::NONE,
            done: MaybeTime::NONE,
        };
        page.objects_left -= 1;
        page.objects_begun += 1;
        page.objects_open += 1;
        if page.objects_left > 0 {
            let pause = entry.object_pause.time(&mut session.object_pause);
            self.ask(now + pause, now, What::Object(key));
        }
        let route = route(entry, &object, true);
        let plan = FlowPlan {
            start: now.into(),
            ..entry.plan(route)
        };
        self.purposes
            .push(Purpose::Request(self.objects.len() as u32));
        self.objects.push(object);
        Launch {
            plan,
            opening: Opening::Handshake,
            route: entry.number_of(route),
        }
    }

    fn respond(&mut self, number: u32, opening: Opening, now: Instant) -> Launch {
        let entry = self.entry_of(number);
        let object = &mut self.objects[number as usize];
        object.response = NonZeroU32::new(self.first_flow + self.purposes.len() as u32);
        self.purposes.push(Purpose::Response(number));
        let route = route(entry, object, false);
        Launch {
            plan: FlowPlan {
                start: now.into(),
                size: NonZeroU64::new(object.packets * u64::from(entry.mss)),
                handshake: opening == Opening::Handshake,
                ..entry.plan(route)
            },
            opening,
            route: entry.number_of(route),
        }
    }

    /// An object is done, or given up.
    fn end_object(&mut self, object: u32, now: Instant) {
        let page_key = self.objects[object as usize].page_key;
        let page = self.pages.get_mut(page_key);
        page.objects_open -= 1;
        if page.objects_open > 0 || page.objects_left > 0 {
            return;
        }
        let key = page.session;
        self.pages.remove(page_key);
        let session = self.sessions.get_mut(key);
        let entry = &self.entries[session.entry as usize];
        session.pages_open -= 1;
        if session.pages_left > 0 {
            if entry.page_pause_from == PauseFrom::End {
                let pause = entry.page_pause.time(&mut session.page_pause);
                self.ask(now + pause, now, What::Page(key));
            }
        } else if session.pages_open == 0 {
            self.sessions.remove(key);
            self.unfinished -= 1;
        }
    }
}

fn route(entry: &WebEntry, object: &ObjectRecord, request: bool) -> WebRoute {
    WebRoute {
        server: object.server,
        client: object.client,
        reverse: match entry.direction {
            Direction::Forward => false,
            Direction::Reverse => true,
            Direction::Alternate => object.session % 2 == 1,
        },
        request,
    }
}
