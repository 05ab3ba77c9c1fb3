// Alerts of a chart: the same twice, through a stop, over a death, a restore and clocks that jump.
import { join } from "node:path";
import { hashOf, sleep, until } from "./world.mjs";

async function hooked(world, { mode = "order", name = "chart", more = [], rails = {} } = {}) {
  const bot = await world.grant(`bot-${name}`, rails);
  const made = await world.cli([
    "hook",
    "create",
    "--key-hash",
    bot.hash,
    "--name",
    name,
    "--mode",
    mode,
    "--market",
    "BTC",
    ...more,
    ...world.secret(),
  ]);
  if (made.code !== 0) throw new Error(made.err);
  return { ...bot, name, url: made.json.url, id: made.json.id };
}

const deliveries = async (world, hook) =>
  (await world.api("GET", `/v1/hooks/${hook.id}/deliveries`, { key: world.reader })).body.data;
const short = (all) =>
  all.map(({ status, reason, repeats, body, order_ids }) => ({
    status,
    reason,
    repeats,
    body: body.slice(0, 120),
    orders: order_ids.length,
  }));
const bid = (price, more = {}) => ({ market: "BTC", side: "buy", size: "0.001", price: String(price), ...more });

async function quiet(world, ms = 2500) {
  await sleep(ms);
  return world.placed().length;
}

export async function sameTextTwice(world, report) {
  const hook = await hooked(world, { more: ["--same-within", "10"] });
  const before = world.placed().length;
  await Promise.all([1, 2, 3, 4].map(() => world.alert(hook.url, bid(94_000))));
  report.check(
    "four at once without a time are one order",
    (await quiet(world)) - before === 1,
    short(await deliveries(world, hook)),
  );
  const other = await world.alert(hook.url, { ...bid(94_000), size: "0.001" });
  const spaced = await world.alert(hook.url, bid("94000.0"));
  report.note("the same said in other letters (94000.0)", [
    other,
    spaced,
    (await quiet(world)) - before,
    short(await deliveries(world, hook)),
  ]);
  await sleep(11_000);
  const count = world.placed().length;
  await world.alert(hook.url, bid(94_000));
  report.check(
    "after same-within it is another",
    (await quiet(world)) - count === 1,
    short(await deliveries(world, hook)),
  );
  const time = new Date(world.now()).toISOString();
  const timed = world.placed().length;
  await world.alert(hook.url, bid(93_900, { time }));
  await sleep(12_000);
  await world.alert(hook.url, bid(93_900, { time }));
  report.check(
    "with a time it is one for good",
    (await quiet(world)) - timed === 1,
    short(await deliveries(world, hook)),
  );
}

export async function alertsAndAStop(world, report) {
  const hook = await hooked(world);
  await world.cli(["stop"]);
  const before = world.placed().length;
  const during = await world.alert(hook.url, bid(93_000));
  const time = new Date(world.now()).toISOString();
  await world.alert(hook.url, bid(93_100, { time }));
  await sleep(1500);
  report.note("during a stop it is told as", [during, short(await deliveries(world, hook))]);
  await world.cli(["resume", ...world.secret()]);
  report.check(
    "resumed, none that came during the stop is carried out",
    (await quiet(world, 5000)) === before,
    short(await deliveries(world, hook)),
  );
  await world.alert(hook.url, bid(93_100, { time }));
  report.check(
    "nor when it is delivered again after it",
    (await quiet(world, 3000)) === before,
    short(await deliveries(world, hook)),
  );
  await world.alert(hook.url, bid(93_000));
  report.check(
    "nor the one without a time, within its minute",
    (await quiet(world, 3000)) === before,
    short(await deliveries(world, hook)),
  );
}

export async function deathOfAnAlert(world, report) {
  const hook = await hooked(world);
  for (const [fate, price] of [
    ["drop", 93_000],
    ["lose", 93_100],
  ]) {
    const before = world.placed().length;
    const time = new Date(world.now()).toISOString();
    world.witness.fate = ({ kind }) => {
      if (kind !== "order") return null;
      world.gateway.kill("SIGKILL");
      return fate;
    };
    await world.alert(hook.url, bid(price, { time }));
    await world.gateway.gone;
    world.witness.fate = null;
    await world.serve();
    await world.alert(hook.url, bid(price, { time }));
    await sleep(3000);
    report.check(
      `killed as its order left (${fate}), delivered again: one was sent`,
      world.placed().length - before === 1,
      short(await deliveries(world, hook)),
    );
  }
}

async function restart(world, offset) {
  await world.stop();
  world.offset = offset;
  await world.serve({ writes: false });
  await until(
    () =>
      fetch(`${world.base}/readyz`).then(
        (r) => r.ok,
        () => false,
      ),
    15,
  );
  await sleep(1000);
}

export async function clocksAndAlerts(world, report) {
  const hook = await hooked(world);
  for (const [offset, price] of [
    ["+2h", 93_000],
    ["-2h", 93_500],
  ]) {
    await restart(world, null);
    const before = world.placed().length;
    await world.alert(hook.url, bid(price));
    await sleep(1500);
    await restart(world, offset);
    await world.alert(hook.url, bid(price));
    const sent = (await quiet(world, 4000)) - before;
    report.check(`delivered again 5 s later, the clock set by ${offset} between: one order`, sent === 1, {
      sent,
      ready: (await world.api("GET", "/readyz")).body,
      seen: short(await deliveries(world, hook)),
    });
    const late = world.placed().length;
    await world.alert(hook.url, bid(price + 100, { time: new Date().toISOString() }));
    report.note(
      `clock at ${offset}: an alert with the true time of now: ${(await quiet(world, 3000)) - late} orders`,
      short(await deliveries(world, hook)).slice(0, 2),
    );
  }
  await restart(world, null);
  await sleep(62_000);
  const before = world.placed().length;
  await world.alert(hook.url, bid(93_500));
  report.check(
    "the clock right again, the same text more than a minute later is another",
    (await quiet(world, 3000)) - before === 1,
    short(await deliveries(world, hook)),
  );
}

const ANY = { max_turnover_per_day: "any", max_actions_per_day: "any", max_loss_per_day: "any" };

export async function alertsAndARestore(world, report) {
  const hook = await hooked(world, { more: ["--max-age", "900", "--same-within", "900"], rails: ANY });
  const target = await hooked(world, { name: "goal", mode: "target", more: ["--max-age", "900"], rails: ANY });
  const early = bid(93_000, { time: new Date(world.now()).toISOString() });
  await world.alert(hook.url, early);
  await sleep(1500);
  const snapshot = join(world.root, "snapshot.db");
  await world.cli(["backup", snapshot]);
  const after = bid(93_200, { time: new Date(world.now()).toISOString() });
  const untimed = bid(93_300);
  const goal = { market: "BTC", target: "0.002", time: new Date(world.now()).toISOString() };
  for (const [one, body] of [
    [hook, after],
    [hook, untimed],
    [target, goal],
  ])
    await world.alert(one.url, body);
  await sleep(3000);
  const before = world.placed().length;
  report.check(
    "four alerts, four orders",
    before === 4,
    world.placed().map((one) => one.action.orders),
  );
  await world.stop("SIGKILL");
  world.data = join(world.root, "restored");
  await world.cli(["restore", snapshot]);
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
  await world.cli(["key", "keep", hashOf(world.reader), ...world.secret()]);
  for (const one of [hook, target])
    await world.cli(["key", "keep", one.hash, "--accept-older-rails", ...world.secret()]);
  for (const [one, body] of [
    [hook, early],
    [hook, after],
    [hook, untimed],
    [target, goal],
  ])
    report.note("delivered again after the restore", await world.alert(one.url, body));
  const sent = (await quiet(world, 6000)) - before;
  report.check("delivered again after a restore they are no second order", sent === 0, {
    sent,
    hook: short(await deliveries(world, hook)),
    target: short(await deliveries(world, target)),
    placed: world
      .placed()
      .slice(before)
      .map((one) => one.action.orders),
  });
  const count = world.placed().length;
  await world.alert(hook.url, bid(93_400, { time: new Date(world.now()).toISOString() }));
  await world.alert(hook.url, bid(93_200, { time: new Date(world.now()).toISOString() }));
  const fresh = (await quiet(world, 5000)) - count;
  report.check(
    "two new alerts after the restore, one of them like one of before but for its time, are two orders",
    fresh === 2,
    { fresh, hook: short(await deliveries(world, hook)) },
  );
}
