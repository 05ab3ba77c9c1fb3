// A chart's hook goes from target to target while fills are told late and answers are lost; an agent's orders wait for a yes.
import { count, openDay, report, settle } from "../day.mjs";
import { botKey, command, until, wait } from "../gateway.mjs";
import { dec, plain } from "../venue/decimal.mjs";

const RAILS = {
  markets: "BTC,ETH",
  "max-order": "900 USD",
  "max-position": "900 USD",
  "max-exposure": "1500 USD",
  "max-turnover-per-day": "90000 USD",
  "max-loss-per-day": "any",
  "max-distance": "2 %",
  "max-stop-distance": "10 %",
  "max-actions-per-day": "any",
  may: "increase,reduce,modify,cancel",
};

function freePort() {
  return 20000 + Math.floor(Math.random() * 20000);
}

async function alert(day, address, target, n) {
  const body = JSON.stringify({ market: "ETH", target, time: new Date().toISOString(), id: `alert-${n}` });
  for (let time = 0; time < 1 + day.dice.to(3); time += 1) {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    }).catch((error) => ({ status: error.message }));
    count(day, `alert ${answer.status}`);
  }
}

export async function hooks(seed = 1) {
  const port = freePort();
  const day = await openDay(
    seed,
    { chart: RAILS, other: RAILS },
    { environment: { POSTERN_HOOKS_LISTEN: `127.0.0.1:${port}` } },
  );
  const { venue, clients, judge, ledger, gateway } = day;
  const made = await command(
    gateway,
    "hook",
    "create",
    "--key-hash",
    clients.chart.hash,
    "--name",
    "chart",
    "--mode",
    "target",
    "--market",
    "ETH",
    "--sources",
    "127.0.0.1/32",
    "--passphrase-file",
    gateway.passphrase,
    "--json",
  );
  const printed = made.code === 0 ? JSON.parse(made.stdout) : {};
  const address =
    Object.values(printed).find((value) => typeof value === "string" && value.includes("/hooks/")) ??
    String(made.stdout + made.stderr).match(/\S*\/hooks\/[\w-]+/)?.[0];
  if (!address) throw new Error(`no hook: ${made.stdout} ${made.stderr}`);
  const here = `http://127.0.0.1:${port}${new URL(address, "http://x").pathname}`;
  await clients.other
    .order("buy 0.2 ETH at 2010", { time_in_force: "ioc" })
    .then((answer) => ledger.own("other", answer.data));
  venue.feedLag = (name) =>
    name === "userFills" || name === "clearinghouseState" || name === "allDexsClearinghouseState" ? 3000 : 0;
  venue.lagOf = () => day.dice.of([0, 0, 1000, 15000]);
  venue.fault = (action) =>
    action.type !== "order"
      ? null
      : day.dice.is(0.12)
        ? { kind: "lost" }
        : day.dice.is(0.08)
          ? { kind: "never" }
          : null;
  const targets = ["0.1", "0.25", "0.15", "0.4", "0", "0.3", "0.05", "0.35"];
  for (const [n, target] of targets.entries()) {
    venue.markets.get("ETH").depth = day.dice.is(0.4) ? dec("0.07") : null;
    await alert(day, here, target, n);
    await wait(1500 + day.dice.to(4000));
  }
  venue.fault = null;
  venue.lagOf = () => 0;
  venue.feedLag = () => 0;
  venue.markets.get("ETH").depth = null;
  await alert(day, here, "0.2", 99);
  const mine = async () => {
    const { rows } = await day.reader.all(`/v1/orders?key_hash=${clients.chart.hash}`);
    for (const order of rows) ledger.own("chart", order);
    return ledger.net("chart", "ETH") === dec("0.2");
  };
  await until("the target", mine, 60000, 1000).catch(() => {});
  await wait(3000);
  await mine();
  judge.hold(
    "hook: comes to its target",
    ledger.net("chart", "ETH") === dec("0.2"),
    (await command(gateway, "hook", "deliveries", "chart")).stdout.slice(0, 1500),
    plain(ledger.net("chart", "ETH")),
  );
  const told = (await clients.chart.get("/v1/whoami")).data.limits.use.nets.find((row) => row.market === "ETH")?.net;
  judge.hold(
    "hook: its net is told",
    told === plain(ledger.net("chart", "ETH")),
    told,
    plain(ledger.net("chart", "ETH")),
  );
  judge.hold("hook: never beyond", venue.szi("ETH") === dec("0.4"), plain(venue.szi("ETH")), "0.4");
  await approvals(day);
  await settle(day);
  await judge.orders(day.reader);
  const result = report(day, "hooks");
  await gateway.end();
  return result;
}

// What an agent proposes waits; two yeses are one order, and the rails are those of then.
async function approvals(day) {
  const { clients, judge, gateway, ledger } = day;
  const agent = await botKey(gateway, "agent", { ...RAILS, may: "propose,reduce,cancel" });
  const boss = await botKey(gateway, "boss", { ...RAILS, may: "approve" });
  clients.agent = agent;
  const call = async (name, args) => {
    const answer = await fetch(`${gateway.url}/mcp`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${agent.key}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
    });
    const text = await answer.text();
    return JSON.parse(text.startsWith("{") ? text : text.split("data:")[1]).result?.structuredContent ?? text;
  };
  const intents = [];
  for (const size of ["0.2", "0.21", "0.22"]) {
    const proposed = await call("propose_order", {
      market: "ETH",
      side: "buy",
      size,
      price: "2005",
      time_in_force: "ioc",
    });
    const intent = proposed.result?.intent ?? JSON.stringify(proposed).match(/\d{13}-[0-9a-f]{32}/)?.[0];
    if (!judge.hold("agent: is given an intent", intent !== undefined, JSON.stringify(proposed).slice(0, 400), ""))
      return;
    intents.push(intent);
    await call("place", { intent });
  }
  const answers = await Promise.all(
    intents.flatMap((intent) => [
      boss.post(`/v1/proposals/${intent}/approve`),
      boss.post(`/v1/proposals/${intent}/approve`),
    ]),
  );
  for (const answer of answers) count(day, `approve ${answer.status}`);
  await wait(3000);
  for (const order of (await day.reader.all(`/v1/orders?key_hash=${agent.hash}`)).rows) ledger.own("agent", order);
  const net = ledger.net("agent", "ETH");
  judge.hold(
    "agent: each yes is one order at most, and its rail holds",
    net <= dec("0.45") && net >= dec("0.2"),
    answers
      .map((answer) => `${answer.status} ${answer.data.error?.message ?? answer.data.status}`)
      .join(" | ")
      .slice(0, 900),
    plain(net),
  );
}
