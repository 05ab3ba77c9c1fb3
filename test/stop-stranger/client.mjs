import crypto from "node:crypto";
import http from "node:http";
import { now, sleep } from "./random.mjs";

// Answers with `{ status, headers, body }`; an answer that is cut off is an error.
export function request(port, method, path, { headers = {}, body = null, timeout = 12000 } = {}) {
  return new Promise((ok, no) => {
    const r = http.request(
      {
        host: "127.0.0.1",
        port,
        method,
        path,
        headers: { ...headers, ...(body !== null ? { "Content-Type": "application/json" } : {}) },
        agent: false,
        timeout,
      },
      (res) => {
        let b = "";
        res.on("data", (d) => {
          b += d;
        });
        res.on("error", no);
        res.on("end", () => {
          let j = b;
          try {
            j = JSON.parse(b);
          } catch {}
          if (!res.complete) return no(new Error("cut"));
          ok({ status: res.statusCode, headers: res.headers, body: j });
        });
        res.on("aborted", () => no(new Error("aborted")));
      },
    );
    r.on("timeout", () => r.destroy(new Error("timeout")));
    r.on("error", no);
    if (body !== null) r.write(JSON.stringify(body));
    r.end();
  });
}
// One API key: all it is told is kept, each answer with its time.
export class Client {
  constructor(A, name, key) {
    this.A = A;
    this.name = name;
    this.key = key;
    this.hash = crypto.createHash("sha256").update(key).digest("hex");
  }
  async req(method, path, body, { idem, until = now() + 60000, retry503 = true, once = false } = {}) {
    const A = this.A;
    let last;
    for (;;) {
      const t0 = now();
      try {
        const r = await A.gw.request(method, path, {
          headers: { Authorization: `Bearer ${this.key}`, ...(idem ? { "Idempotency-Key": idem } : {}) },
          body,
        });
        const e = {
          t0,
          t1: now(),
          who: this.name,
          method,
          path,
          idem,
          req: body,
          status: r.status,
          body: r.body,
          replay: r.headers["idempotent-replayed"],
        };
        A.told.push(e);
        last = e;
        if (once) return e;
        if ((r.status === 503 || r.status === 429) && retry503 && now() < until) {
          await sleep(400);
          continue;
        }
        return e;
      } catch (err) {
        A.told.push({
          t0,
          t1: now(),
          who: this.name,
          method,
          path,
          idem,
          req: body,
          status: 0,
          err: String(err.message),
        });
        last = { status: 0, t0, t1: now() };
        if (once || now() > until) return last;
        await sleep(150);
      }
    }
  }
  get(p, o) {
    return this.req("GET", p, null, o);
  }
  post(p, b, idem, o) {
    return this.req("POST", p, b, { idem, ...o });
  }
  events() {
    let lastId = "0";
    const A = this.A;
    const run = async () => {
      while (!A.over) {
        await new Promise((ok) => {
          const r = http.request(
            {
              host: "127.0.0.1",
              port: A.gw.port,
              path: "/v1/events",
              agent: false,
              headers: { Authorization: `Bearer ${this.key}`, "Last-Event-ID": lastId },
            },
            (res) => {
              let b = "";
              res.on("data", (d) => {
                b += d;
                for (let i = b.indexOf("\n\n"); i >= 0; i = b.indexOf("\n\n")) {
                  const blk = b.slice(0, i);
                  b = b.slice(i + 2);
                  const data = blk
                    .split("\n")
                    .filter((l) => l.startsWith("data:"))
                    .map((l) => l.slice(5))
                    .join("");
                  const id = blk.split("\n").find((l) => l.startsWith("id:"));
                  if (id) lastId = id.slice(3).trim();
                  if (data) {
                    let e;
                    try {
                      e = JSON.parse(data);
                    } catch {
                      continue;
                    }
                    A.evs.push({ t: now(), e });
                  }
                }
              });
              res.on("error", ok);
              res.on("end", ok);
              res.on("aborted", ok);
            },
          );
          r.on("error", ok);
          r.setTimeout(40000, () => r.destroy());
          A.evReq = r;
          r.end();
        });
        await sleep(200);
      }
    };
    void run();
  }
}
