// The gateway's own stream of events, followed over its deaths.
import { sleep } from "./figures.mjs";

export class Events {
  constructor(gateway, who) {
    Object.assign(this, { gateway, who, last: null, list: [], running: true, resets: 0 });
  }

  async run() {
    while (this.running) {
      try {
        await this.follow();
      } catch {
        // The gateway has died or ended the stream: come back to where it was.
      }
      await sleep(150);
    }
  }

  async follow() {
    this.abort = new AbortController();
    const headers = {
      Authorization: `Bearer ${this.who.secret}`,
      ...(this.last === null ? {} : { "Last-Event-ID": this.last }),
    };
    const answer = await fetch(`${this.gateway.url}/v1/events`, { headers, signal: this.abort.signal });
    if (!answer.ok) return;
    let text = "";
    const decoder = new TextDecoder();
    for await (const part of answer.body) {
      text += decoder.decode(part, { stream: true });
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        this.take(text.slice(0, end));
        text = text.slice(end + 2);
      }
    }
  }

  take(block) {
    const data = /^data: ?(.*)$/m.exec(block)?.[1];
    if (data === undefined) return;
    const event = JSON.parse(data);
    this.last = event.id;
    if (event.type === "reset") this.resets++;
    if (event.type !== "ready" && event.type !== "reset") {
      this.list.push({ at: Date.now(), event });
      this.heard?.(event);
    }
  }

  end() {
    this.running = false;
    this.abort?.abort();
  }
}
