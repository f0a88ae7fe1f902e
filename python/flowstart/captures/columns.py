"""The columns of a capture's tables, in their order."""


def _both(*names: str) -> list[str]:
    return [f"{way}_{name}" for name in names for way in ("c2s", "s2c")]


CONNECTIONS: list[str] = [
    *("stream", "file", "start", "client_ip", "client_port", "server_ip", "server_port"),
    *("ip_version", "network", "opener", "handshake", "rtt_s", "server_rtt_s"),
    *("syns", "syn_acks"),
    *_both("bytes", "seen_bytes", "payload_sum", "window", "handshake_window", "widest_window"),
    *("client_wscale", "server_wscale", "client_mss", "server_mss", "timestamps", "sack"),
    *_both("retransmissions", "out_of_order", "packets", "zero_windows"),
    *("fins", "resets", "end_s", "copies", "state", "history", "missed_bytes", "flags"),
]
"""The columns of connections in their order."""
TRANSFERS = ("connection", "direction", "start", "bytes", "end_s", "acked_s")
"""The columns of transfers in their order."""
QUIC = (
    *("file", "start", "client_ip", "client_port", "server_ip", "server_port", "version"),
    *("rtt_s", "c2s_bytes", "s2c_bytes", "c2s_datagrams", "s2c_datagrams", "end_s"),
)
"""The columns of QUIC connections in their order."""
