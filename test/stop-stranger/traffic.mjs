// What goes on around a scene: a flow of orders, fills by the world, a position with its stop.
import { now, sleep } from "./random.mjs";
import { body, K, lots, PX, S } from "./stage.mjs";
// a flow of orders with a key for some time
export async function flow(c, m, until, { stops = true, twaps = true, modifies = true } = {}) {
  const { A } = c;
  const { r } = A;
  const mine = [];
  const js = [];
  const go = (p) => js.push(p.catch((e) => console.log("flow", e)));
  while (now() < until()) {
    const k = r();
    const side = r.pick(["buy", "sell"]);
    const l = lots(m, r.int(30, 400));
    if (k < 0.4)
      go(
        c
          .post("/v1/orders", body(A, m, [side, l, side === "buy" ? 0.99 - r() * 0.03 : 1.01 + r() * 0.03]), K("o"))
          .then((e) => e.body?.id && mine.push(e.body.id)),
      );
    else if (k < 0.55)
      go(c.post("/v1/orders", body(A, m, [side, l, side === "buy" ? 1.02 : 0.98], { time_in_force: "ioc" }), K("o")));
    else if (k < 0.65) go(c.post("/v1/orders/market", { account: A.id, market: m.coin, side, size: S(m, l) }, K("o")));
    else if (k < 0.78 && mine.length && modifies)
      go(
        c.post(
          `/v1/orders/${r.pick(mine)}/modify`,
          { price: PX(m, side === "buy" ? 0.97 : 1.03), ...(r.chance(0.4) ? { always_place: true } : {}) },
          K("m"),
        ),
      );
    else if (k < 0.84 && twaps)
      go(c.post("/v1/twaps", { market: m.coin, side, size: S(m, lots(m, 2000)), duration_minutes: 5 }, K("t")));
    else if (k < 0.9)
      go(
        c.post(
          "/v1/orders",
          body(A, m, [side, l, side === "buy" ? 1.06 : 0.94], {
            trigger: { kind: "stop_loss", price: PX(m, side === "buy" ? 1.05 : 0.95), market: true },
          }),
          K("o"),
        ),
      );
    else if (stops) {
      const p = A.ex.posOf(A.acc, m.coin);
      if (p)
        go(
          c.post(
            "/v1/orders",
            body(A, m, [p > 0 ? "sell" : "buy", Math.abs(p), p > 0 ? 0.85 : 1.15], {
              reduce_only: true,
              trigger: { kind: "stop_loss", price: PX(m, p > 0 ? 0.9 : 1.1), market: true },
            }),
            K("s"),
          ),
        );
    }
    if (r.chance(0.3)) {
      const o = r.pick(
        A.ex
          .live(A.acc)
          .filter((x) => x.live === "book" && x.coin === m.coin && x.src === "gw")
          .concat([null]),
      );
      if (o) A.ex.worldFill(A.acc, o.oid, Math.max(1, Math.floor(o.sz * r.pick([0.3, 0.5, 1]))));
    }
    await sleep(200 + r() * 900);
  }
  return Promise.all(js);
}
export async function world(A, r, ms, p = 0.4) {
  const t = now();
  while (now() - t < ms && !A.over) {
    const o = r.pick(
      A.ex
        .live(A.acc)
        .filter((x) => x.live === "book")
        .concat([null]),
    );
    if (o && r.chance(p)) A.ex.worldFill(A.acc, o.oid, Math.max(1, Math.floor(o.sz * r.pick([0.3, 0.5, 1]))));
    await sleep(500);
  }
}
export async function seedPos(c, m, [side, usd], withStop = true) {
  const { A } = c;
  const l = lots(m, usd);
  await c.post("/v1/orders", body(A, m, [side, l, side === "buy" ? 1.03 : 0.97], { time_in_force: "ioc" }), K("seed"));
  if (withStop) {
    const e = await c.post(
      "/v1/orders",
      body(A, m, [side === "buy" ? "sell" : "buy", l, side === "buy" ? 0.75 : 1.25], {
        reduce_only: true,
        trigger: { kind: "stop_loss", price: PX(m, side === "buy" ? 0.8 : 1.2), market: true },
      }),
      K("seeds"),
    );
    return e.body;
  }
}
