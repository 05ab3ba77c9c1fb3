// An operator's commands as they are printed: a backup, a trial, a machine that is lost and one that comes back, while clients go on.
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, pause, until } from "./lab.mjs";
import { Agent } from "./mcp.mjs";

async function installed(lab) {
  await lab.setUp();
  await lab.serve();
  await lab.ready();
  return lab.plainKey();
}

const resting = (size) => ({ market: "BTC", side: "buy", size, price: "60000" });

export async function trial(report, lab) {
  await installed(lab);
  const bot = await lab.grant("bot-1", ["--markets", "BTC"]);
  const agent = new Agent(lab, bot.key);
  await agent.open();
  const before = await lab.order(resting("0.001"), lab.plain, "before-the-trial");
  await lab.kill("SIGTERM");
  writeFileSync(join(lab.data, "upgrade-trial"), "");
  await lab.serve();
  await pause(2000);
  const asked = [
    await lab.ask("GET", "/readyz"),
    await lab.order(resting("0.002")),
    await lab.post(`/v1/orders/${before.json.id}/cancel`, {}),
    await lab.ask("PUT", "/v1/heartbeat", { key: lab.plain, body: { within_s: 60 } }),
    await lab.post("/v1/api-keys/self/narrow", { max_order: "100 USD" }, bot.key),
  ];
  report.say(
    "on trial every write is 503",
    asked.every((answer) => answer.status === 503),
    asked.map((answer) => answer.text),
    "critical",
  );
  const proposed = await agent.call("propose_order", { market: "BTC", side: "buy", size: "0.001", price: "90000" });
  report.say("and an agent is told that nothing was done", proposed.outcome === "error", proposed, "high");
  const stop = await lab.command(["stop"]);
  if (stop.code !== 0) report.note(`postern stop during a trial: ${stop.err.trim()}`);
  const status = await lab.command(["upgrade", "status"]);
  report.say("`upgrade status` says so", status.out.includes("on_trial true"), status);
  await lab.command(["upgrade", "open"]);
  await lab.ready();
  const after = await lab.order(resting("0.003"));
  report.say("once it is opened orders are taken", after.status === 201, after.text, "high");
  report.say("and the trial is over on the disk", !existsSync(join(lab.data, "upgrade-trial")), "", "high");
  await lab.kill("SIGTERM");
  writeFileSync(join(lab.data, "accepted-writes-by"), "9.0.0\n");
  const older = await lab.command(
    ["serve", "--listen", `127.0.0.1:${await freePort()}`, "--passphrase-file", lab.phrase],
    { withinMs: 20_000 },
  );
  report.say("a version that is older than what has taken writes does not start", older.code > 0, older, "critical");
}

async function backups(report, lab) {
  const file = join(lab.home, "b.db");
  const made = await lab.command(["backup", file]);
  report.say(
    "a backup is written, for its owner alone",
    made.code === 0 && (statSync(file).mode & 0o777) === 0o600,
    made,
    "high",
  );
  const again = await lab.command(["backup", file]);
  report.say("and never over another", again.code === 1, again, "high");
  const cut = join(lab.home, "cut.db");
  writeFileSync(cut, readFileSync(file));
  truncateSync(cut, statSync(cut).size - 8192);
  const refused = await lab.command(["restore", cut], { data: join(lab.home, "r2") });
  report.say("one that was cut is refused", refused.code === 1, refused, "high");
  const other = await lab.command(["restore", file, "--network", "mainnet"], { data: join(lab.home, "r3") });
  report.say("and one of another network", other.code === 1, other, "high");
  const living = await lab.command(["restore", file]);
  report.say("and one over what is there", living.code === 1, living, "critical");
  return file;
}

export async function lostMachine(report, lab) {
  const key = await installed(lab);
  const bot = await lab.grant("bot-1", ["--markets", "BTC"]);
  const agent = new Agent(lab, bot.key);
  await agent.open();
  const { result } = await until(
    () => agent.call("market", { market: "BTC" }),
    (answer) => answer.result !== undefined,
    60_000,
  );
  const price = String(Math.floor(Number(result.mark_price) * 0.99));
  const intent = await agent.call("propose_order", { market: "BTC", side: "buy", size: "0.0017", price });
  const file = await backups(report, lab);
  const placed = await lab.order(resting("0.002"), lab.plain, "after-the-backup");
  await agent.call("place", intent.result);
  const second = await lab.command(["serve", "--passphrase-file", lab.phrase], { withinMs: 20_000 });
  report.say("a second gateway on one directory is refused", second.code > 0, second, "critical");
  await lab.kill();
  const lost = lab.data;
  const found = join(lab.home, "r1");
  const restored = await lab.command(["restore", file], { data: found });
  report.say("it is restored", restored.code === 0, restored, "high");
  const approved = await lab.approve(found, true);
  report.say("its agent is approved by what was printed", approved.code === 0, approved, "high");
  lab.data = found;
  await lab.serve(found);
  await lab.ready(120_000);
  const held = await lab.get("/v1/whoami");
  report.say("a key is on hold", held.code === "revoked_api_key", held.text, "critical");
  await lab.command(["key", "keep", key.key_hash, "--passphrase-file", lab.phrase]);
  const bare = await lab.command(["key", "keep", bot.hash, "--passphrase-file", lab.phrase]);
  report.say("a bot's comes back by an explicit word alone", bare.code === 1, bare, "high");
  await lab.command(["key", "keep", bot.hash, "--accept-older-rails", "--passphrase-file", lab.phrase]);
  const repeat = await until(
    () => lab.order(resting("0.002"), lab.plain, "after-the-backup"),
    (answer) => answer.status < 300,
    120_000,
  );
  const same = repeat.json?.exchange_order_id === placed.json.exchange_order_id;
  report.say("a key of after the backup answers with its order", same, repeat.text, "critical");
  const back = new Agent(lab, bot.key);
  await back.open();
  const again = await back.call("place", intent.result);
  report.note(`an intent that was placed after the backup, placed again: ${again.outcome} ${again.note ?? ""}`);
  const { history } = await lab.atExchange();
  const sizes = history.map((row) => row.order.origSz).sort();
  report.say("each is at the exchange once", sizes.join(" ") === "0.0017 0.002", sizes, "critical");
  await comesBack(report, lab, lost, lab.plain);
}

/** The machine that was thought lost is started again: what its agent signs is worth nothing any more. */
async function comesBack(report, lab, lost, key) {
  const port = await freePort();
  await lab.serve(lost, port, { POSTERN_AUDIENCE: lab.url, POSTERN_HOSTS: `127.0.0.1:${port}` });
  await pause(4000);
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "idempotency-key": "by-the-lost-machine",
  };
  const body = JSON.stringify({ account: lab.account, ...resting("0.009") });
  const answer = await fetch(`http://127.0.0.1:${port}/v1/orders`, { method: "POST", headers, body });
  const text = await answer.text();
  const { history } = await lab.atExchange();
  report.say("the lost machine places nothing", !history.some((row) => row.order.origSz === "0.009"), text, "critical");
}
