// The operator's commands: beside a gateway and without one, two at once, on a full disk, killed in the middle; and what is true afterwards.
import { chmodSync, chownSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sleep, until } from "./world.mjs";

const told = ({ code, out, err }) => ({ code, said: (err || out).trim().slice(0, 400) });
const order = (world, price, idem, key) =>
  world.api("POST", "/v1/orders", {
    key,
    idem,
    body: { account: world.account, market: "BTC", side: "buy", size: "0.001", price: String(price) },
  });

export async function withoutAGateway(world, report) {
  const [blocked, narrowed, agent] = [
    await world.grant("blocked"),
    await world.grant("narrowed"),
    await world.grant("agent", { may: "propose" }),
  ];
  const proposed = await world.tool(agent.key, "propose_order", {
    market: "BTC",
    side: "buy",
    size: "0.001",
    price: "93000",
  });
  const intent = proposed.result.intent;
  await world.tool(agent.key, "place", { intent });
  const before = world.placed().length;
  await world.stop();
  const approved = await world.cli(["proposal", "approve", intent]);
  report.note("approved without a gateway", told(approved));
  report.note("and its proposal", told(await world.cli(["proposal", "list"])));
  for (const args of [
    ["key", "block", blocked.hash],
    ["key", "narrow", narrowed.hash, "--max-order", "100 USD"],
    ["stop", "--key-hash", narrowed.hash],
  ]) {
    const answer = await world.cli(args);
    report.check(`${args.slice(0, 2).join(" ")} without a gateway is done`, answer.code === 0, told(answer));
  }
  await world.serve();
  await sleep(3000);
  report.check(
    "started, what was approved without a gateway is not placed unseen",
    world.placed().length === before,
    world.placed().slice(before),
  );
  const asked = await world.tool(agent.key, "place", { intent });
  await sleep(1000);
  report.note(`and the agent places it: ${world.placed().length - before} orders`, asked);
  const one = await order(world, 93_000, "without-1", blocked.key);
  report.check("the block holds", one.status === 401, one);
  const two = await order(world, 93_000, "without-2", narrowed.key);
  report.check("the stop holds", two.body.error?.code === "trading_stopped", two);
  await world.cli(["resume", ...world.secret()]);
  const three = await world.api("POST", "/v1/orders", {
    key: narrowed.key,
    idem: "without-3",
    body: { account: world.account, market: "BTC", side: "buy", size: "0.002", price: "94500" },
  });
  report.check("the narrowing holds", three.body.error?.code === "rail_refused", three);
}

export async function twoAtOnce(world, report) {
  const file = join(world.root, "two.db");
  const backups = await Promise.all([1, 2].map(() => world.cli(["backup", file])));
  report.check(
    "two backups to one file: one is done and one refused",
    backups
      .map((one) => one.code)
      .sort()
      .join() === "0,1",
    backups.map(told),
  );
  const bot = await world.grant("bot");
  const narrow = await Promise.all(
    [
      ["--max-order", "100 USD"],
      ["--max-position", "200 USD"],
      ["--markets", "BTC"],
    ].map((more) => world.cli(["key", "narrow", bot.hash, ...more])),
  );
  const { rails } = (await world.api("GET", "/v1/whoami", { key: bot.key })).body.limits;
  report.check(
    "three narrowings at once all hold",
    rails.max_order === "100 USD" && rails.max_position === "200 USD" && rails.markets === "BTC",
    [rails, narrow.map(told)],
  );
  const stops = await Promise.all([world.cli(["stop"]), world.cli(["resume", ...world.secret()]), world.cli(["stop"])]);
  const standing = (await world.api("GET", "/v1/stops", { key: world.reader })).body.data.filter(
    (one) => !one.resumed_at,
  );
  const ids = stops.filter((_, at) => at !== 1).map((one) => one.json?.id);
  const ended = stops[1].json?.resumed ?? [];
  report.check(
    "stop, resume and stop at once: each stop that was told stands or was told as ended",
    ids.every((id) => ended.includes(id) || standing.some((one) => one.id === id)),
    [stops.map(told), standing.map((one) => one.id)],
  );
  await world.cli(["resume", ...world.secret()]);
  const rotated = await Promise.all([1, 2].map(() => world.cli(["agent", "rotate", ...world.secret()])));
  report.note("two rotations at once", rotated.map(told));
  const second = await world.cli(["serve", "--listen", "127.0.0.1:0", ...world.secret()], { killMs: 6000 });
  report.check(
    "a second gateway on the same directory is refused",
    second.code === 1 || second.code === 2,
    told(second),
  );
  await world.stop();
  const both = await Promise.all([1, 2].map(() => world.cli(["restore", file], { data: join(world.root, "twice") })));
  report.check(
    "two restores into one directory: one is done, one refused",
    both
      .map((one) => one.code)
      .sort()
      .join() === "0,1",
    both.map(told),
  );
  const inits = await Promise.all(
    [1, 2].map(() =>
      world.cli(
        [
          "init",
          "--network",
          "paper",
          "--exchange-url",
          world.witness.url,
          "--owner",
          world.owner.address,
          ...world.secret(),
        ],
        { data: join(world.root, "inits") },
      ),
    ),
  );
  report.check(
    "two inits of one directory: one is done, one refused",
    inits
      .map((one) => one.code)
      .sort()
      .join() === "0,1",
    inits.map(told),
  );
  const [agent] = (await world.cli(["agent", "list"], { data: join(world.root, "inits") })).json?.agents ?? [];
  report.check(
    "and the agent that was told is the one there",
    inits.some((one) => one.json?.agent === (agent?.address ?? agent?.agent)),
    [agent, inits.map(told)],
  );
}

export async function killedInTheMiddle(world, report) {
  for (let at = 0; at < 8; at += 1) await order(world, 93_000 + at, `kill-order-${at}`, world.reader);
  const odd = [];
  for (const signal of ["SIGTERM", "SIGKILL"]) {
    for (let ms = 120; ms <= 720; ms += 60) {
      const file = join(world.root, `b-${signal}-${ms}.db`);
      const answer = await world.cli(["backup", file], { killMs: ms, signal });
      if (!existsSync(file)) continue;
      const restored = await world.cli(["restore", file], { data: join(world.root, `r-${signal}-${ms}`) });
      if (restored.code !== 0)
        odd.push({ signal, ms, backup: told(answer), restored: told(restored), bytes: statSync(file).size });
    }
  }
  report.check("a backup that was killed leaves no file under its name that does not restore", odd.length === 0, odd);
  report.note(
    "left beside",
    readdirSync(world.root).filter((name) => name.startsWith("b-") && !name.endsWith(".db")),
  );
  const file = join(world.root, "whole.db");
  await world.cli(["backup", file]);
  await world.stop();
  const stuck = [];
  let cut = 0;
  for (let ms = 120; ms <= 720; ms += 75) {
    const data = join(world.root, `k-${ms}`);
    const first = await world.cli(["restore", file], { data, killMs: ms, signal: ms % 2 ? "SIGTERM" : "SIGKILL" });
    if (first.code === 0) continue;
    cut += 1;
    const keys = await world.cli(["key", "list"], { data });
    const again = await world.cli(["restore", file], { data });
    const held = (keys.json?.api_keys ?? keys.json?.keys ?? []).every(
      (one) => JSON.stringify(one).includes("hold") || JSON.stringify(one).includes("held"),
    );
    if (!held || again.code !== 0)
      stuck.push({
        ms,
        first: told(first),
        keys: told(keys),
        again: told(again),
        left: existsSync(data) ? readdirSync(data) : null,
      });
  }
  report.check(
    "a restore that was killed can be begun again, and leaves nothing that trades",
    stuck.length === 0 && cut > 0,
    [cut, stuck],
  );
}

export async function fullDisk(world, report) {
  for (const wrap of ["ulimit -f 100", "trap '' XFSZ; ulimit -f 100"]) {
    const file = join(world.root, `small-${wrap.length}.db`);
    const answer = await world.cli(["backup", file], { wrap });
    report.check(
      `backup with "${wrap}" tells a failure or makes a whole file`,
      answer.code !== 0
        ? !existsSync(file)
        : (await world.cli(["restore", file], { data: join(world.root, `fr-${wrap.length}`) })).code === 0,
      [told(answer), existsSync(file) && statSync(file).size],
    );
    const init = await world.cli(
      [
        "init",
        "--network",
        "paper",
        "--exchange-url",
        world.witness.url,
        "--owner",
        world.owner.address,
        ...world.secret(),
      ],
      { data: join(world.root, `fi-${wrap.length}`), wrap },
    );
    const anew = await world.cli(
      [
        "init",
        "--network",
        "paper",
        "--exchange-url",
        world.witness.url,
        "--owner",
        world.owner.address,
        ...world.secret(),
      ],
      { data: join(world.root, `fi-${wrap.length}`) },
    );
    report.check(`init with "${wrap}" fails and can be done again`, init.code !== 0 && anew.code === 0, [
      told(init),
      told(anew),
    ]);
  }
  for (const args of [["export", "orders"], ["key", "list"], ["log"], ["backup", "/dev/full"]]) {
    const answer = await world.cli(args, {
      wrap: args[0] === "backup" ? ":" : "exec >/dev/full",
      json: args[0] !== "export",
    });
    report.check(
      `${args.join(" ")} into a full disk is a failure`,
      answer.code === 1 && answer.err.trim() !== "",
      told(answer),
    );
  }
}

export async function wrongPermissions(world, report) {
  const wrong = join(world.root, "wrong");
  writeFileSync(wrong, "quite another passphrase\n", { mode: 0o600 });
  await world.cli(["stop"]);
  report.note(
    "resume with a wrong passphrase, beside a gateway",
    told(await world.cli(["resume", "--passphrase-file", wrong])),
  );
  await world.stop();
  await world.cli(["stop"]);
  const other = await world.cli(["resume", "--passphrase-file", wrong]);
  report.check("resume with a wrong passphrase, without a gateway, ends nothing", other.code !== 0, told(other));
  chmodSync(world.passphrase, 0o644);
  const open = await world.cli(["resume", ...world.secret()]);
  report.check("a passphrase file that others may read is refused", open.code !== 0, told(open));
  chmodSync(world.passphrase, 0o600);
  await world.serve();
  report.check(
    "and the stop stands",
    (await world.api("GET", "/v1/stops", { key: world.reader })).body.data.some((one) => !one.resumed_at),
  );
  const file = join(world.root, "no-such", "backup.db");
  report.note("backup into a directory that is not there", told(await world.cli(["backup", file])));
  await world.stop();
  chmodSync(world.data, 0o755);
  report.note("data directory that others may enter", told(await world.cli(["doctor", ...world.secret()])));
  const started = await world.cli(["serve", "--listen", "127.0.0.1:0", ...world.secret()], {
    killMs: 4000,
    json: false,
  });
  report.note("serve on it", told(started));
  chmodSync(world.data, 0o700);
  chownSync(join(world.data, "postern.db"), 65_534, 65_534);
  const foreign = await world.cli(["key", "list"]);
  report.note("a database of another user", told(foreign));
  chownSync(join(world.data, "postern.db"), 0, 0);
}

async function takeUp(world, file) {
  await world.stop("SIGKILL");
  world.data = join(world.root, `restored-${Date.now()}`);
  const restored = await world.cli(["restore", file]);
  const { json } = await world.cli(["agent", "rotate", ...world.secret()]);
  const signature = await world.sign(json.typed_data);
  await world.cli(
    ["agent", "approve", "--agent", json.agent, "--signature", "-", "--nonce", String(json.nonce), ...world.secret()],
    { input: `${signature}\n` },
  );
  await world.serve({ writes: false });
  await until(
    () =>
      fetch(`${world.base}/readyz`).then(
        (r) => r.ok,
        () => false,
      ),
    90,
  );
  return restored;
}

export async function afterARestore(world, report) {
  const plain = await world.plainKey();
  const bot = await world.grant("bot");
  const chart = await world.grant("chart");
  const stopped = await world.grant("stopped");
  const hook = (
    await world.cli([
      "hook",
      "create",
      "--key-hash",
      chart.hash,
      "--name",
      "leaked",
      "--mode",
      "order",
      "--market",
      "BTC",
      ...world.secret(),
    ])
  ).json;
  const early = await order(world, 93_000, "before-the-backup", plain.key);
  await world.cli(["stop", "--key-hash", stopped.hash]);
  const file = join(world.root, "snapshot.db");
  await world.cli(["backup", file]);
  const late = await order(world, 93_100, "after-the-backup", plain.key);
  await world.cli(["hook", "revoke", "leaked"]);
  await world.cli(["key", "narrow", bot.hash, "--max-order", "100 USD"]);
  await world.cli(["stop"]);
  const restored = await takeUp(world, file);
  report.note("restore told", told(restored));
  const count = world.placed().length;
  report.check(
    "every key is on hold",
    (await order(world, 93_000, "before-the-backup", plain.key)).body.error?.code === "revoked_api_key",
  );
  for (const [one, more] of [
    [plain, []],
    [bot, ["--accept-older-rails"]],
    [chart, ["--accept-older-rails"]],
    [stopped, ["--accept-older-rails"]],
  ]) {
    const kept = await world.cli(["key", "keep", one.hash, ...more, ...world.secret()]);
    if (kept.code !== 0) report.note("keep", told(kept));
  }
  const again = await order(world, 93_000, "before-the-backup", plain.key);
  report.check("a key of before the backup answers with its order", again.body.id === early.body.id, again);
  const after = await order(world, 93_100, "after-the-backup", plain.key);
  report.check(
    "a key of after the backup answers with its order and places none",
    world.placed().length === count && after.body.exchange_order_id === late.body.exchange_order_id,
    [late.body, after.body],
  );
  const held = await order(world, 93_000, "still-stopped", stopped.key);
  report.check("a stop of before the backup stands", held.body.error?.code === "trading_stopped", held);
  const list = (await world.api("GET", "/v1/stops", { key: plain.key })).body.data;
  const fresh = await order(world, 93_200, "after-the-restore", plain.key);
  report.note("a stop of the account that came after the backup", {
    stands: list.some((one) => one.scope === "account" && !one.resumed_at),
    order: fresh.body,
  });
  const doctor = await world.cli(["doctor", ...world.secret()]);
  report.note("doctor", doctor.out.slice(0, 1500));
  const alert = await world.alert(hook.url, {
    market: "BTC",
    side: "buy",
    size: "0.001",
    price: "94700",
    time: new Date().toISOString(),
  });
  await sleep(2500);
  const deliveries = (await world.api("GET", `/v1/hooks/${hook.id}/deliveries`, { key: plain.key })).body.data;
  report.check("a hook that was revoked after the backup opens nothing", alert.status === 404, [alert, deliveries]);
}
