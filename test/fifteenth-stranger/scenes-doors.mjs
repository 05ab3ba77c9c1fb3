// Other doors: alerts of a chart, an agent's proposals. One alert, one order; one proposal, one order; whatever is lost on the way.
import { exact, heal } from "./ending.mjs";
import { hashOf } from "./gateway.mjs";
import { S } from "./ledger.mjs";

async function deliver(url, body) {
  const r = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch((e) => ({ status: String(e) }));
  return r.status;
}
async function hook(stage, mode) {
  const { gw } = stage;
  const bot = await gw.grant({
    bot: "chart-1",
    extra: [
      "--markets",
      "BTC",
      "--max-order",
      "5000 USD",
      "--max-position",
      "9000 USD",
      "--max-exposure",
      "9000 USD",
      "--max-turnover-per-day",
      "90000 USD",
      "--max-distance",
      "50 %",
    ],
  });
  const h = await gw.json([
    "hook",
    "create",
    "--key-hash",
    hashOf(bot),
    "--name",
    "chart",
    "--mode",
    mode,
    "--market",
    "BTC",
    "--data-dir",
    gw.dir,
    "--passphrase-file",
    gw.pass,
  ]);
  const text = JSON.stringify(h);
  const secret = text.match(/hooks\/([A-Za-z0-9_-]{16,})/)?.[1] ?? h.secret;
  return { bot, url: `http://${gw.hooks}/hooks/${secret}`, text };
}
async function withHooks(stage) {
  const { gw } = stage;
  gw.hooks = `127.0.0.1:${await gw.port()}`;
  gw.env.POSTERN_HOOKS_LISTEN = gw.hooks;
  await gw.kill();
  await gw.serve();
  gw.follow();
  await gw.ready();
}
async function tool(gw, key, name, args) {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
  const r = await fetch(`${gw.base}/mcp`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  const raw = await r.text();
  const line = raw.split("\n").find((l) => l.startsWith("data: "));
  gw.told.push({
    t0: Date.now(),
    t1: Date.now(),
    from: `tool ${name}`,
    status: r.status,
    raw: line ? line.slice(6) : raw,
  });
  const parsed = JSON.parse(line ? line.slice(6) : raw);
  return parsed.result?.structuredContent ?? parsed;
}

export const scenes = {
  "alerts-in-fours": {
    about:
      "three alerts of mode order, each delivered four times, one over a kill -9, answers of the exchange lost: three orders",
    limit: 110_000,
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      await withHooks(stage);
      const { url } = await hook(stage, "order");
      ex.lags = { orderStatus: 1500, userFillsByTime: 2500, "ws:userFills": 2500 };
      ex.actionFault = (b) => (b.action.type === "order" ? { drop: true } : null);
      const now = () => new Date().toISOString();
      const alerts = [
        { side: "buy", size: "0.01", time: now() },
        { side: "buy", size: "0.02", time: now() },
        { side: "buy", size: "0.005", price: "50000", time: now() },
      ];
      for (const [i, a] of alerts.entries()) {
        note(`${await deliver(url, a)} ${await deliver(url, a)}`);
        if (i === 1) {
          await wait(400);
          await gw.kill();
          await gw.serve();
          gw.follow();
        }
        note(`${await deliver(url, a)} ${await deliver(url, a)}`);
        await wait(2500);
      }
      await wait(9000);
      heal(ex);
      await wait(6000);
      note(`orders taken: ${[...led.orders.values()].map((o) => `${S(o.size)}:${o.hist.at(-1).status}`)}`);
      note((await gw.cli(["hook", "deliveries", "chart", "--data-dir", gw.dir])).slice(0, 900));
      await exact(stage);
    },
  },
  "targets-out-of-order": {
    about:
      "mode target: 0.02, then 0, then 0.01 in the wrong order, answers lost and fills 3 s late: what is held in the end is the newest",
    limit: 110_000,
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      await withHooks(stage);
      const { url } = await hook(stage, "target");
      const at = (ms) => new Date(Date.now() + ms).toISOString();
      ex.lags = { orderStatus: 1500, userFillsByTime: 3000, "ws:userFills": 3000, clearinghouseState: 2000 };
      let n = 0;
      ex.actionFault = (b) => (b.action.type === "order" && n++ % 2 === 0 ? { drop: true } : null);
      const alerts = [
        { target: "0.02", time: at(-9000) },
        { target: "0.01", time: at(-3000) },
        { target: "0", time: at(-6000) },
      ];
      for (const a of alerts) {
        note(`${a.target}: ${await deliver(url, a)} ${await deliver(url, a)}`);
        await wait(1500);
      }
      for (let i = 0; i < 25; i++) await wait(1000);
      note(
        `held ${S(led.position("BTC").szi)} (wanted 0.01); orders ${[...led.orders.values()].map((o) => `${o.side}${S(o.size)}:${o.hist.at(-1).status}`)}`,
      );
      await gw.cli(["hook", "deliveries", "chart", "--data-dir", gw.dir]);
      heal(ex);
      await exact(stage);
    },
  },
  "proposal-placed-often": {
    about:
      "an agent proposes and places one intent five times at once and after a kill -9, the exchange's answer lost: one order, told truly",
    limit: 110_000,
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const bot = await gw.grant({
        bot: "agent-1",
        extra: ["--markets", "BTC", "--max-order", "5000 USD", "--max-distance", "50 %"],
      });
      ex.lags = { orderStatus: 2000, userFillsByTime: 3000, "ws:userFills": 3000 };
      ex.actionFault = (b) => (b.action.type === "order" ? { drop: true } : null);
      const p = await tool(gw, bot, "propose_order", { market: "BTC", side: "buy", size: "0.01", price: "61000" });
      note(JSON.stringify(p).slice(0, 300));
      const intent = p.result?.intent?.id ?? p.result?.intent ?? p.intent;
      const all = await Promise.all(
        [1, 2, 3, 4, 5].map(() => tool(gw, bot, "place", { intent }).catch((e) => String(e))),
      );
      note(
        all
          .map(
            (a) => `${a.outcome} ${a.result?.order?.status ?? a.result?.status ?? ""} ${(a.note ?? "").slice(0, 80)}`,
          )
          .join(" | "),
      );
      await gw.kill();
      await gw.serve();
      gw.follow();
      await gw.ready(40);
      note(JSON.stringify({ ...(await tool(gw, bot, "place", { intent })), headroom: null }).slice(0, 500));
      heal(ex);
      await wait(5000);
      note(`orders taken ${led.orders.size}, filled ${S(led.fills.reduce((a, f) => a + f.sz, 0n))}`);
      await exact(stage);
    },
  },
};
