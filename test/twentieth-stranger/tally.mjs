// What a busy run has cost: answers by their kind, how long each took, how long an outcome was unknown, and memory.
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

const PLACES = new Set(["limit", "batch", "ioc"]);

export class Tally {
  constructor(gateway, truth) {
    Object.assign(this, { gateway, truth, memory: [], mostOpen: 0 });
    this.loop = monitorEventLoopDelay({ resolution: 5 });
    this.loop.enable();
    this.timer = setInterval(() => this.measure(), 1000);
  }

  measure() {
    this.mostOpen = Math.max(this.mostOpen, this.truth.alive.size);
    if (this.gateway.down) return;
    try {
      const status = readFileSync(`/proc/${this.gateway.process.pid}/status`, "utf8");
      this.memory.push(Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)[1]) / 1024));
      const [user, system] = readFileSync(`/proc/${this.gateway.process.pid}/stat`, "utf8").split(" ").slice(13, 15);
      this.processor = (Number(user) + Number(system)) / 100;
    } catch {
      // It has just died.
    }
  }

  end() {
    clearInterval(this.timer);
    this.loop.disable();
  }

  /** From the first asking to the answer that ended it, of those that the bots asked for. */
  static lasted(clients) {
    return [...clients.asked.values()].map((request) => ({
      request,
      ms: (request.done ? request.last.to : Date.now()) - request.from,
    }));
  }

  places(until) {
    return this.gateway.told
      .filter(({ kind, status, from }) => PLACES.has(kind) && status === 201 && from < until)
      .map(({ from, to }) => to - from)
      .sort((a, b) => a - b);
  }

  /** Answers that are no 2xx, and those that know no outcome, by what was asked. */
  words(until = Infinity) {
    const counts = new Map();
    for (const { kind, path, status, value, failed, from } of this.gateway.told) {
      if (from > until || (status >= 200 && status < 300 && status !== 202)) continue;
      const name = `${kind ?? path.split("?")[0]} ${failed ?? status} ${value?.error?.code ?? value?.status ?? ""}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1]);
  }

  line(until) {
    const places = this.places(until);
    const share = (p) => places[Math.floor((places.length - 1) * p)];
    const half = this.memory.slice(this.memory.length >> 2);
    return `places ${places.length}, p50 ${share(0.5)} p99 ${share(0.99)} most ${share(1)} ms (this process's own loop p50 ${ms(this.loop.percentile(50))} p99 ${ms(this.loop.percentile(99))}); its processor ${this.processor?.toFixed(1)} s; memory ${half[0]} to ${half.at(-1)}, most ${Math.max(...this.memory)} MiB`;
  }
}

const ms = (ns) => (ns / 1e6 - 5).toFixed(0);
