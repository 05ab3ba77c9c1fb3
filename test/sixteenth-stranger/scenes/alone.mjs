// One bot alone in its account, that turns its position again and again: nobody else ever holds anything.
import { plain } from "../decimal.mjs";
import { pause, run } from "../house.mjs";
import { behind, finish, rich } from "./races.mjs";

const LIMITS = [
  "--markets",
  "any",
  "--max-distance",
  "any",
  "--max-order",
  "any",
  "--max-position",
  "any",
  "--max-exposure",
  "any",
  "--max-turnover-per-day",
  "any",
  "--max-loss-per-day",
  "any",
];
const WAYS = [
  [300, 1500, 4000, "both"],
  [0, 0, 0, "none"],
  [300, 1500, 4000, "read"],
  [0, 0, 0, "stream"],
];
async function alone(h, say) {
  const way = WAYS[(h.seed - 1) % 4];
  h.notes.push(`behind: ${way[3]}`);
  const key = await h.newKey(["--bot", "alone", ...LIMITS]);
  for (let i = 0; i < 24; i++) {
    behind(h, way[i % 3], ["none", "read"].includes(way[3]) ? 0 : [0, 100, 800][(i >> 1) % 3]);
    const held = plain(h.x.holding("ETH").szi);
    const side = i % 4 < 2 ? "sell" : "buy";
    const r = await h.order(
      "ETH",
      side,
      "0.1",
      side === "sell" ? "2400" : "2600",
      `alone-${h.seed}-${i}`,
      { time_in_force: "ioc" },
      key,
    );
    if (r.json?.error?.code === "rail_refused")
      say(
        `${i} at ${new Date(r.t0).toISOString().slice(14)}: ${side} 0.1 while ${held} is held, all of it the bot's own: ${r.text}`,
      );
    else if (r.json?.status !== "filled") h.notes.push(`${side} at ${held}: ${r.status} ${r.json?.status ?? r.text}`);
    await pause(h.x.rnd() * 300);
  }
  await finish(h, say);
}
async function hookTurns(h, say) {
  const key = await h.newKey(["--bot", "chart", ...LIMITS]);
  const made = await run([
    "hook",
    "create",
    "--key-hash",
    h.keys[key].hash,
    "--name",
    "chart",
    "--mode",
    "target",
    "--market",
    "ETH",
    "--sources",
    "127.0.0.0/8",
    "--public-url",
    "http://127.0.0.1:9",
    "--passphrase-file",
    h.pass,
    "--data-dir",
    h.dir,
    "--json",
  ]);
  if (made.code !== 0) return say(`hook: ${made.out}${made.err}`);
  const path = /\/hooks\/[A-Za-z0-9_-]+/.exec(made.out)?.[0];
  for (let i = 0; i < 8; i++) {
    behind(h, [300, 1500, 4000][i % 3], [0, 100, 800][(i >> 1) % 3]);
    const target = i % 2 ? "0.3" : "-0.2";
    await fetch(`http://127.0.0.1:${h.options.hooksPort}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ target, time: new Date().toISOString() }),
    });
    const there = await h.until("there", () => plain(h.x.holding("ETH").szi) === target, 6);
    if (there) continue;
    const out = JSON.parse((await run(["hook", "deliveries", "chart", "--data-dir", h.dir, "--json"])).out);
    const last = out.deliveries[0];
    say(`target ${target}, held ${plain(h.x.holding("ETH").szi)} after 6 s: ${last.status} ${last.reason}`);
  }
  await finish(h, say);
}
const hooksPort = 41000 + (process.pid % 8000);
export const scenes = {
  alone: {
    about: "a bot alone in its account turns its position: no rail may speak of others",
    before: rich,
    play: alone,
    slack: 6000,
  },
  "hook-turns": {
    about: "a hook alone in its account turns its position",
    before: rich,
    play: hookTurns,
    slack: 6000,
    options: { hooksPort, env: { POSTERN_HOOKS_LISTEN: `127.0.0.1:${hooksPort}` } },
  },
};
