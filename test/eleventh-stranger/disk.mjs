// A disk that is full under a running gateway: what is told of brakes, approvals, alerts and orders, and what is true once there is room.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sleep, until } from "./world.mjs";

const MIB = 1_048_576;
const told = ({ code, out, err }) => ({ code, said: (err || out).trim().slice(0, 300) });

function fill(file) {
  for (let size = MIB; size >= 4096; size /= 4) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size, 1), { flag: "a" });
    } catch {}
  }
}

/** Needs the right to mount; without it nothing is played. */
export async function diskThatIsFull(world, report) {
  const place = join(world.root, "small");
  mkdirSync(place);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", place], { stdio: "ignore" });
  } catch {
    return report.note("not played", "nothing may be mounted here");
  }
  try {
    await onASmallDisk(world, report, place);
  } finally {
    await world.stop("SIGKILL");
    execFileSync("umount", ["-l", place]);
  }
}

async function onASmallDisk(world, report, place) {
  const bots = {};
  for (const name of ["block", "narrow", "chart"]) bots[name] = await world.grant(name);
  const agent = await world.grant("agent", { may: "propose" });
  const made = await world.cli([
    "hook",
    "create",
    "--key-hash",
    bots.chart.hash,
    "--name",
    "chart",
    "--mode",
    "order",
    "--market",
    "BTC",
    ...world.secret(),
  ]);
  await world.stop();
  execFileSync("cp", ["-a", world.data, join(place, "data")]);
  world.data = join(place, "data");
  await world.serve();
  const proposed = await world.tool(agent.key, "propose_order", {
    market: "BTC",
    side: "buy",
    size: "0.001",
    price: "93000",
  });
  const intent = proposed.result.intent;
  await world.tool(agent.key, "place", { intent });
  const ballast = join(place, "ballast");
  fill(ballast);
  truncateSync(ballast, statSync(ballast).size - 8 * MIB);
  await sleep(3000);
  const kept = [
    ["stop", "--key-hash", bots.chart.hash],
    ["key", "narrow", bots.chart.hash, "--max-order", "300 USD"],
    ["resume"],
  ];
  for (const args of kept) {
    const answer = await world.cli([...args, ...(args[0] === "resume" ? world.secret() : [])]);
    report.check(`with 8 MiB left "${args.slice(0, 2).join(" ")}" is taken`, answer.code === 0, told(answer));
  }
  fill(ballast);
  await sleep(3000);
  const before = world.placed().length;
  const ready = await fetch(`${world.base}/readyz`).then(async (r) => [r.status, await r.text()]);
  report.check("/readyz says that the disk is full", /disk_full|storage|not_writable|full/.test(ready[1]), ready);
  const body = { account: world.account, market: "BTC", side: "buy", size: "0.001", price: "93100" };
  const refused = await world.api("POST", "/v1/orders", { key: world.reader, idem: "full-disk-1", body });
  report.check("an order is 503 storage_unavailable", refused.body.error?.code === "storage_unavailable", refused.body);
  const approved = await world.cli(["proposal", "approve", intent]);
  report.note("an approval on a full disk", told(approved));
  const alert = await world.alert(made.json.url, { market: "BTC", side: "buy", size: "0.001", price: "93200" });
  report.check("an alert is 503", alert.status === 503, alert);
  report.check("nothing was sent", world.placed().length === before, world.placed().slice(before));
  const brakes = {
    block: await world.cli(["key", "block", bots.block.hash]),
    narrow: await world.cli(["key", "narrow", bots.narrow.hash, "--max-order", "50 USD"]),
    stop: await world.cli(["stop"]),
  };
  report.note(
    "brakes on a full disk",
    Object.entries(brakes).map(([name, answer]) => [name, told(answer)]),
  );
  const used = await world.api("POST", "/v1/orders", { key: bots.block.key, idem: "full-disk-2", body });
  report.check("a key whose block was told done opens nothing", brakes.block.code !== 0 || used.status === 401, used);
  await world.stop("SIGKILL");
  report.note(
    "backup of a full disk, without a gateway",
    told(await world.cli(["backup", join(world.root, "elsewhere.db")])),
  );
  rmSync(ballast);
  await world.serve({ writes: false });
  await until(
    () =>
      fetch(`${world.base}/readyz`).then(
        (r) => r.ok,
        () => false,
      ),
    30,
  );
  await sleep(2000);
  report.check(
    "and nothing that was refused is placed by itself",
    world.placed().length === before,
    world.placed().slice(before),
  );
  const after = await world.api("POST", "/v1/orders", { key: bots.block.key, idem: "full-disk-3", body });
  const wide = await world.api("POST", "/v1/orders", { key: bots.narrow.key, idem: "full-disk-4", body });
  const stops = (await world.api("GET", "/v1/stops", { key: world.reader })).body.data;
  report.check(
    "killed, and room again: each brake that was told done holds",
    (brakes.block.code !== 0 || after.status === 401) &&
      (brakes.narrow.code !== 0 || wide.status === 403) &&
      (brakes.stop.code !== 0 || stops.some((one) => !one.resumed_at)),
    [after.body, wide.body, stops.map((one) => [one.id, one.status])],
  );
}

/** Two rotations at once make two agents of one name: whichever the owner signs last, and what trades then. */
export async function twoRotations(world, report) {
  const made = await Promise.all([1, 2].map(() => world.cli(["agent", "rotate", ...world.secret()])));
  const sign = async ({ json }) => {
    const signature = await world.sign(json.typed_data);
    const args = [
      "agent",
      "approve",
      "--agent",
      json.agent,
      "--signature",
      "-",
      "--nonce",
      String(json.nonce),
      ...world.secret(),
    ];
    return world.cli(args, { input: `${signature}\n` });
  };
  const order = (idem, price) =>
    world.api("POST", "/v1/orders", {
      key: world.reader,
      idem,
      body: { account: world.account, market: "BTC", side: "buy", size: "0.001", price },
    });
  for (const [at, one] of [made[1], made[0]].entries()) {
    if (one.code !== 0) continue;
    const approved = await sign(one);
    await sleep(2000);
    const placed = await order(`rotation-${at}`, String(93_000 + at));
    report.check(`after approval ${at + 1} an order is placed`, placed.body.status === "open", [
      told(approved),
      placed.body,
    ]);
  }
  const doctor = await world.cli(["doctor", ...world.secret()]);
  report.note("agents", [
    (await world.cli(["agent", "list"])).out.slice(0, 900),
    doctor.json?.findings.filter((one) => one.check.includes("agent")),
  ]);
}
