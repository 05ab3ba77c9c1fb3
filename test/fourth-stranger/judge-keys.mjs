// No key twice, one final answer under one key, and nothing sent where all answers said that nothing was.
import { count, uuidOf } from "./chains.mjs";
import { szStr } from "./markets.mjs";

export function judgeKeys({ ex, C, keys, find }) {
  const byCloid = count(ex.orders.filter((o) => o.cloid).map((o) => o.cloid));
  for (const [c, n] of Object.entries(byCloid))
    if (n > 1) find("CRITICAL", "a cloid was placed twice", { id: uuidOf(c), n });
  for (const [key, k] of keys) {
    if (!k.price) continue;
    const placed = ex.orders.filter((o) => o.m === k.m && Number(o.px) === Number(k.price) && o.via !== "outside");
    const want = k.kind === "place" ? "order#" : "modify#";
    const mine = placed.filter((o) => o.via.startsWith(want) && (k.kind !== "place" || !o.replaces));
    if (k.kind === "place" && mine.length > 1)
      find("CRITICAL", "a key has executed twice", { id: k.id, key, oids: mine.map((o) => o.oid) });
    if (k.kind === "modify" && mine.length > 1) {
      const fix = mine.length === 2 && mine[1].replaces === mine[0] && mine[1].orig < mine[0].orig;
      find(fix ? "info" : "CRITICAL", fix ? "a modify was corrected once" : "a modify key has executed twice", {
        id: k.target,
        key,
        oids: mine.map((o) => [o.oid, szStr(o.m, o.orig)]),
      });
    }
    if (
      k.answers.length &&
      k.answers.every((a) => a.status >= 400) &&
      (mine.length || ex.actions.some((a) => JSON.stringify(a.body.action).includes(`"p":"${k.price}"`)))
    )
      find("CRITICAL", "all answers said nothing was sent, and something was", {
        key,
        answers: k.answers.map((a) => [a.status, a.text]),
      });
  }
  for (const [key, k] of keys)
    if (k.kind === "batch") {
      for (const px of k.prices) {
        const mine = ex.orders.filter((o) => o.m === k.m && Number(o.px) === Number(px) && o.via.startsWith("order#"));
        if (mine.length > 1) find("CRITICAL", "a batch key has executed twice", { key, oids: mine.map((o) => o.oid) });
      }
      if (
        k.answers.length &&
        k.answers.every((a) => a.status >= 400) &&
        ex.actions.some((a) => JSON.stringify(a.body.action).includes(`"p":"${k.prices[0]}"`))
      )
        find("CRITICAL", "all answers said nothing was sent, and something was", {
          key,
          answers: k.answers.map((a) => [a.status, a.text]),
        });
    }
  for (const [key, k] of keys)
    if (k.kind === "cancel-all") {
      const done = k.answers.filter((a) => a.status === 200);
      for (const a of done)
        for (const res of a.j.results ?? []) {
          const c = C.get(res.order ?? res.order_id ?? res.id);
          if (
            c &&
            /cancel|fill|reject|closed/.test(JSON.stringify(res)) &&
            c.status(a.t1) === "open" &&
            !/open|kept/.test(JSON.stringify(res))
          )
            find("high", "cancel-all told done of an order that is open", { key, res, truth: c.brief() });
        }
    }
}

export function judgeAnswers({ C, keys, find }) {
  for (const [key, k] of keys) {
    const good = k.answers.filter((a) => a.status >= 200 && a.status < 300).sort((a, b) => a.t1 - b.t1);
    const fin = good.filter((a) => a.status !== 202);
    for (const a of fin)
      if (a.text !== fin[0].text && k.kind !== "cancel-all")
        find("high", "two different final answers under one key", {
          key,
          id: k.id ?? k.target,
          first: fin[0].text,
          next: a.text,
        });
    for (const a of good)
      if (a.status === 202 && fin.some((f) => f.t1 < a.t0))
        find("high", "202 after a final answer", { key, id: k.id, final: fin[0].text, next: a.text });
    for (const a of good) {
      const o = a.j;
      if (o?.object === "order" && (a.status === 202) !== (o.status === "unknown"))
        find("med", `HTTP ${a.status} with status ${o.status}`, { key, id: o.id, text: a.text });
    }
  }
  for (const [key, k] of keys)
    if (k.kind === "cancel" && k.answers.some((a) => a.status === 202)) {
      const id = k.path.split("/")[3],
        c = C.get(id);
      if (c && c.status() === "open")
        find("high", "a cancel was answered 202 and the order is open after all has settled", {
          id,
          key,
          answers: k.answers.map((a) => [a.t1, a.status, a.j?.status, a.j?.error]),
          truth: c.brief(),
        });
    }
}
