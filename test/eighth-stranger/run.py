"""`python3 run.py --binary PATH scene NAME…` or `seed N…`; exit code 1 where something CRITICAL or high was found."""
import argparse
import json
import sys
import time
import traceback

import importlib

from gateway import Gateway

MODULES = ("scenes_answers", "scenes_words", "scenes_frames", "scenes_thief", "scenes_stop", "rounds")


def scenes():
    out = {}
    for name in MODULES:
        try:
            out |= importlib.import_module(name).SCENES
        except ModuleNotFoundError as fault:
            print(fault)
    return out


def played(binary, name, play, keep):
    began, g = time.time(), None
    try:
        g = Gateway(binary)
        g.start()
        p = play(g)
        judge = p.end()
        found = judge.found
        if keep:
            with open(f"{keep}/{name}.json", "w") as f:
                json.dump({"found": found, "notes": getattr(p, "notes", []), "told": [{k: v for k, v in t.items() if k != "client"} for t in g.told],
                           "log": [str(e) for e in g.chain.log]}, f, default=str, indent=0)
    except Exception:
        found = [{"severity": "harness", "what": "the scene broke", "facts": {"why": traceback.format_exc()}}]
    finally:
        if g:
            if keep:
                with open(g.log.name) as a, open(f"{keep}/{name}.log", "w") as b:
                    b.write(a.read())
            g.close()
    print(f"{name}: {len(found)} found in {time.time() - began:.0f} s", flush=True)
    for f in found:
        print(f"  {f['severity']}: {f['what']} {json.dumps(f['facts'], default=str)[:900]}", flush=True)
    return found


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--binary", required=True)
    a.add_argument("--keep")
    a.add_argument("what", choices=["scene", "seed", "list"])
    a.add_argument("names", nargs="*")
    a = a.parse_args()
    known = scenes()
    if a.what == "list":
        return print("\n".join(known))
    found = []
    if a.what == "seed":
        from rounds import drawn
        for n in a.names:
            found += played(a.binary, f"seed-{n}", lambda g, n=int(n): drawn(g, n), a.keep)
    else:
        for name in known if a.names == ["all"] else a.names:
            found += played(a.binary, name, known[name], a.keep)
    sys.exit(any(f["severity"] in ("CRITICAL", "high") for f in found))


main()
