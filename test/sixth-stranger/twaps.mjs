// TWAPs of the true exchange: begun, under way, ended.
import { marketOf } from "./markets.mjs";

export const TWAPS = {
  startTwap(twap, t) {
    const coin = marketOf(twap.a).name;
    const fail = (error) => ({ status: "ok", response: { type: "twapOrder", data: { status: { error } } } });
    if (Number(twap.s) * this.mids[coin] < 100) return fail("TWAP order value too small. Min is $100.");
    const size = Number(twap.s);
    const slices = Math.max(2, Math.min(Math.floor(twap.m * 2) + 1, Math.floor((size * this.mids[coin]) / 10)));
    const one = {
      twapId: 70_000 + this.twaps.length,
      coin,
      side: twap.b ? "B" : "A",
      sz: size,
      executed: 0,
      ntl: 0,
      minutes: twap.m,
      r: twap.r,
      randomize: twap.t,
      ts: t,
      slices,
      every: (twap.m * 60_000) / (slices - 1),
      next: t + 500,
      versions: [{ t, status: "activated", executed: 0, ntl: 0 }],
    };
    this.twaps.push(one);
    this.note("twap", { twapId: one.twapId, coin, side: one.side, sz: size, r: twap.r, mid: this.mids[coin] });
    return { status: "ok", response: { type: "twapOrder", data: { status: { running: { twapId: one.twapId } } } } };
  },

  twapStatus(twap) {
    return twap.versions.at(-1).status;
  },

  endTwap(twap, status, t) {
    twap.versions.push({ t, status, executed: twap.executed, ntl: twap.ntl });
  },

  cancelTwap(action, t) {
    const twap = this.twaps.find((x) => x.twapId === action.t);
    const isRunning = twap && this.twapStatus(twap) === "activated";
    if (isRunning) this.endTwap(twap, "terminated", t);
    return {
      status: "ok",
      response: {
        type: "twapCancel",
        data: { status: isRunning ? "success" : { error: "TWAP was never placed, already canceled, or filled." } },
      },
    };
  },
};
