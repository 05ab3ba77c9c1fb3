// Answers that are lost, late or slow, races of two keys, SIGKILL: is the worst case ever beyond the rails?
import { audit, clean, hammer, say, sleep, tryLargest } from "./judge.mjs";

export const scenes = {};

scenes.lost = async (R) => {
  const k = await R.limited("a");
  audit(R);
  // answer lost after execution, many times
  for (let i = 0; i < 6; i++) {
    R.ex.faults.push({ match: (a) => a.type === "order", kind: "lose_after" });
    const r = await R.order(k, { side: "buy", size: "0.004", price: "60600", time_in_force: "ioc" });
    if (r.s >= 400) {
      say("refused after", i, r.j.error.message);
      break;
    }
  }
  R.ex.faults.length = 0;
  const h = await hammer(R, k, { side: "buy", size: "0.001", price: "60000" });
  say("then", h.acc, h.last.j.error?.message);
  await tryLargest(R, { k, o: { side: "buy", price: "60000" }, r: h.last, what: "lost" });
  clean(R, "lost after execution");
};

scenes.late = async (R) => {
  const k = await R.limited("a");
  audit(R);
  for (let i = 0; i < 3; i++) {
    R.ex.faults.push({ match: (a) => a.type === "order", kind: "late", ms: 4000 });
  }
  const ps = [];
  for (let i = 0; i < 3; i++) ps.push(R.order(k, { side: "buy", size: "0.004", price: "60600", time_in_force: "ioc" }));
  await sleep(300);
  const hs = [];
  for (let i = 0; i < 12; i++) hs.push(R.order(k, { side: "buy", size: "0.001", price: "59900" }));
  const rs = await Promise.all([...ps, ...hs]);
  say(rs.map((r) => `${r.s}:${r.j.status ?? r.j.error?.code}`).join(" "));
  await sleep(5000);
  const h = await hammer(R, k, { side: "buy", size: "0.001", price: "59900" });
  say("afterwards", h.acc, h.last.j.error?.message);
  clean(R, "late execution");
};

scenes.lateCancel = async (R) => {
  const k = await R.limited("a");
  audit(R);
  // unknown order, canceled while unknown (must be burnt) and then others
  R.ex.faults.push({ match: (a) => a.type === "order", kind: "late", ms: 3000 });
  const p = R.order(k, { side: "buy", size: "0.008", price: "60000" }, "late-cancel-1");
  await sleep(150);
  const c = R.post(k, "/v1/orders/cancel-all", { account: R.account });
  const g = [];
  for (let i = 0; i < 10; i++) {
    g.push(await R.order(k, { side: "buy", size: "0.004", price: "59900" }));
    await sleep(100);
  }
  const [pr, cr] = await Promise.all([p, c]);
  say(pr.s, pr.j.status, cr.s, cr.j.status, g.map((r) => r.s).join(" "));
  await sleep(3500);
  for (let i = 0; i < 5; i++) await R.order(k, { side: "buy", size: "0.004", price: "59900" });
  clean(R, "canceled while unknown");
};

scenes.race = async (R) => {
  const k1 = await R.limited("a"),
    k2 = await R.limited("a");
  audit(R);
  const rs = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      R.order(i % 2 ? k1 : k2, {
        market: i % 3 ? "BTC" : "ETH",
        side: i % 5 ? "buy" : "sell",
        size: i % 3 ? "0.003" : "0.09",
        price: i % 3 ? "60000" : "2000",
      }),
    ),
  );
  say(rs.filter((r) => r.s < 300).length, "of 60 accepted");
  const rs2 = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      R.post(i % 2 ? k1 : k2, "/v1/orders/batch", {
        account: R.account,
        orders: [
          { market: "BTC", side: "buy", size: "0.001", price: "59800" },
          { market: "ETH", side: "buy", size: "0.03", price: "1990" },
        ],
      }),
    ),
  );
  say(rs2.filter((r) => r.s < 300).length, "of 20 batches");
  const rs3 = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      R.post(i % 2 ? k1 : k2, "/v1/orders/market", {
        account: R.account,
        market: i % 2 ? "BTC" : "ETH",
        side: "sell",
        size: i % 2 ? "0.004" : "0.1",
      }),
    ),
  );
  say(rs3.filter((r) => r.s < 300).length, "of 20 at market");
  const rs4 = await Promise.all(
    Array.from({ length: 6 }, () =>
      R.post(k1, "/v1/trades", {
        account: R.account,
        market: "BTC",
        side: "buy",
        size: "0.004",
        entry: { price: "59000" },
        stop_loss: { trigger_price: "57000" },
      }),
    ),
  );
  say(rs4.map((r) => r.s + (r.j.error?.code ?? "")).join(" "));
  await sleep(1500);
  clean(R, "races of two keys");
  const k3 = await R.limited("a", {}, { raw: true });
  say("third key of a bot", k3.r.s, k3.r.j.error?.message ?? k3.r.j.object);
  const still = await Promise.all([k1, k2].map((k) => R.req("GET", "/v1/whoami", undefined, k)));
  say(
    "older keys now",
    still.map((x) => x.s),
  );
};

scenes.kill = async (R) => {
  const k = await R.limited("a");
  audit(R);
  for (let i = 0; i < 4; i++) {
    R.ex.faults.push({ match: (a) => a.type === "order", kind: i % 2 ? "late" : "lose_after", ms: 2500 });
    R.order(k, { side: "buy", size: "0.004", price: "60600", time_in_force: "ioc" }, `kill-0000-${i}`).catch(
      () => null,
    );
    await sleep(60);
    await R.kill();
    await R.serve();
    await R.ready();
    for (let j = 0; j < 4; j++) await R.order(k, { side: "buy", size: "0.002", price: "59900" });
    const r = await R.order(k, { side: "buy", size: "0.004", price: "60600", time_in_force: "ioc" }, `kill-0000-${i}`);
    say("repeat", r.s, r.j.status ?? r.j.error?.message, R.worst("BTC"));
  }
  clean(R, "SIGKILL with orders under way");
};
