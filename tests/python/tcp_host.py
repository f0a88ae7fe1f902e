"""A server that prints TCP_INFO before it closes a connection, and its client.

    python tcp_host.py serve ADDRESS PORT
    python tcp_host.py fetch ADDRESS PORT CC PAUSE:SIZE...

A response is written after its pause and waited for until it is acknowledged.
"""

import json
import socket
import struct
import sys
import time

FIELDS = {
    "mss": ("I", 16),
    "unacked": ("I", 24),
    "rtt": ("I", 68),
    "rttvar": ("I", 72),
    "cwnd": ("I", 80),
    "total_retrans": ("I", 100),
    "bytes_acked": ("Q", 120),
    "notsent": ("I", 144),
    "min_rtt": ("I", 148),
    "data_segs_out": ("I", 156),
    "busy_time": ("Q", 168),
    "rwnd_limited": ("Q", 176),
    "sndbuf_limited": ("Q", 184),
}
"""`struct tcp_info` of include/uapi/linux/tcp.h."""


def tcp_info(connection: socket.socket) -> dict[str, int]:
    """The kernel's figures of a connection."""
    said = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    return {name: struct.unpack_from(kind, said, at)[0] for name, (kind, at) in FIELDS.items()}


def serve(address: str, port: int) -> None:
    """Serves connections one after the other, and prints their TCP_INFO."""
    with socket.create_server((address, port)) as server:
        print("ready", flush=True)
        while True:
            connection, _ = server.accept()
            with connection:
                control, *responses = connection.recv(1000).decode().split()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
                for response in responses:
                    pause, size = response.split(":")
                    time.sleep(float(pause))
                    connection.sendall(bytes(int(size)))
                    while (info := tcp_info(connection))["unacked"] or info["notsent"]:
                        time.sleep(0.001)
                print(json.dumps(info), flush=True)


def fetch(address: str, port: int, *request: str) -> None:
    """Requests responses under a congestion control, and reads all of them."""
    with socket.create_connection((address, port)) as connection:
        connection.sendall(" ".join(request).encode())
        while connection.recv(1 << 20):
            pass


if __name__ == "__main__":
    act, address, port, *request = sys.argv[1:]
    if act == "serve":
        serve(address, int(port))
    else:
        fetch(address, int(port), *request)
