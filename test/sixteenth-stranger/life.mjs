// A long random life of an account before and beside the gateway, with odd decimals everywhere.
import { abs, cut, d, over, plain, times } from "./decimal.mjs";

const DAY = 86_400_000;
export const SOMEBODY = `0x${"ab".repeat(20)}`;
function pick(rnd, list) {
  return list[Math.floor(rnd() * list.length)];
}
export function near(x, coin) {
  const m = x.markets.get(coin);
  const moved = m.mid + times(m.mid, d((x.rnd() * 0.04 - 0.02).toFixed(6)));
  const digits = plain(moved).split(".")[0].length;
  m.mid = cut(moved, Math.max(0, Math.min(5 - digits, (m.kind === "perp" ? 6 : 8) - m.sz)));
  return m;
}
export function size(x, m, usd) {
  const raw = over(d((usd * (0.2 + x.rnd())).toFixed(3)), m.mid);
  const cutTo = cut(raw, m.sz);
  return cutTo > 0n ? cutTo : 10n ** BigInt(12 - m.sz);
}
function trade(x) {
  const coin = pick(x.rnd, ["BTC", "ETH", "xyz:TSLA", "xyz:SOL", "hyna:SOL", "SOL", "@107", "PURR/USDC"]);
  const m = near(x, coin);
  let side = x.rnd() < 0.5 ? "B" : "A";
  let sz = size(x, m, 300);
  if (m.kind === "spot" && side === "A") {
    const have = cut(x.spot.get(m.base)?.total ?? 0n, m.sz);
    if (have === 0n) side = "B";
    else if (have < sz) sz = have;
  }
  const more = { crossed: x.rnd() < 0.5, time: x.now() };
  if (m.kind === "perp" && x.rnd() < 0.3)
    Object.assign(more, {
      crossed: false,
      fee: -cut(times(times(sz, m.mid), d("0.00003")), 6),
      feeToken: m.dex === "hyna" ? "USDH" : "USDC",
    });
  const order = x.make({
    coin,
    side,
    px: m.mid,
    sz,
    tif: "Gtc",
    reduceOnly: false,
    builder: m.kind === "perp" && x.rnd() < 0.25 ? { b: SOMEBODY, f: 37 } : undefined,
    elsewhere: true,
  });
  const parts = 1 + Math.floor(x.rnd() * 3);
  for (let i = 0; i < parts && order.sz > 0n; i++) {
    const part = i === parts - 1 ? order.sz : cut(order.sz / 3n, m.sz);
    if (part > 0n) x.fill(order, part, m.mid, more);
  }
}
function moneyMoves(x) {
  const usdc = d((1 + x.rnd() * 300).toFixed(6));
  const text = plain(usdc);
  const nonce = Math.floor(x.rnd() * 1e12);
  const perp = (by) => () => x.cash.set("", x.cash.get("") + by);
  const me = x.owner;
  const choices = [
    () => x.move({ type: "deposit", usdc: text }, perp(usdc)),
    () => x.move({ type: "withdraw", usdc: text, nonce, fee: "1.0" }, perp(-usdc - d("1"))),
    () =>
      x.move(
        { type: "accountClassTransfer", usdc: text, toPerp: false },
        () => (perp(-usdc)(), x.balance("USDC", usdc)),
      ),
    () => x.move({ type: "internalTransfer", usdc: text, user: SOMEBODY, destination: me, fee: "0.0" }, perp(usdc)),
    () =>
      x.move(
        { type: "internalTransfer", usdc: text, user: me, destination: SOMEBODY, fee: "1.0" },
        perp(-usdc - d("1")),
      ),
    () =>
      x.move(
        {
          type: "spotTransfer",
          token: "HYPE",
          amount: "1.23456789",
          usdcValue: "49.3827156",
          user: SOMEBODY,
          destination: me,
          fee: "0.0",
          nativeTokenFee: "0.0",
          nonce: null,
          feeToken: "",
        },
        () => x.balance("HYPE", d("1.23456789")),
      ),
    () =>
      x.move(
        {
          type: "send",
          user: me,
          destination: me,
          sourceDex: "",
          destinationDex: "xyz",
          token: "USDC",
          amount: text,
          usdcValue: text,
          fee: "0.0",
          nativeTokenFee: "0.0",
          nonce,
          feeToken: "",
        },
        () => (perp(-usdc)(), x.cash.set("xyz", x.cash.get("xyz") + usdc)),
      ),
    () => x.move({ type: "vaultDeposit", vault: SOMEBODY, usdc: "5.5" }, perp(-d("5.5"))),
    () => x.move({ type: "subAccountTransfer", usdc: text, user: me, destination: SOMEBODY }, perp(-usdc)),
    () => x.move({ type: "rewardsClaim", amount: "0.123456", token: "USDC" }, () => x.balance("USDC", d("0.123456"))),
  ];
  pick(x.rnd, choices)();
}
function hour(x) {
  for (const coin of [...x.positions.keys()]) {
    const p = x.positions.get(coin);
    const rate = (x.rnd() * 0.00004 - 0.00002).toFixed(10);
    x.pay(coin, plain(cut(-times(times(p.szi, x.markets.get(coin).mid), d(rate)), 6)), rate);
  }
}
// `days` of it, ending `endAgo` ms before now, one action about every `step` ms.
export function live(x, { days = 8, endAgo = 3_600_000, step = 3_600_000, trades = 1 } = {}) {
  const from = Date.now() - days * DAY;
  const to = Date.now() - endAgo;
  x.skew = from - Date.now();
  x.cash.set("", 0n);
  for (const [type, dex] of [["deposit", ""]])
    x.move({ type, usdc: "50000.123456" }, () => x.cash.set(dex, d("50000.123456")));
  x.move(
    {
      type: "send",
      user: x.owner,
      destination: x.owner,
      sourceDex: "",
      destinationDex: "xyz",
      token: "USDC",
      amount: "5000.0",
      usdcValue: "5000.0",
      fee: "0.0",
      nativeTokenFee: "0.0",
      nonce: 1,
      feeToken: "",
    },
    () => (x.cash.set("", x.cash.get("") - d("5000")), x.cash.set("xyz", d("5000"))),
  );
  x.move(
    {
      type: "spotTransfer",
      token: "USDH",
      amount: "6000.0",
      usdcValue: "6000.0",
      user: SOMEBODY,
      destination: x.owner,
      fee: "0.0",
      nativeTokenFee: "0.0",
      nonce: null,
      feeToken: "",
    },
    () => x.cash.set("hyna", d("6000")),
  );
  x.move(
    { type: "accountClassTransfer", usdc: "9000.0", toPerp: false },
    () => (x.cash.set("", x.cash.get("") - d("9000")), x.balance("USDC", d("9000"))),
  );
  let lastHour = Math.floor(from / 3_600_000);
  for (let t = from; t < to; t += step * (0.5 + x.rnd())) {
    const moved = Math.floor(t - Date.now());
    x.skew = moved;
    const now = Math.floor(x.now() / 3_600_000);
    if (now > lastHour) {
      x.skew = now * 3_600_000 + 43 - Date.now();
      hour(x);
      lastHour = now;
      x.skew = moved;
    }
    for (let i = 0; i < trades; i++) trade(x);
    if (x.rnd() < 0.15) moneyMoves(x);
  }
  x.skew = 0;
  for (const s of x.snaps) s.t = 0;
  x.snaps = x.snaps.slice(-1);
  for (const list of [x.fills, x.funding, x.ledger]) for (const f of list) f.t = 0;
  for (const o of x.orders.values()) for (const s of o.statuses) s.t = 0;
}
export { abs };
