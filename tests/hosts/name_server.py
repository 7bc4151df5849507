"""A name server of a test's own: answers late, never, or for one family only.

    python3 name_server.py RECORDS LOG

RECORDS is JSON: {"name": {"A": "10.0.0.1", "AAAA": "fd00::1", "delay": 3, "silent": ["AAAA"]}}. A
name that is not in it does not exist. Every question goes into LOG, one a line: "A name".
"""

import ipaddress
import json
import socket
import struct
import sys
import threading

TYPES = {1: "A", 28: "AAAA", 12: "PTR"}


def question(packet):
    """(name, type, end of the question) of a query (RFC 1035, section 4)."""
    labels, at = [], 12
    while packet[at]:
        labels.append(packet[at + 1:at + 1 + packet[at]].decode("ascii"))
        at += 1 + packet[at]
    kind, = struct.unpack_from("!H", packet, at + 1)
    return ".".join(labels).lower(), TYPES.get(kind, str(kind)), at + 5


def answer(packet, end, exists, address):
    code = 0 if exists else 3
    head = packet[:2] + struct.pack("!HHHHH", 0x8180 | code, 1, 1 if address else 0, 0, 0)
    reply = head + packet[12:end]
    if address:
        data = ipaddress.ip_address(address).packed
        reply += struct.pack("!HHHIH", 0xC00C, 1 if len(data) == 4 else 28, 1, 0, len(data)) + data
    return reply


def main():
    records = json.loads(sys.argv[1])
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    with open(sys.argv[2], "a", buffering=1, encoding="ascii") as log:
        print("ready", file=log)
        while True:
            packet, client = server.recvfrom(4096)
            name, kind, end = question(packet)
            print(kind, name, file=log)
            record = records.get(name)
            if record is not None and kind in record.get("silent", []):
                continue
            reply = answer(packet, end, record is not None, (record or {}).get(kind))
            delay = (record or {}).get("delay", 0)
            threading.Timer(delay, server.sendto, (reply, client)).start()


main()
