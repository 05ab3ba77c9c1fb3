// What the number of a seed says about its run: how far the stores lag, what becomes of actions, what the client likes to do.
import { rng } from "./markets.mjs";

export function options(seed, over) {
  const r = rng(seed * 104729 + 1);
  const ws = seed % 2 === 0;
  const kind = seed % 5;
  const sev = [0.6, 1, 1.6][r.int(3)];
  const o = {
    ws,
    wsLife: ws && r.chance(0.6) ? 15000 : 0,
    maxLag: [30000, 30000, 12000, 30000, 5000][kind],
    fresh: r.pick([0, 0.1, 0.35]),
    lagMode: r.pick(["request", "servers"]),
    clockOffset: Math.round(r.range(-900, 900)),
    historyLatestOnly: r.chance(0.5),
    filledSzOrig: r.chance(0.5),
    infoFault: r.pick([0.02, 0.06, 0.12]),
    rejects: 0.05,
    doubleLap: 0.15,
    traceInfo: true,
    storeScale: Object.fromEntries(
      ["status", "open", "history", "fills", "positions", "spot", "clock", "ws"].map((s) => [
        s,
        r.pick([0.1, 0.5, 1, 1]),
      ]),
    ),
    fates: {
      ok: 10,
      lostAfter: 1.2 * sev,
      hangAfter: 0.6 * sev,
      lostBefore: 1 * sev,
      hangBefore: 0.6 * sev,
      badAfter: 1.2 * sev,
      badBefore: 1 * sev,
      lateLost: 1 * sev,
      lateBad: 1 * sev,
      slowAnswer: 0.8 * sev,
      slowExec: 0.8 * sev,
      doubled: 0.6 * sev,
    },
    weight: r.pick(["1200", "20000", "20000", "0"]),
    activeMs: r.range(20000, 26000),
    kill: seed % 3 === 0,
    focus: seed < 7 ? "mixed" : seed >= 30 ? "hot" : ["mixed", "ioc", "modify", "reduce"][seed % 4],
    batch: r.chance(0.6),
  };
  if (seed % 7 === 0) o.fates.refusedElsewhere = 1.2;
  return Object.assign(o, over);
}
