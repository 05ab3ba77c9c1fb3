// A kept report in the order of time: X of the exchange's log, T what was told, E events.
import fs from "node:fs";

const iso = (t) => new Date(t).toISOString().slice(14, 23);

export function look(file, pattern = ".", width = 420) {
  const { log, told, evs } = JSON.parse(fs.readFileSync(file, "utf8"));
  const lines = [];
  for (const { t, kind, x, action, ...rest } of log) {
    const result = x ? ` ${JSON.stringify(x).slice(0, 200)}` : "";
    const received = action && kind === "recv" ? ` ${JSON.stringify(action).slice(0, 300)}` : "";
    lines.push([t, `X ${kind} ${JSON.stringify(rest)}${result}${received}`]);
  }
  for (const e of told) {
    const asked = e.req ? JSON.stringify(e.req).slice(0, 200) : "";
    const answer = JSON.stringify(e.body ?? e.err)?.slice(0, 900);
    lines.push([
      e.t1,
      `T ${e.who} ${e.method} ${e.path} (${e.t1 - e.t0}ms) ${e.idem ?? ""} ${asked} -> ${e.status} ${answer}`,
    ]);
  }
  for (const { t, e } of evs)
    lines.push([t, `E ${e.id} ${e.type} ${e.created_at?.slice(14, 23)} ${JSON.stringify(e.data).slice(0, 900)}`]);
  const wanted = new RegExp(pattern);
  for (const [t, line] of lines.sort((a, b) => a[0] - b[0]))
    if (wanted.test(line)) console.log(iso(t), line.slice(0, Number(width)));
}
