#!/usr/bin/env python3
"""Runs every fuzz target for a moment: smoke.py BUILD_FOLDER [SECONDS].

From the corpus of the tree, two at a time, some twenty seconds in all. What makes a target fail is
kept, and its path shown. The canaries have a planted fault each: they pass if that was found.
"""

import pathlib
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
# With the file in which its fault shows.
CANARIES = {"canary": "canary.cpp", "tls_canary": "tls_plant.cpp"}
CANARY_SECONDS = 20  # they need three; they end when they have found their fault
# After so long one begins anew: what a fuzzer has found new in this target leads it ever further
# from the input that is one byte from the fault.
ROUND_SECONDS = {"tls_canary": 2}
# The widest targets get more than their share.
SHARES = {"server_core": 4, "tls": 2}
INPUT_BYTES_MAX = {"canary": 64, "server_core": 256, "tls": 256, "tls_canary": 64}


def fuzz(target, build, seconds):
    """(whether the target is well, what to show)."""
    round_seconds = ROUND_SECONDS.get(target, seconds)
    for _ in range(seconds // round_seconds):
        well, text = fuzz_once(target, build, round_seconds)
        if well or target not in CANARIES:
            break
    return well, text


def fuzz_once(target, build, seconds):
    found = build / "fuzz" / target
    shutil.rmtree(found, ignore_errors=True)
    inputs = found / "corpus"
    inputs.mkdir(parents=True)
    command = [str(build / "bin" / f"fuzz_{target}"), f"-max_total_time={seconds}",
               f"-max_len={INPUT_BYTES_MAX.get(target, 2048)}", "-len_control=0", "-timeout=10",
               "-rss_limit_mb=2048", f"-artifact_prefix={found}/", str(inputs),
               str(HERE / "corpus" / target)]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=seconds + 60, check=False)
    output = ended.stdout.decode("utf-8", "backslashreplace")
    (found / "log").write_text(output)
    kept = [p for p in found.iterdir() if p.is_file() and p.name != "log"]
    if target in CANARIES:
        well = ended.returncode != 0 and any(
            CANARIES[target] in line and "broken invariant" in line
            for line in output.splitlines())
        return well, f"  its fault was not found: the fuzzers see nothing; {found}/log"
    text = "".join(f"  reproduce with {command[0]} {path}\n" for path in kept)
    return ended.returncode == 0, text + f"  {found}/log ends:\n" + "\n".join(
        f"  | {line}" for line in output.splitlines()[-30:])


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    targets = sorted(p.stem for p in (HERE / "targets").glob("*.cpp"))
    # The longest first, so that none runs alone at the end.
    targets.sort(key=lambda target: (target not in CANARIES, -SHARES.get(target, 1)))

    def run(target):
        share = CANARY_SECONDS if target in CANARIES else seconds * SHARES.get(target, 1)
        well, text = fuzz(target, build, share)
        print(f"{target}: {'ok' if well else 'FAILED'}")
        if not well:
            print(text)
        return well

    with ThreadPoolExecutor(max_workers=2) as pool:
        results = list(pool.map(run, targets))
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) and results else 1


if __name__ == "__main__":
    sys.exit(main())
