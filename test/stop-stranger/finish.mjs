// The end of a scene: a calm exchange, until nothing is open; then everything is asked for.
import { now, sleep } from "./random.mjs";
import { calm, lots, PX, S, waitUntil } from "./stage.mjs";
export async function readAll(A) {
  const c = A.c.plain;
  const out = new Map();
  for (let cur = null, i = 0; i < 10; i++) {
    const e = await c.get(`/v1/orders?limit=500${cur ? `&cursor=${cur}` : ""}`);
    if (e.status !== 200) break;
    for (const o of e.body.data) out.set(o.id, o);
    if (!e.body.has_more) break;
    cur = e.body.next_cursor;
  }
  for (const w of Object.keys(A.c)) {
    const e = await c.get(`/v1/orders?limit=500&key_hash=${A.c[w].hash}`);
    for (const o of e.body?.data ?? []) A.whoseCloid.set(`0x${o.id.replaceAll("-", "")}`, w);
  }
  return [...out.keys()];
}
export async function finish(A, { settleMs = 60000 } = {}) {
  calm(A);
  const t = now();
  const c = A.c.plain;
  let ids = await readAll(A);
  const wm = A.ms[2];
  const wit = setInterval(() => {
    if (A.settled || A.over) return clearInterval(wit);
    const o = A.ex.outside(A.acc, [
      { a: wm.asset, b: true, p: PX(wm, 0.6), s: S(wm, lots(wm, 50)), r: false, t: { limit: { tif: "Gtc" } } },
    ]);
    setTimeout(() => A.ex.outsideCancel(A.acc, o[0].oid), 3000);
  }, 6000);
  await waitUntil(
    async () => {
      const e = await c.get("/v1/orders?status=unknown");
      const f = await c.get("/v1/orders?status=processing");
      return e.status === 200 && e.body.data.length === 0 && f.body?.data?.length === 0;
    },
    settleMs,
    1500,
  );
  await waitUntil(
    async () => {
      const e = await c.get("/v1/stops");
      return e.status === 200 && (e.body.data ?? []).every((s) => s.status !== "stopping");
    },
    30000,
    1500,
  );
  await sleep(8000);
  A.settled = true;
  ids = await readAll(A);
  const fo = [];
  for (const id of ids) {
    const e = await c.get(`/v1/orders/${id}`);
    if (e.status === 200 || e.status === 202) fo.push(e.body);
    else A.notes.push(`GET order ${id}: ${e.status} ${JSON.stringify(e.body).slice(0, 200)}`);
  }
  A.finalOrders = fo;
  A.settleTook = now() - t;
  const st = await c.get("/v1/stops");
  for (const s of st.body?.data ?? []) await c.get(`/v1/stops/${s.id}`);
  await sleep(500);
}
