// What was left: requests that are doubled, refusals that another server does not share, sleep, rules that change, reads that are down.
import { exact, heal, settled } from "./ending.mjs";
import { D, S } from "./ledger.mjs";

function brief(r) {
  return `${r.status} ${r.body?.status} size ${r.body?.size} filled ${r.body?.filled_size} ${r.body?.error?.message ?? r.body?.error ?? ""}`.slice(
    0,
    260,
  );
}
async function ending(stage, ids, seconds = 30) {
  heal(stage.ex);
  await settled(stage, ids, seconds);
  await exact(stage);
}
const LATE = { userFillsByTime: 3000, "ws:userFills": 3000 };

export const scenes = {
  "refused-here-taken-there": {
    documented: "rejected is told and overruled within 15 s, by docs/clients.md",
    about:
      "one server answers 'does not exist' and 'Too many cumulative requests', another takes the same bytes 5 s later (docs/clients.md: within 15 s)",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const texts = [
        "User or API Wallet 0xabc does not exist.",
        "Too many cumulative requests sent (11 > 10) for cumulative volume traded $1. Place taker orders to free up 1 request per USDC traded.",
      ];
      const rs = [];
      for (const [i, response] of texts.entries()) {
        ex.actionFault = (b) => {
          if (b.action.type !== "order") return null;
          setTimeout(() => ex.actions.take(b), 5000);
          return {
            refuse: { status: 200, text: JSON.stringify({ status: "err", response }), type: "application/json" },
          };
        };
        const r = await gw.place({ price: String(61000 - i * 11000) }, `there-${i}00`);
        note(brief(r));
        rs.push(r);
        ex.actionFault = () => null;
        await wait(7000);
      }
      await wait(4000);
      for (const [i, r] of rs.entries())
        note(
          `now ${brief(await gw.get(`/v1/orders/${r.body.id}`))}; key again ${brief(await gw.place({ price: String(61000 - i * 11000) }, `there-${i}00`))}; truly ${led.byCloid.get(`0x${r.body.id.replaceAll("-", "")}`)?.map((o) => o.hist.at(-1).status) ?? "not taken"}`,
        );
      await ending(
        stage,
        rs.map((r) => r.body.id),
      );
    },
  },
  "doubled-request": {
    about:
      "the transport delivers each action twice and answers with the second answer (duplicate nonce); fills 3 s late",
    async play(stage) {
      const { gw, ex, note, wait } = stage;
      ex.lags = LATE;
      ex.actionFault = (b) => {
        ex.actions.take(b);
        return null;
      };
      const a = await gw.place({ price: "61000", time_in_force: "ioc" }, "doubled-0");
      const b = await gw.place({}, "doubled-1");
      note(`${brief(a)} | ${brief(b)}`);
      note(brief(await gw.post(`/v1/orders/${b.body.id}/modify`, { price: "50100" }, "doubled-2")));
      note(brief(await gw.post(`/v1/orders/${b.body.id}/cancel`, {}, "doubled-3")));
      const t = await gw.post(
        "/v1/twaps",
        { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 },
        "doubled-4",
      );
      note(`twap ${t.status} ${t.body.status} ${t.body.exchange_id} ${t.body.error ?? ""}`);
      await wait(5000);
      await ending(stage, [a.body.id, b.body.id]);
    },
  },
  suspended: {
    about:
      "the machine sleeps for 15 s (SIGSTOP) with orders resting: they fill, one is canceled by hand; read in the instant in which it wakes, twice",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const ids = [];
      for (const i of [0, 1, 2, 3]) ids.push((await gw.place({ price: String(50000 + i) }, `suspend-${i}`)).body.id);
      await wait(2000);
      for (const cut of [false, true]) {
        process.kill(gw.process.pid, "SIGSTOP");
        await wait(1000);
        const live = [...led.orders.values()].filter((o) => led.live(o));
        led.execute(live[0], cut ? D("0.01") : D("0.004"), live[0].px);
        led.end(live[1], "canceled");
        await wait(14_000);
        if (cut) for (const s of ex.sockets) s.raw.destroy();
        process.kill(gw.process.pid, "SIGCONT");
        const answers = await Promise.all([
          gw.get("/v1/positions"),
          gw.get("/v1/orders?status=open"),
          ...ids.map((id) => gw.get(`/v1/orders/${id}`)),
          gw.get("/v1/fills?limit=500"),
        ]);
        note(
          `${cut ? "cut" : "whole"}: position ${answers[0].body?.data?.map((p) => p.size)} (as of ${answers[0].note.asOf}), open ${answers[1].body?.data?.length} (as of ${answers[1].note.asOf}), ${answers.slice(2, 6).map((r) => `${r.body?.status}/${r.body?.filled_size}`)}`,
        );
        await wait(3000);
      }
      await ending(stage, ids);
    },
  },
  "rules-change": {
    about: "SOL's sizes get a decimal more, then two less; orders by the new rule at once; the key of a refused one",
    async play(stage) {
      const { gw, led, note, wait } = stage;
      const sol = led.coins.get("SOL");
      await gw.place({ market: "SOL", size: "1", price: "140" }, "rules-000");
      sol.szDecimals = 3;
      const a = await gw.place({ market: "SOL", size: "1.125", price: "140" }, "rules-111");
      note(`finer: ${brief(a)}`);
      await wait(1000);
      const again = await gw.place({ market: "SOL", size: "1.125", price: "140" }, "rules-111");
      note(`again: ${brief(again)}`);
      sol.szDecimals = 0;
      const b = await gw.place({ market: "SOL", size: "1.5", price: "140" }, "rules-222");
      note(`coarser: ${brief(b)}`);
      await ending(
        stage,
        [a, b].filter((r) => r.body?.id).map((r) => r.body.id),
      );
    },
  },
  "reads-are-down": {
    about:
      "every /info is 502 for 25 s while /exchange works and answers are lost: place, cancel, close, trade; what is told meanwhile, and after",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const a = await gw.place({}, "down-0000");
      await gw.place({ price: "61000" }, "down-1111");
      await wait(1500);
      ex.infoFault = () => ({ status: 502, text: "<html>" });
      ex.actionFault = (b) => (b.action.type === "noop" ? null : { drop: true });
      const c = await gw.post(`/v1/orders/${a.body.id}/cancel`, {}, "down-2222");
      note(`cancel ${brief(c)}`);
      const d = await gw.place({ price: "61000", time_in_force: "ioc" }, "down-3333");
      note(`place ${brief(d)}`);
      const e = await gw.post("/v1/positions/close", { account: gw.account, market: "BTC" }, "down-4444");
      note(`close ${brief(e)}`);
      for (let i = 0; i < 3; i++) {
        await gw.get("/v1/positions");
        await gw.get("/v1/orders?status=open");
        await wait(1000);
      }
      heal(ex);
      await wait(2000);
      await ending(
        stage,
        [a, d, e].filter((r) => r.body?.id).map((r) => r.body.id),
      );
      note(`position ${S(led.position("BTC").szi)}`);
    },
  },
  "trigger-at-once-lost": {
    about:
      "a stop that the mark has met fires and fills in the block that takes it, answer lost; the stream tells open, triggered, filled in one array; fills 3 s late",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      await gw.place({ price: "61000", size: "0.02" }, "atonce-00");
      await wait(1500);
      ex.lags = LATE;
      ex.actions.recheck = (coin) => led.setMark(coin.name, S(coin.mark));
      ex.actionFault = (b) => (b.action.type === "order" ? { drop: true } : null);
      const body = {
        side: "sell",
        reduce_only: true,
        price: "55000",
        trigger: { kind: "stop_loss", price: "60500", market: true },
      };
      const s = await gw.place(body, "atonce-11");
      note(`${brief(s)} after ${s.note.t1 - s.note.t0} ms`);
      await wait(7000);
      note(
        `now ${brief(await gw.get(`/v1/orders/${s.body.id}`))}; key again ${brief(await gw.place(body, "atonce-11"))}`,
      );
      await ending(stage, [s.body.id]);
    },
  },
  "batch-of-takers-lost": {
    about: "a batch of three that cross and fill whole, the answer lost; one array of six updates; fills 3 s late",
    async play(stage) {
      const { gw, ex, note, wait } = stage;
      ex.lags = LATE;
      ex.actionFault = (b) => (b.action.type === "order" ? { drop: true } : null);
      const batch = {
        account: gw.account,
        orders: ["0.01", "0.02", "0.03"].map((size) => ({ market: "BTC", side: "buy", size, price: "61000" })),
      };
      const r = await gw.post("/v1/orders/batch", batch, "takers-00");
      note(`${r.status} ${r.body.orders.map((o) => `${o.status}/${o.filled_size}`)}`);
      await wait(7000);
      const s = await gw.post("/v1/orders/batch", batch, "takers-00");
      note(`key again ${s.status} ${s.body.orders.map((o) => `${o.status}/${o.filled_size}`)}`);
      await ending(
        stage,
        r.body.orders.map((o) => o.id),
      );
    },
  },
};
