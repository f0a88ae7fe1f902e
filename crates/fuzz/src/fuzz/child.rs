//! One target, execution after execution.

use crate::table::Figures;
use bolero::check;
use flowstart_fuzz::mutation::Maker;
use flowstart_fuzz::target::MOST_MEMORY;
use flowstart_fuzz::{Kind, Target};
use peak_alloc::PeakAlloc;
use std::fs::{self, File};
use std::io::{Read, Seek, Write};
use std::panic::{AssertUnwindSafe, RefUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// An execution that takes longer than this hangs. The machine may be busy with something else, so it is generous.
const MOST_TIME: Duration = Duration::from_secs(10);
/// Random bytes of an execution: mutations need few, and most choices are made with fewer.
const MOST_RANDOM: usize = 1024;
/// Interval of the watch and of reports to the parent.
const LOOK: Duration = Duration::from_millis(100);
const TELL: Duration = Duration::from_secs(5);

static EXECUTIONS: AtomicU64 = AtomicU64::new(0);
static SLOWEST_MICROS: AtomicU64 = AtomicU64::new(0);
static MOST_BYTES: AtomicU64 = AtomicU64::new(0);
/// Why the watch ended the process.
const ENDED: i32 = 86;

/// Where the input of the latest execution is kept, for the case that the process does not survive it.
pub(crate) fn current(process: u32) -> PathBuf {
    std::env::temp_dir().join(format!("flowstart-fuzz-{process}.input"))
}

/// Runs a target until its time is up, and reports to the parent on the standard output.
pub(crate) fn run(name: &str, milliseconds: &str, executions: &str) -> Result<bool, String> {
    let target = flowstart_fuzz::target(name).ok_or("no such target")?;
    let problem = |_| "a number is needed".to_string();
    let time = Duration::from_millis(milliseconds.parse().map_err(problem)?);
    let most: u64 = executions.parse().map_err(problem)?;
    let maker = Maker::of(target);
    let kept = current(std::process::id());
    let file = File::create(&kept).map_err(|error| error.to_string())?;
    let kept_input = Mutex::new(file);
    let begin = Instant::now();
    watch(begin);
    let iterations = usize::try_from(most).unwrap_or(usize::MAX);
    let ran = catch_unwind(|| {
        repeat(name, time, iterations, |bytes| match &maker {
            Some(maker) => execute(target, &maker.make(bytes), &kept_input),
            None => execute(target, bytes, &kept_input),
        });
    });
    tell(begin);
    let _ = fs::remove_file(kept);
    Ok(ran.is_ok())
}

/// Until the time or the executions are used up.
fn repeat(name: &str, time: Duration, iterations: usize, once: impl Fn(&[u8]) + RefUnwindSafe) {
    check!(name = name)
        .with_max_len(MOST_RANDOM)
        .with_test_time(time)
        .with_iterations(iterations)
        .for_each(|bytes: &[u8]| once(bytes));
}

fn execute(target: &Target, input: &[u8], kept: &Mutex<File>) {
    match target.kind {
        Kind::File { .. } => keep_file(input, kept),
        Kind::Choices => keep(input),
    }
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let begin = Instant::now();
    let ran = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    let micros = begin.elapsed().as_micros() as u64;
    let bytes = MEMORY.peak_usage().saturating_sub(before);
    EXECUTIONS.fetch_add(1, Relaxed);
    SLOWEST_MICROS.fetch_max(micros, Relaxed);
    MOST_BYTES.fetch_max(bytes as u64, Relaxed);
    if let Err(panic) = ran {
        save_smallest(target, input);
        resume_unwind(panic);
    }
    if bytes > MOST_MEMORY {
        save_smallest(target, input);
        panic!("it has allocated {bytes} bytes at once");
    }
}

/// The latest choices, which do not nest and so overflow no stack: the watch writes them where it ends the process.
static CHOICES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn keep(input: &[u8]) {
    let mut choices = CHOICES.lock().unwrap_or_else(PoisonError::into_inner);
    choices.clear();
    choices.extend(input);
}

/// Without opening a file each time: the first eight bytes are the length.
fn keep_file(input: &[u8], kept: &Mutex<File>) {
    let mut file = kept.lock().unwrap_or_else(PoisonError::into_inner);
    let record = [&(input.len() as u64).to_le_bytes(), input].concat();
    let written = file.rewind().and_then(|()| file.write_all(&record));
    written.expect("the input can be kept");
}

/// The input that the process `process` did not survive.
pub(crate) fn kept_input(process: u32) -> Option<Vec<u8>> {
    let path = current(process);
    let mut bytes = Vec::new();
    File::open(&path).ok()?.read_to_end(&mut bytes).ok()?;
    let _ = fs::remove_file(path);
    let length = u64::from_le_bytes(*bytes.first_chunk::<8>()?) as usize;
    bytes.get(8..8 + length).map(<[u8]>::to_vec)
}

/// A failing input is made smaller after it was found; the smallest one counts.
fn save_smallest(target: &Target, input: &[u8]) {
    static SMALLEST: AtomicU64 = AtomicU64::new(u64::MAX);
    if SMALLEST.fetch_min(input.len() as u64, Relaxed) > input.len() as u64 {
        let name = format!("{}-{}", target.name, std::process::id());
        save(&name, input);
    }
}

/// Keeps an input that failed, where the parent and the reader find it.
pub(crate) fn save(name: &str, input: &[u8]) -> PathBuf {
    let folder = Path::new("out/fuzz");
    let path = folder.join(name);
    let saved = fs::create_dir_all(folder).and_then(|()| fs::write(&path, input));
    if let Err(error) = saved {
        eprintln!("{}: {error}", path.display());
    }
    path
}

/// Ends the process where an execution takes too long or too much memory, and reports its progress to the parent.
fn watch(begin: Instant) {
    std::thread::spawn(move || {
        let (mut seen, mut since) = (u64::MAX, Instant::now());
        let mut told = Instant::now();
        loop {
            std::thread::sleep(LOOK);
            let executions = EXECUTIONS.load(Relaxed);
            if executions != seen {
                (seen, since) = (executions, Instant::now());
            }
            let what = match MEMORY.current_usage() > 2 * MOST_MEMORY {
                true => "takes too much memory",
                false if since.elapsed() > MOST_TIME => "takes too long",
                false => "",
            };
            if !what.is_empty() {
                tell(begin);
                eprintln!("an execution {what}");
                let choices = CHOICES.lock().unwrap_or_else(PoisonError::into_inner);
                if !choices.is_empty() {
                    save(&format!("choices-{}", std::process::id()), &choices);
                }
                std::process::exit(ENDED);
            }
            if told.elapsed() > TELL {
                told = Instant::now();
                tell(begin);
            }
        }
    });
}

/// One line of figures.
fn tell(begin: Instant) {
    let figures = Figures {
        executions: EXECUTIONS.load(Relaxed),
        seconds: begin.elapsed().as_secs_f64(),
        slowest_s: SLOWEST_MICROS.load(Relaxed) as f64 / 1e6,
        allocated_bytes: MOST_BYTES.load(Relaxed),
        resident_bytes: resident(),
        crashes: 0,
    };
    println!("{}", serde_json::to_string(&figures).unwrap_or_default());
}

/// Peak memory of the process, which counts what C libraries allocate too; zero where the system does
/// not report it.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// Runs one input without catching its panic.
pub(crate) fn reproduce(target: &Target, file: &str) -> Result<bool, String> {
    let input = fs::read(file).map_err(|error| format!("{file}: {error}"))?;
    let begin = Instant::now();
    (target.run)(&input);
    println!(
        "{} bytes, {:.6} s",
        input.len(),
        begin.elapsed().as_secs_f64()
    );
    Ok(true)
}
