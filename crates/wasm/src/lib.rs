//! The explorer's answers as a WebAssembly module without imports: `web/src/engine` calls it.
//!
//! A caller gets room with `input`, writes its request there, and calls a function. That returns
//! 0, or 1 where it refuses; `output` and `output_length` are where the answer or the sentence is.
#![allow(unsafe_code, reason = "an exported name is an unsafe attribute")]

use flowstart_compare::page::Page;
use flowstart_compare::{Custom, Failure, Finished, Part, Refusal, Run};
use std::cell::RefCell;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static PAGE: RefCell<Option<Page>> = const { RefCell::new(None) };
}

/// Bytes of state that the runs of an answer may hold: a module has 4 GB at most.
const MOST_BYTES: u64 = 1_000_000_000;

/// Room for a request of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Where the answer begins.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(|output| output.as_ptr())
}

/// How many bytes it has.
#[unsafe(no_mangle)]
pub extern "C" fn output_length() -> usize {
    OUTPUT.with_borrow(Vec::len)
}

/// Begins with these settings, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn begin() -> u32 {
    std::panic::set_hook(Box::new(|info| {
        OUTPUT.set(format!("a defect of flowstart: {info}").into_bytes());
    }));
    answer(|input| {
        let settings = serde_json::from_slice(&input).map_err(|e| Refusal::new(e.to_string()))?;
        PAGE.set(Some(Page::new(settings)));
        Ok(Vec::new())
    })
}

/// The table of a comparison, and what every startup did over time. Behind the request and a byte of
/// zero there may be parts; then those runs that none of them is of are left out.
#[unsafe(no_mangle)]
pub extern "C" fn compare() -> u32 {
    with_page(|page, input| {
        let (request, parts) = split(input);
        let mut parts = flowstart_compare::decode(parts)?;
        let mut runs = |runs| match std::mem::take(&mut parts) {
            none if none.is_empty() => run_all(runs),
            parts => Ok(parts),
        };
        page.compare(request, &Custom::default(), &mut runs)
    })
}

/// One of the runs of a comparison as a part of it; nothing where there is none of this number. The
/// request is the number, a byte of zero, and the request of the comparison.
#[unsafe(no_mangle)]
pub extern "C" fn part() -> u32 {
    with_page(|page, input| {
        let (number, request) = split(input);
        let number = std::str::from_utf8(number).map(str::parse);
        let Ok(Ok(number)) = number else {
            return Err(Refusal::new("the number of a run is needed").into());
        };
        page.part(request, number, &mut run_all)
    })
}

/// The first packets of a startup's flow.
#[unsafe(no_mangle)]
pub extern "C" fn packets() -> u32 {
    with_page(|page, request| {
        let found = page.packets(request, &Custom::default(), &mut run_all);
        found.map(String::into_bytes)
    })
}

/// What is in a capture. The request is its name, a byte of zero, and the file.
#[unsafe(no_mangle)]
pub extern "C" fn capture() -> u32 {
    answer(|input| {
        let (name, data) = split(&input);
        let (name, data) = (String::from_utf8_lossy(name).into_owned(), data.to_vec());
        drop(input);
        flowstart_compare::page::capture(&name, data).map(String::into_bytes)
    })
}

/// What is before the first byte of zero, and what is behind it.
fn split(input: &[u8]) -> (&[u8], &[u8]) {
    let end = input.iter().position(|byte| *byte == 0);
    let end = end.unwrap_or(input.len());
    (&input[..end], input.get(end + 1..).unwrap_or_default())
}

/// The line of `tests/data/same-bytes/hashes.txt` for a line of its scenarios: tests run the module that
/// is served.
#[unsafe(no_mangle)]
pub extern "C" fn same_bytes() -> u32 {
    answer(|line| {
        let found = flowstart_benches::same_bytes::hashed(&String::from_utf8_lossy(&line));
        found.map(String::into_bytes).map_err(Refusal::new)
    })
}

fn with_page(of: impl FnOnce(&Page, &[u8]) -> Result<Vec<u8>, Failure<Refusal>>) -> u32 {
    PAGE.with_borrow(|page| {
        answer(|request| match page {
            None => Err(Refusal::new("`begin` was not called")),
            Some(page) => of(page, &request).map_err(|failure| match failure {
                Failure::Refused(refusal) | Failure::Ended(refusal) => refusal,
            }),
        })
    })
}

/// Puts an answer to the request into the output; 1 for a refusal.
fn answer(of: impl FnOnce(Vec<u8>) -> Result<Vec<u8>, Refusal>) -> u32 {
    let found = of(INPUT.take());
    let status = u32::from(found.is_err());
    OUTPUT.set(found.unwrap_or_else(|refusal| refusal.to_string().into_bytes()));
    status
}

/// Simulates one run after the other.
fn run_all(runs: Vec<Run>) -> Result<Vec<Option<Finished>>, Refusal> {
    let finished = |run| Ok(Some(Ok(Part::from(simulated(run)?))));
    runs.into_iter().map(finished).collect()
}

fn simulated(run: Run) -> Result<flowstart_sim::Outcome, Refusal> {
    let mut is_within = true;
    let outcome = run.prepared.run_within(
        || true,
        |used| {
            is_within = used.bytes <= MOST_BYTES;
            is_within
        },
    );
    match is_within {
        true => Ok(outcome),
        false => Err(Refusal::new(
            "the simulation was stopped by the limit of 1 GB of memory; choose a smaller size or \
             window, fewer startups, or use `flowstart compare`",
        )),
    }
}
