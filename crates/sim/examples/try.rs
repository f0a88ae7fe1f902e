use std::io::Read;
fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let s = flowstart_sim::Scenario::from_toml(&text).unwrap_or_else(|e| panic!("{e}"));
    let t = std::time::Instant::now();
    let o = flowstart_sim::run(&s).unwrap_or_else(|e| panic!("{e}"));
    let el = t.elapsed().as_secs_f64();
    for f in &o.flows {
        println!("{} size {:?} fct {:?} dur {:?} sent {} drop {} rtx {} to {} exit {:?} {:?} {:?} maxcwnd {:.2} maxq {} slow {:?}", f.startup, f.size_bytes, f.fct_s, f.duration_s, f.packets_sent, f.packets_dropped, f.packets_retransmitted, f.timeouts, f.startup_exit_reason, f.startup_exit_s, f.startup_exit_cwnd_pkts, f.max_cwnd_pkts, f.max_queue_pkts, f.slowdown);
    }
    let arrived: u64 = o.flows.iter().map(|f| f.packets_arrived).sum();
    eprintln!("events {} wall {:.4}s  {:.2} Mpkt/s", o.events, el, arrived as f64 / el / 1e6);
}
