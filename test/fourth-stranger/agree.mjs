// After the faults: every store shows everything, two newer records are there, and all that is told has to become the truth.
import { brief, CLOSED, chains, compare } from "./chains.mjs";
import { MARKETS, sleep, units } from "./markets.mjs";

export async function agree(world, client, bg) {
  const { ex, log } = world;
  ex.faults = false;
  ex.lagOn = false;
  log("AGREE", {});
  for (let i = 0; i < 180 && ex.actions.some((a) => a.pending); i++) await sleep(100);
  await Promise.race([Promise.all(bg), sleep(12000)]);
  {
    const exp = Math.max(0, ...ex.actions.filter((a) => a.body.expiresAfter).map((a) => a.body.expiresAfter));
    while (ex.now() < exp + 3300) await sleep(100);
  }
  const outs = [];
  for (let i = 0; i < 2; i++) {
    await sleep(1200);
    outs.push(ex.place({ m: MARKETS.BTC, buy: true, px: 58000 - i, u: 1000, tif: "Gtc", via: "outside-newer" }).o);
  }
  const tNewer = Date.now();
  log("NEWER", { oids: outs.map((o) => o.oid) });
  await repeatAll(world, client);
  const settledAfter = await waitUntilSettled(world, client, tNewer);
  await readEachOrder(world, client);
  await readEachList(world, client);
  return settledAfter;
}

// Every key which had no clear answer is repeated.
async function repeatAll({ r }, { keys, write }) {
  for (const [key, k] of keys)
    if (k.answers.some((a) => a.status === 0 || (a.status >= 200 && a.status < 300))) {
      const lastOk = [...k.answers].reverse().find((a) => a.status >= 200 && a.status < 300);
      if (!lastOk || lastOk.status === 202 || r.chance(0.3)) await write(key);
    }
}

async function waitUntilSettled(world, client, tNewer) {
  const { opt, log, find } = world;
  const { liveIds, last, get, call } = client;
  let stuck = [],
    late = null;
  for (;;) {
    stuck = [];
    for (const id of liveIds()) {
      const o = last(id);
      if (o && CLOSED.has(o.status)) continue;
      const x = await get(id, "get-agreed");
      const s = x.j?.status;
      if (x.status !== 200 || s === "unknown" || s === "processing") stuck.push(id);
    }
    log("stuck?", { n: stuck.length, s: (Date.now() - tNewer) / 1000, ids: stuck });
    if (!stuck.length && Date.now() - tNewer > 8000) break;
    if (Date.now() - tNewer > 62000 && !late) late = [...stuck];
    if (Date.now() - tNewer > 125000) break;
    await sleep(opt.weight === "1200" ? 4000 : 1500);
  }
  const settledAfter = (Date.now() - tNewer) / 1000;
  await repeatAll(world, client);
  for (const id of late ?? [])
    if (!stuck.includes(id)) {
      const st = await call("GET", `/v1/orders/${id}/story`);
      find("med", "unknown for more than 60 s after agreement and two newer records, settled later", {
        id,
        told: brief(last(id)),
        settledAfter,
        story: st.j,
      });
    }
  for (const id of stuck) {
    const o = last(id);
    const st = await call("GET", `/v1/orders/${id}/story`);
    find("high", "still unknown 125 s after agreement and two newer records", { id, told: brief(o), story: st.j });
  }
  return settledAfter;
}

// Everything must now be the truth.
async function readEachOrder({ ex, find }, { liveIds, get, call }) {
  let wrong = [];
  for (let i = 0; i < 12; i++) {
    wrong = [];
    for (const id of liveIds()) {
      const x = await get(id, "get-final");
      if (x.status === 429 || x.status === 503) {
        if (i < 8) {
          wrong.push([id, `HTTP ${x.status}`]);
          await sleep(1500);
        }
        continue;
      }
      if (x.status !== 200) {
        wrong.push([id, `HTTP ${x.status} ${x.text}`]);
        continue;
      }
      const w = compare(chains(ex).get(id), x.j, Infinity);
      if (w) wrong.push([id, w, brief(x.j)]);
    }
    if (!wrong.length) break;
    await sleep(1000);
  }
  for (const [id, w, told] of wrong) {
    const st = await call("GET", `/v1/orders/${id}/story`);
    find("high", `final read contradicts the truth: ${w}`, {
      id,
      told,
      truth: chains(ex).get(id)?.brief(),
      story: st.j,
    });
  }
}

async function readEachList({ ex, find }, { ids, readLists }) {
  const fin = await readLists();
  if (fin.b.status === 200) {
    const have = fin.b.j.data
        .map((o) => o.exchange_order_id)
        .sort()
        .join(),
      want = ex.orders
        .filter((o) => ex.live(o))
        .map((o) => String(o.oid))
        .sort()
        .join();
    if (have !== want) find("high", "open list differs from truth after agreement", { have, want });
  }
  if (fin.c.status === 200)
    for (const m of [MARKETS.BTC, MARKETS.ETH]) {
      const p = fin.c.j.data.find((x) => x.market === m.coin),
        have = p ? (p.side === "short" ? -1 : 1) * units(m, p.size) : 0;
      if (have !== ex.pos(m.coin))
        find("high", "position differs from truth after agreement", { market: m.coin, have, want: ex.pos(m.coin) });
    }
  if (fin.f.status === 200) {
    const have = new Set(fin.f.j.data.map((f) => f.id));
    const miss = ex.fills.filter((f) => ![...have].some((h) => h.endsWith(`-${f.tid}`)));
    if (!fin.f.j.has_more && miss.length)
      find("med", "fills list lacks fills after agreement", { n: miss.length, miss: miss.slice(0, 3) });
    const C = chains(ex);
    for (const row of fin.f.j.data) {
      const owner = [...C].find(([, c]) => c.legs.some((l) => String(l.oid) === row.exchange_order_id));
      const want = owner && ids.has(owner[0]) ? owner[0] : null;
      if (row.order_id !== want && !(want && want[14] === "8" && row.order_id === null))
        find("med", "fill is given to another order", { id: row.id, told: row.order_id, want });
    }
  }
}
