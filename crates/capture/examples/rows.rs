//! Prints what a capture holds as JSON.
use std::ops::ControlFlow;
fn main() {
    let path = std::env::args().nth(1).expect("a file");
    let read = flowstart_capture::read(path.as_ref(), &Default::default(), &mut |_| {
        ControlFlow::Continue(())
    });
    match read {
        Ok(capture) => println!("{}", serde_json::to_string(&capture).unwrap()),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(2)
        }
    }
}
