// Stops, flattens, trips and their ends while orders are under way; what was told of each is kept for the judge.
import { sleep } from "./figures.mjs";

const STOPPED_WITHIN_MS = 40_000;

export class Storms {
  constructor(gateway, events, draw, keys) {
    Object.assign(this, { gateway, events, draw, keys, running: true, stops: [], trips: [], heard: 0 });
  }

  run() {
    this.done = this.loop();
    return this.done;
  }

  async loop() {
    while (this.running) {
      await sleep(this.draw.whole(1500, 5000));
      if (!this.running) return;
      try {
        await this.stop(this.draw.of(this.keys));
        await this.untrip();
      } catch (error) {
        console.log("storm broke:", error.stack);
      }
    }
  }

  /** Until an answer has come: the gateway may die meanwhile. */
  async ask(who, method, path, body, key) {
    for (let i = 0; i < 300; i++) {
      if (!this.gateway.down) {
        const answer = await this.gateway.ask(who, method, path, body, key);
        if (answer.failed === undefined && answer.status < 500 && answer.status !== 429) return answer;
      }
      await sleep(100);
    }
    throw new Error(`no answer: ${method} ${path}`);
  }

  async stop(who) {
    const scope = who.bot === null ? this.draw.of(["account", "bot"]) : "bot";
    const body = { scope, keep_protection: this.draw.chance(0.7) };
    const asked = await this.ask(who, "POST", "/v1/stop", body, `stop-${this.draw.hex(12)}`);
    if (asked.status !== 200 && asked.status !== 202)
      return this.stops.push({ who, scope, body, refused: JSON.stringify(asked.value).slice(0, 300), line: asked });
    const stop = { who, scope, body, id: asked.value.id, askedAt: asked.from, takenAt: asked.to, stoppedAt: null };
    this.stops.push(stop);
    await this.untilStopped(stop, asked);
    const isFlattened = scope === "account" || who.bot !== null;
    if (stop.stoppedAt !== null && isFlattened && this.draw.chance(0.4)) await this.flatten(stop);
    await sleep(this.draw.whole(300, 2500));
    stop.endedAt = Date.now();
    await this.resume(stop);
    return undefined;
  }

  async untilStopped(stop, asked) {
    let answer = asked;
    const until = Date.now() + STOPPED_WITHIN_MS;
    while (Date.now() < until) {
      stop.last = answer.value;
      if (answer.value.status === "stopped") {
        stop.stoppedAt = answer.to;
        return;
      }
      await sleep(120);
      answer = await this.ask(stop.who, "GET", `/v1/stops/${stop.id}`);
    }
  }

  async flatten(stop) {
    const taken = await this.ask(stop.who, "POST", `/v1/stops/${stop.id}/flatten`, { max_slippage_bps: 100 });
    stop.flattenFrom = taken.to;
    if (taken.status >= 300) return;
    for (const until = Date.now() + 15_000; Date.now() < until; ) {
      const answer = await this.ask(stop.who, "GET", `/v1/stops/${stop.id}`);
      stop.flatten = answer.value.flatten;
      if (stop.flatten !== null && ["flat", "left"].includes(stop.flatten.status)) {
        stop.flatAt = answer.to;
        return;
      }
      await sleep(150);
    }
  }

  /** What only the operator does; without a running gateway the command opens the directory itself. */
  async operator(args) {
    for (let i = 0; i < 20; i++) {
      try {
        if (!this.gateway.down)
          return await this.gateway.command([...args, "--passphrase-file", this.gateway.passphrase], this.gateway.data);
      } catch (error) {
        this.failed = error.message;
      }
      await sleep(500);
    }
    console.log("     the operator's command failed:", args.join(" "), this.failed);
    return null;
  }

  async resume(stop) {
    await this.operator(["resume", "--stop", stop.id]);
    stop.resumedAt = Date.now();
  }

  async untrip() {
    for (; this.heard < this.events.list.length; this.heard++) {
      const { at, event } = this.events.list[this.heard];
      if (event.type !== "rail.tripped") continue;
      const trip = { bot: event.data.bot, toldAt: at };
      this.trips.push(trip);
      await sleep(this.draw.whole(500, 2000));
      trip.endedAt = Date.now();
      await this.operator(["key", "untrip", "--bot", event.data.bot]);
    }
  }

  /** Whatever stands is ended, so that the end of the play can trade. */
  async end() {
    this.running = false;
    await this.done;
  }
}
