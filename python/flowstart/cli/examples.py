"""The examples in the help of each command, the most common use first."""

EXAMPLES = {
    "": (
        "flowstart compare --rate 10Mbps --rtt 100ms",
        "flowstart replay capture.pcap",
        "flowstart explore",
    ),
    "compare": (
        "flowstart compare --rate 10Mbps --rtt 100ms --size 100kB,1MB",
        "flowstart compare --path leo --startup all -o out",
        "flowstart compare --path lte --variant 'iw10: iw=10' --variant 'iw30: iw=30'",
    ),
    "replay": (
        "flowstart replay capture.pcap",
        "flowstart replay capture.pcap --variant 'iw30: startup=hystart iw=30'",
        "flowstart replay capture.pcap --network '*:buffer=60pkt' -o out",
    ),
    "explore": (
        "flowstart explore",
        "flowstart explore --path wifi --startup slow-start,search",
        "flowstart explore --map out",
    ),
    "run": (
        "flowstart run scenario.toml",
        "flowstart run scenario.toml --trace -o out",
        "flowstart run scenario.toml --pcap 0,0:receiver --qlog 0 -o out",
    ),
    "live": (
        "flowstart live --rate 10Mbps --rtt 50ms",
        "flowstart live --path wifi --stack quinn --size 1MB",
        "flowstart live --rate 20Mbps --rtt 20ms --stack linux --kernel cubic,bbr",
    ),
    "sweep": (
        "flowstart sweep --list",
        "flowstart sweep default-grid -o out",
        "flowstart sweep sweep.toml -o out --workers 4",
    ),
    "capture": (
        "flowstart capture capture.pcap",
        "flowstart capture access.csv --columns time=ts,peer=client_ip,bytes=size",
        "flowstart capture capture.pcap --calibrate",
    ),
    "map": (
        "flowstart map out",
        "flowstart map out --x bdp --y loss --size 100kB",
        "flowstart map out --startup all,-jump-start --details",
    ),
    "worst": (
        "flowstart worst jump-start",
        "flowstart worst hystart --against slow-start --measure loss",
        "flowstart worst search --search-space rate=1Mbps..100Mbps -o out",
    ),
    "check": (
        "flowstart check out",
        "flowstart check out --json",
        "flowstart check out && flowstart map out",
    ),
    "algorithms": (
        "flowstart algorithms",
        "flowstart algorithms search",
        "flowstart algorithms hystart --json",
    ),
    "paths": (
        "flowstart paths",
        "flowstart paths leo",
        "flowstart paths leo --json",
    ),
    "stacks": (
        "flowstart stacks",
        "flowstart stacks linux",
        "flowstart stacks linux --json",
    ),
    "papers": (
        "flowstart papers",
        "flowstart papers run jump-start",
        "flowstart papers cross",
    ),
    "papers list": (
        "flowstart papers list",
        "flowstart papers list --details",
        "flowstart papers list --json",
    ),
    "papers run": (
        "flowstart papers run --subset quick",
        "flowstart papers run QS-T1 --details",
        "flowstart papers run --all -o out",
    ),
    "papers cross": (
        "flowstart papers cross",
        "flowstart papers cross --fresh -o out",
        "flowstart papers cross --json",
    ),
    "schema": (
        "flowstart schema",
        "flowstart schema sweep > sweep.schema.json",
        "flowstart schema rows",
    ),
    "doctor": (
        "flowstart doctor",
        "flowstart doctor --details",
        "flowstart doctor --json",
    ),
    "completion": (
        "flowstart completion bash >> ~/.bash_completion",
        'flowstart completion zsh > "${fpath[1]}/_flowstart"',
        "flowstart completion fish > ~/.config/fish/completions/flowstart.fish",
    ),
    "man": (
        "flowstart man | man -l -",
        "flowstart man > flowstart.1",
        "flowstart man | groff -man -T ps > flowstart.ps",
    ),
}
"""Command lines by command; the empty name is `flowstart` without one."""
