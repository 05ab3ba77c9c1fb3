// Modifies, triggers and TWAPs while fills are told late: is the worst case ever beyond the rails?
import { audit, clean, hammer, largest, ok, say, sleep, tryLargest } from "./judge.mjs";

export const scenes = {};

scenes.modify = async (R) => {
  const k = await R.limited("a");
  audit(R);
  const o = await R.order(k, { side: "buy", size: "0.004", price: "59000" });
  const id = o.j.id;
  for (let i = 0; i < 8; i++) {
    R.ex.faults.push({ match: (a) => a.type === "batchModify", kind: i % 3 === 0 ? "lose_after" : "late", ms: 1500 });
    const r = R.post(k, `/v1/orders/${id}/modify`, { size: "0.006", price: String(59000 + i * 10) });
    const rs = await Promise.all([
      r,
      R.order(k, { side: "buy", size: "0.004", price: "58900" }),
      R.order(k, { side: "buy", size: "0.002", price: "58900" }),
    ]);
    say(rs.map((x) => `${x.s}:${x.j.status ?? x.j.error?.code}`).join(" "));
  }
  await sleep(2000);
  R.ex.faults.length = 0;
  for (let i = 0; i < 8; i++) await R.order(k, { side: "buy", size: "0.001", price: "58900" });
  say(R.worst("BTC"));
  clean(R, "modifies lost and late");
};

scenes.alwaysPlace = async (R) => {
  const k = await R.limited("a");
  audit(R);
  R.ex.lag.fills = 5000;
  for (let i = 0; i < 6; i++) {
    const o = await R.order(k, { side: "buy", size: "0.004", price: "59990" });
    if (o.s >= 400) {
      say("place", o.j.error?.message);
      break;
    }
    const ord = R.ex.byCloid.get(`0x${o.j.id.replaceAll("-", "")}`);
    R.ex.makeFill(ord, i % 2 ? 0.004 : 0.002); // filled, told 5 s later
    const ms = await Promise.all(
      [1, 2, 3].map((j) =>
        R.post(k, `/v1/orders/${o.j.id}/modify`, { size: "0.004", price: String(59980 + j), always_place: true }),
      ),
    );
    say(ms.map((x) => `${x.s}:${x.j.status ?? x.j.error?.code}`).join(" "), R.worst("BTC"));
  }
  R.ex.lag.fills = 0;
  await sleep(1000);
  for (let i = 0; i < 8; i++) await R.order(k, { side: "buy", size: "0.001", price: "58900" });
  say(R.worst("BTC"));
  clean(R, "always_place beside fills that are told late");
};

scenes.modPartial = async (R) => {
  const k = await R.limited("a");
  audit(R);
  R.ex.lag.fills = 4000;
  R.ex.lag.orders = 1000;
  for (let i = 0; i < 5; i++) {
    const o = await R.order(k, { side: "buy", size: "0.006", price: "59990" });
    if (o.s >= 400) {
      say("place", o.j.error?.message);
      break;
    }
    const ord = R.ex.byCloid.get(`0x${o.j.id.replaceAll("-", "")}`);
    R.ex.makeFill(ord, 0.003);
    const m = await R.post(
      k,
      `/v1/orders/${o.j.id}/modify`,
      i % 2 ? { price: "59980" } : { price: "59980", size: "0.006" },
    );
    say(m.s, m.j.status ?? m.j.error?.message, m.j.size, R.worst("BTC"));
    await R.post(k, `/v1/orders/${o.j.id}/cancel`, {});
  }
  await sleep(4200);
  for (let i = 0; i < 8; i++) await R.order(k, { side: "buy", size: "0.001", price: "58900" });
  clean(R, "modify of what was filled in part");
};

scenes.trig = async (R) => {
  const k = await R.limited("a");
  audit(R);
  const t = await hammer(R, k, {
    side: "buy",
    size: "0.004",
    price: "61500",
    trigger: { kind: "stop_loss", price: "61000", market: true },
  });
  say(t.acc, t.last.j.error?.message);
  const u = await hammer(R, k, { side: "buy", size: "0.002", price: "60500", time_in_force: "ioc" });
  say(u.acc, u.last.j.error?.message);
  await tryLargest(R, {
    k,
    o: { side: "buy", price: "61500", trigger: { kind: "stop_loss", price: "61000", market: true } },
    r: t.last,
    what: "trigger",
  });
  R.ex.setPx("BTC", 61200);
  await sleep(300);
  R.ex.setPx("BTC", 60000);
  await sleep(300);
  const v = await hammer(R, k, { side: "buy", size: "0.001", price: "60500", time_in_force: "ioc" });
  say(v.acc, v.last.j.error?.message, R.worst("BTC"));
  clean(R, "triggers");
};

scenes.twap = async (R) => {
  const k = await R.limited("a", {
    may: "increase,reduce,modify,cancel,twap",
    max_distance: "3 %",
    max_order: "1000 USD",
  });
  audit(R, { order: 1000 });
  R.ex.lag.fills = 3000;
  const t = await R.post(k, "/v1/twaps", { market: "BTC", side: "buy", size: "0.008", duration_minutes: 5 });
  say(t.s, t.j.status ?? t.j.error);
  R.ex.faults.push({ match: (a) => a.type === "twapOrder", kind: "lose_after" });
  const t2 = R.post(k, "/v1/twaps", { market: "BTC", side: "buy", size: "0.004", duration_minutes: 5 });
  for (let i = 0; i < 12; i++) {
    const rs = await Promise.all([
      R.order(k, { side: "buy", size: "0.004", price: "60500", time_in_force: "ioc" }),
      R.order(k, { side: "buy", size: "0.001", price: "59900" }),
    ]);
    if (i < 3 || rs.some((r) => r.s < 300)) say(rs.map((r) => r.s + (r.j.error?.message ?? "")).join(" | "));
    await sleep(400);
  }
  const c = await R.post(k, "/v1/twaps/cancel", { market: "BTC", twap_id: Number(t.j.exchange_id) });
  const x = await t2;
  say("lost twap", x.s, x.j.status ?? x.j.error, "cancel", c.s, c.j.status, R.worst("BTC"));
  for (let i = 0; i < 10; i++) {
    await R.order(k, { side: "buy", size: "0.001", price: "59900" });
    await sleep(350);
  }
  say(R.worst("BTC"));
  const l = await R.post(k, "/v1/twaps", { market: "BTC", side: "buy", size: "1", duration_minutes: 5 });
  say(l.s, l.j.error?.message);
  clean(R, "TWAPs with fills told late");
};

scenes.flip = async (R) => {
  const k = await R.limited("a", { max_order: "2000 USD" });
  audit(R, { order: 2000 });
  // long to the rail, a plain sell that rests through to the rail on the other side, then a reduce-only close
  const b = await R.order(k, { side: "buy", size: "0.016", price: "60100", time_in_force: "ioc" });
  say("long", b.s, b.j.status ?? b.j.error?.message);
  let s = await R.order(k, { side: "sell", size: "0.032", price: "60900" });
  say("rest sell .032", s.s, s.j.status ?? s.j.error?.message);
  if (s.s >= 400) {
    s = await R.order(k, { side: "sell", size: largest(s), price: "60900" });
    say("rest", s.j.size, s.s, s.j.error?.message);
  }
  const c = await R.order(k, { side: "sell", size: "0.016", price: "59500", time_in_force: "ioc", reduce_only: true });
  say("reduce", c.s, c.j.status ?? c.j.error?.message);
  const cl = await R.post(k, "/v1/positions/close", { account: R.account, market: "BTC" });
  say("close", cl.s, JSON.stringify(cl.j).slice(0, 300));
  await sleep(300);
  R.ex.setPx("BTC", 61000);
  await sleep(300);
  R.ex.setPx("BTC", 60000);
  const w = R.worst("BTC");
  say("after", w);
  ok(Math.abs(w.net) * 60000 <= 1000 + 1e-6, "flip: position that results is within maxPosition", w);
};
