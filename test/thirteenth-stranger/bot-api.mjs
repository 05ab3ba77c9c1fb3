// Telegram's Bot API and a webhook's receiver, at the addresses that the chat's name space has: `getUpdates`, `sendMessage`, and what was sent.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { pause, until } from "./lab.mjs";

export const ADDRESSES = { "api.telegram.org": "149.154.167.220", "hooks.example.org": "149.154.167.221" };

/** A certificate of an authority that is made for this run. */
function certificate(directory) {
  const file = (name) => join(directory, name);
  const openssl = (words) => execFileSync("openssl", words, { stdio: "ignore" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl([
    "req",
    "-x509",
    ...key,
    "-days",
    "2",
    "-subj",
    "/CN=authority",
    "-keyout",
    file("ca.key"),
    "-out",
    file("ca.pem"),
  ]);
  openssl(["req", ...key, "-subj", "/CN=chat", "-keyout", file("key.pem"), "-out", file("asked.pem")]);
  const names = Object.keys(ADDRESSES).map((name) => `DNS:${name}`);
  writeFileSync(file("names"), `subjectAltName=${names.join(",")}\n`);
  const signed = [
    "-CA",
    file("ca.pem"),
    "-CAkey",
    file("ca.key"),
    "-CAcreateserial",
    "-days",
    "2",
    "-extfile",
    file("names"),
    "-out",
    file("certificate.pem"),
  ];
  openssl(["x509", "-req", "-in", file("asked.pem"), ...signed]);
  return { key: readFileSync(file("key.pem")), cert: readFileSync(file("certificate.pem")), authority: file("ca.pem") };
}

export class BotApi {
  constructor(directory) {
    this.secrets = certificate(directory);
    this.sent = [];
    this.polls = [];
    this.updates = [];
    this.delivered = [];
    this.isReplaying = false;
    this.id = 100;
  }

  listen(name, answer) {
    const server = createServer(this.secrets, (request, response) => {
      let body = "";
      request.on("data", (part) => {
        body += part;
      });
      request.on("end", () => answer(request, body, response));
    });
    return new Promise((resolve) => server.listen(443, ADDRESSES[name], resolve));
  }

  async open() {
    await this.listen("api.telegram.org", (request, body, response) => this.answer(request, body, response));
    await this.listen("hooks.example.org", (request, body, response) => {
      this.delivered.push({ headers: request.headers, body });
      response.end();
    });
  }

  answer(request, body, response) {
    const url = new URL(request.url, "https://api.telegram.org");
    const given = { ...Object.fromEntries(url.searchParams), ...(body ? JSON.parse(body) : {}) };
    const say = (result) => response.end(JSON.stringify({ ok: true, result }));
    if (url.pathname.endsWith("/sendMessage")) {
      this.sent.push(given);
      return say({ message_id: this.sent.length });
    }
    this.polls.push(given);
    const due = () =>
      this.updates.filter(
        (update) =>
          this.isReplaying || !Number.isInteger(update.update_id) || update.update_id >= Number(given.offset ?? 0),
      );
    if (due().length > 0) return say(due());
    setTimeout(() => say(due()), 700);
  }

  /** Has an update delivered; what the gateway has said by then, which is awaited where something is to be said. */
  async tell(update, withinMs = 15_000) {
    const before = this.sent.length;
    this.updates.push(update);
    await until(() => this.sent.length > before, Boolean, withinMs);
    await pause(800);
    return this.sent.slice(before);
  }

  message(text, chat = 4242, more = {}) {
    this.id += 1;
    const said = {
      message_id: this.id,
      date: Math.floor(Date.now() / 1000),
      chat: { id: chat, type: "private" },
      text,
      ...more,
    };
    return { update_id: this.id, message: said };
  }
}
