#!/usr/bin/env python3
"""Writes contract.json: vectors for the native formats of docs/reference/formats.md.

Made from that page with nothing but hashlib and struct, so that they check the C++ code against an
independent computation. With --check, compares instead of writing.
"""
import hashlib
import json
import pathlib
import struct
import sys

EPOCH = bytes(range(32))
OTHER_EPOCH = bytes.fromhex("f332" * 16)
TAGS = {"integer": 1, "real": 2, "boolean": 3, "text": 4, "blob": 5}


def label(text):
    return text.encode("ascii") + b"\0"


def sized(raw):
    return struct.pack(">I", len(raw)) + raw


def value_bytes(kind, value):
    if kind == "integer":
        return struct.pack(">q", int(value))
    if kind == "real":
        return struct.pack(">d", float(value) + 0.0)  # -0.0 + 0.0 is 0.0
    if kind == "boolean":
        return b"\1" if value else b"\0"
    if kind == "text":
        return value.encode("utf-8")
    return bytes.fromhex(value)


def canonical(entries):
    out = label("muster contract v1") + struct.pack(">I", len(entries))
    for name, kind, value, _ in sorted(entries, key=lambda e: e[0].encode()):
        out += sized(name.encode()) + bytes([TAGS[kind]]) + sized(value_bytes(kind, value))
    return out


def entry_digest(epoch, entry):
    name, kind, value, _ = entry
    return hashlib.sha256(
        label("muster entry v1") + epoch + sized(name.encode()) + bytes([TAGS[kind]])
        + sized(value_bytes(kind, value))).digest()


def fingerprint(epoch, entries):
    out = label("muster fingerprint v1") + epoch + struct.pack(">I", len(entries))
    for entry in sorted(entries, key=lambda e: e[0].encode()):
        out += sized(entry[0].encode()) + bytes([TAGS[entry[1]]]) + entry_digest(epoch, entry)
    return hashlib.sha256(out).digest()


def record(epoch, entries):
    out = b"\1" + fingerprint(epoch, entries) + struct.pack(">I", len(entries))
    for entry in sorted(entries, key=lambda e: e[0].encode()):
        name, kind, value, is_open = entry
        out += sized(name.encode()) + bytes([TAGS[kind], 1 if is_open else 0])
        out += entry_digest(epoch, entry)
        if is_open:
            out += sized(value_bytes(kind, value))
    return out


def contract_vector(name, epoch, entries):
    return {
        "name": name,
        "epoch": epoch.hex(),
        "entries": [{"name": n, "type": k, "value": v, "open": o} for n, k, v, o in entries],
        "canonical": canonical(entries).hex(),
        "digest": hashlib.sha256(canonical(entries)).hexdigest(),
        "entry_digests": {e[0]: entry_digest(epoch, e).hex() for e in entries},
        "fingerprint": fingerprint(epoch, entries).hex(),
        "record": record(epoch, entries).hex(),
    }


def token_vector(epoch, incarnation, view, generation, print_of):
    bound = epoch + struct.pack(">QI", incarnation, view)
    request = label("muster request v1") + bound + struct.pack(">Q", generation) + print_of
    return {
        "epoch": epoch.hex(),
        "incarnation": f"{incarnation:016x}",
        "view": view,
        "generation": generation,
        "fingerprint": print_of.hex(),
        "agreement_token": hashlib.sha256(label("muster agreement v1") + bound).hexdigest(),
        "request_token": hashlib.sha256(request).hexdigest(),
    }


def vectors():
    example = [("jitter", "real", "0.1", True), ("steps", "integer", "1000", False)]
    everything = [
        ("z.text", "text", "gr\u00fc\u00df dich", True),
        ("a.integer", "integer", "-1", False),
        ("a.smallest", "integer", str(-2**63), True),
        ("b.real", "real", "5e-324", True),
        ("b.zero", "real", "-0.0", False),
        ("c.yes", "boolean", True, False),
        ("c.no", "boolean", False, True),
        ("d.blob", "blob", "00ff10", False),
        ("d.empty", "blob", "", True),
        ("d.none", "text", "", False),
        ("B", "integer", "0", False),
    ]
    contracts = [
        contract_vector("empty", EPOCH, []),
        contract_vector("the worked example", EPOCH, example),
        contract_vector("the same in another epoch", OTHER_EPOCH, example),
        contract_vector("order and sharing do not matter", EPOCH,
                        [(n, k, v, not o) for n, k, v, o in reversed(example)]),
        contract_vector("every type", OTHER_EPOCH, everything),
        contract_vector("largest value", EPOCH, [("n" * 128, "blob", "ab" * 4096, True)]),
    ]
    print_of = fingerprint(EPOCH, example)
    tokens = [
        token_vector(EPOCH, 1, 0, 1, print_of),
        token_vector(EPOCH, 0x0123456789ABCDEF, 7, 2, print_of),
        token_vector(OTHER_EPOCH, 2**64 - 1, 2**32 - 1, 2**63 - 1, bytes(32)),
    ]
    return {"format": "muster contract vectors 1", "contracts": contracts, "tokens": tokens}


def main():
    text = json.dumps(vectors(), indent=1) + "\n"
    path = pathlib.Path(__file__).with_name("contract.json")
    if "--check" not in sys.argv[1:]:
        path.write_text(text)
    elif path.read_text() != text:
        sys.exit(f"{path} is not what {pathlib.Path(__file__).name} makes")


if __name__ == "__main__":
    main()
