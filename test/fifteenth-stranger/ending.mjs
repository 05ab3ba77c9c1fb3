// What must be so once the faults are over: every order settled, fills, positions and performance to the digit.
import { parse, wait } from "./exchange.mjs";
import { Judge } from "./judge.mjs";
import { D, S } from "./ledger.mjs";

/** The fault of an action, once something else has happened. */
export function after(happens, fault) {
  happens();
  return fault;
}

export function heal(ex) {
  ex.lags = {};
  ex.infoFault = () => null;
  ex.actionFault = () => null;
  ex.edit = (_t, a) => a;
  ex.wsEdit = (_c, d) => d;
  ex.wsMute = () => false;
  ex.refuseSockets = false;
}
export function ordersOf(gw) {
  const j = new Judge({ began: 0 });
  const ids = new Set();
  for (const n of gw.told) {
    let body;
    try {
      body = parse(n.raw);
    } catch {
      continue;
    }
    for (const o of j.objects(body)) if (o.object === "order" && o.id) ids.add(o.id);
  }
  return [...ids];
}
// Waits until nothing is unknown any more: the seconds that it took, with what is left.
export async function settled(stage, ids, seconds = 30) {
  const began = Date.now();
  let left = [...ids];
  const last = new Map();
  while (left.length && Date.now() - began < seconds * 1000) {
    const next = [];
    for (const id of left) {
      const r = await stage.gw.get(`/v1/orders/${id}`);
      last.set(id, r.body);
      if (!r.body?.status || ["unknown", "processing"].includes(r.body.status)) next.push(id);
    }
    left = next;
    if (left.length) await wait(500);
  }
  stage.note(
    `settled after ${((Date.now() - began) / 1000).toFixed(1)} s${left.length ? `; LEFT ${left.map((id) => JSON.stringify(last.get(id)?.error ?? last.get(id))).join(" | ")}` : ""}`,
  );
  for (const id of left) {
    stage.note(
      `truly ${stage.led.byCloid.get(`0x${id.replaceAll("-", "")}`)?.map((o) => o.hist.at(-1).status) ?? "never taken"}`,
    );
    const s = await stage.gw.get(`/v1/orders/${id}/story`);
    stage.note(`STUCK ${id}: ${s.raw.slice(-900)}`);
  }
  return left;
}
// The row against the ledger now: null, or what is wrong with it.
function wrong(o, legs, judge) {
  const live = legs.filter((l) => judge.ledger.live(l));
  const filled = judge.filledAt(legs, Number.POSITIVE_INFINITY);
  if (live.length && !["open", "waiting_for_trigger"].includes(o.status)) return `${o.status}, but a leg is live`;
  if (!live.length && ["open", "waiting_for_trigger", "processing"].includes(o.status))
    return `${o.status}, but nothing is live (${legs.map((l) => l.hist.at(-1).status)})`;
  if (o.filled_size !== null && D(o.filled_size) !== filled) return `filled ${o.filled_size}, truly ${S(filled)}`;
  return null;
}
export async function exact(stage, { fills = true, positions = true, seconds = 15 } = {}) {
  const { gw, led, note } = stage;
  const judge = new Judge(led);
  const until = Date.now() + seconds * 1000;
  for (const id of ordersOf(gw)) {
    for (;;) {
      const o = (await gw.get(`/v1/orders/${id}`)).body;
      const fault = o?.status && o.status !== "unknown" ? wrong(o, judge.legs(o), judge) : null;
      if (fault && Date.now() > until) note(`WRONG END ${id}: ${fault}; error ${o.error}`);
      if (!fault || Date.now() > until) break;
      await wait(1000);
    }
  }
  if (fills) await listed(stage);
  if (positions) await held(stage);
}
async function listed({ gw, led, note }) {
  const want = led.fills.filter((f) => !f.hidden);
  let got = [];
  for (let i = 0; i < 20; i++) {
    got = (await gw.get("/v1/fills?limit=500")).body?.data ?? [];
    if (got.length === want.length) break;
    await wait(1000);
  }
  if (got.length !== want.length) note(`WRONG END fills listed ${got.length}, truly ${want.length}`);
  if (new Set(got.map((f) => f.id)).size !== got.length) note("WRONG END a fill is listed twice");
  let volume = null;
  const truth = want.reduce((a, f) => a + f.px * f.sz, 0n) / 10n ** 8n;
  for (let i = 0; i < 10; i++) {
    const p = await gw.get("/v1/performance");
    volume = p.body?.total?.volume ?? p.body?.total?.turnover ?? null;
    if (volume === null || D(volume) === truth) break;
    await wait(1000);
  }
  if (volume !== null && D(volume) !== truth) note(`WRONG END performance volume ${volume}, truly ${S(truth)}`);
}
async function held({ gw, led, note }) {
  let p;
  for (let i = 0; i < 15; i++) {
    p = await gw.get("/v1/positions");
    if (p.status === 200) break;
    await wait(1000);
  }
  if (p.status !== 200) return note(`positions ${p.status} for 15 s: ${p.raw.slice(0, 160)}`);
  for (const [name] of led.positions) {
    const told = p.body?.data?.find((x) => x.market === name);
    const signed = told ? D(told.size) * (told.side === "long" ? 1n : -1n) : 0n;
    if (signed !== led.position(name).szi)
      note(`WRONG END position ${name} ${S(signed)}, truly ${S(led.position(name).szi)}`);
  }
}
