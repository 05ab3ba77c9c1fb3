import { dec, plain, txt } from "./decimals.mjs";
import { sleep } from "./stage.mjs";

const HOUR = 3_600_000;
// The record is read first a minute and more after a start: these scenes are slow.
const SLOW_MS = 150_000;

/** A past of many rows: several in one millisecond, over dexes, with every kind of transfer. */
function makePast(stage, rows) {
  const { engine, main: account } = stage;
  const now = Date.now();
  const coins = ["BTC", "ETH", "xyz:GOLD", "xyz:TSLA", "abc:OIL"];
  for (let i = rows; i > 0; i--) {
    const time = now - 4 * 60_000 - Math.floor(((i - 1) * 20 * 24 * HOUR) / rows / HOUR) * HOUR;
    for (const coin of coins) {
      const usdc = txt(dec((stage.between(-999999, 999999) / 1e6).toFixed(6)), 6);
      const delta = {
        type: "funding",
        coin,
        usdc,
        szi: "0.5",
        fundingRate: "0.0000125",
        nSamples: stage.roll() < 0.1 ? 3 : null,
      };
      account.funding.push({ at: time, row: { time, hash: `0x${"0".repeat(64)}`, delta } });
    }
  }
  makeTransfers(stage, now);
  account.keep(engine.now());
}

function makeTransfers(stage, now) {
  const { main: account, gateway } = stage;
  const user = gateway.owner;
  const other = "0x1111111111111111111111111111111111111111";
  const kinds = [
    { type: "deposit", usdc: "1000.0" },
    { type: "withdraw", usdc: "12.5", nonce: 1, fee: "1.0" },
    { type: "accountClassTransfer", usdc: "77.7", toPerp: true },
    { type: "accountClassTransfer", usdc: "7.7", toPerp: false },
    { type: "internalTransfer", usdc: "5.0", user: other, destination: user, fee: "1.0" },
    { type: "internalTransfer", usdc: "6.0", user, destination: other, fee: "1.0" },
    { type: "subAccountTransfer", usdc: "3.0", user, destination: other },
    {
      type: "spotTransfer",
      token: "USDC",
      amount: "9.0",
      usdcValue: "9.0",
      user: other,
      destination: user,
      fee: "0.0",
      nativeTokenFee: "0.0",
      nonce: null,
      feeToken: "",
    },
    {
      type: "spotTransfer",
      token: "HYPE",
      amount: "2.0",
      usdcValue: "80.0",
      user,
      destination: other,
      fee: "0.1",
      nativeTokenFee: "0.0",
      nonce: null,
      feeToken: "USDC",
    },
    { type: "rewardsClaim", amount: "4.0", token: "USDC" },
  ];
  for (let i = 0; i < 700; i++) {
    const time = now - 20 * 24 * HOUR + Math.floor(i / 3) * 60_000;
    const delta = kinds[i % kinds.length];
    account.ledger.push({ at: time, row: { time, hash: `0x${i.toString(16).padStart(64, "0")}`, delta } });
  }
}

async function all(stage, path) {
  const rows = [];
  let cursor = "";
  let last = null;
  for (let i = 0; i < 40; i++) {
    last = await stage.gateway.get(`${path}?limit=500${cursor}`);
    if (last.status === 429) {
      await sleep(1000);
      continue;
    }
    if (last.status !== 200) throw new Error(`${path} ${last.status} ${last.text}`);
    rows.push(...last.value.data);
    if (!last.value.has_more) break;
    cursor = `&cursor=${encodeURIComponent(last.value.next_cursor)}`;
  }
  return { rows, from: last.value.complete_from, to: last.value.complete_to };
}

async function past(stage) {
  await stage.open({ before: (s) => makePast(s, 480), env: { POSTERN_EXCHANGE_WEIGHT: "0" } });
  const { judge, main } = stage;
  let funding;
  let transfers;
  for (const until = Date.now() + SLOW_MS; Date.now() < until; await sleep(2000)) {
    funding = await all(stage, "/v1/funding");
    transfers = await all(stage, "/v1/transfers");
    if (funding.from !== null && transfers.from !== null) break;
  }
  stage.say(
    `funding ${funding.rows.length} of ${main.funding.length}, ${funding.from} to ${funding.to}; transfers ${transfers.rows.length} of ${main.ledger.length}`,
  );
  holdFunding(judge, main, funding);
  holdTransfers(judge, main, transfers, stage);
}

function holdFunding(judge, account, { rows, from, to }) {
  judge.count("funding");
  if (from === null) return judge.fault("funding is not whole in time", from, account.funding.length);
  const inside = (at) => at >= Date.parse(from) && at <= Date.parse(to);
  const line = (time, coin, usdc) => `${time} ${coin} ${usdc}`;
  const truth = account.funding
    .filter((f) => inside(f.at))
    .map(({ row: { time, delta } }) => line(time, delta.coin, plain(delta.usdc)));
  const told = rows
    .filter((r) => inside(Date.parse(r.created_at)))
    .map((r) => line(Date.parse(r.created_at), r.market, r.amount));
  compare(judge, "rows of funding", told, truth);
}

function compare(judge, what, told, truth) {
  const [a, b] = [[...told].sort(), [...truth].sort()];
  if (JSON.stringify(a) === JSON.stringify(b)) return;
  judge.fault(
    `${what}: ${a.length} of ${b.length}`,
    { more: a.filter((x) => !b.includes(x)).slice(0, 5) },
    { missing: b.filter((x) => !a.includes(x)).slice(0, 5) },
  );
}

function holdTransfers(judge, account, { rows, from, to }, stage) {
  judge.count("transfers");
  if (from === null) return judge.fault("transfers are not whole in time", from, account.ledger.length);
  const inside = (at) => at >= Date.parse(from) && at <= Date.parse(to);
  const truth = account.ledger
    .filter((f) => inside(f.at))
    .map(({ row: { time, hash, delta } }) => `${time} ${hash} ${worthOf(delta, stage.gateway.owner)}`);
  const told = rows
    .filter((r) => inside(Date.parse(r.created_at)))
    .map((r) => `${Date.parse(r.created_at)} ${r.transaction_hash} ${r.value}`);
  compare(judge, "rows of transfers and their value", told, truth);
}

/** USDC by which it has changed what the account is worth. */
function worthOf(delta, user) {
  const fee = dec(delta.fee ?? "0");
  const isOut = delta.user?.toLowerCase() === user;
  const worth = dec(delta.usdc ?? delta.usdcValue ?? delta.amount);
  const values = {
    deposit: () => worth,
    withdraw: () => -worth - fee,
    accountClassTransfer: () => 0n,
    internalTransfer: () => (isOut ? -worth - fee : worth),
    subAccountTransfer: () => -worth,
    spotTransfer: () => (isOut ? -worth - fee : worth),
    rewardsClaim: () => null,
  };
  const value = values[delta.type]();
  return value === null ? "null" : plain(txt(value));
}

/** What was earned and paid: fills of many markets, then the performance, the fills and their exports, to the digit. */
async function sums(stage) {
  await stage.open({ env: { POSTERN_EXCHANGE_WEIGHT: "0" } });
  const { gateway, judge, main, engine } = stage;
  const markets = [
    ["BTC", "0.01", "61000", "59000"],
    ["xyz:TSLA", "1", "440", "360"],
    ["abc:OIL", "2", "88", "72"],
    ["ETH", "0.3", "2600", "2400"],
  ];
  for (let i = 0; i < 24; i++) {
    const [market, size, high, low] = stage.pick(markets);
    const side = stage.pick(["buy", "sell"]);
    await gateway.place(stage.name("sum"), {
      market,
      side,
      size,
      price: side === "buy" ? high : low,
      time_in_force: "ioc",
    });
    if (stage.roll() < 0.3) engine.setMark("BTC", String(60000 + stage.between(-300, 300)));
    await sleep(200);
  }
  const last = main.fills.at(-1).at;
  let told;
  for (const until = Date.now() + SLOW_MS; Date.now() < until; await sleep(2000)) {
    told = (await gateway.get("/v1/performance")).value;
    if (told.complete_to !== null && Date.parse(told.complete_to) >= last) break;
  }
  const truth = main.fills.filter((f) => f.at <= Date.parse(told.complete_to ?? 0));
  const sum = (pick) => plain(txt(truth.reduce((all, f) => all + pick(f.fill), 0n)));
  const want = {
    fills: truth.length,
    fees: sum((f) => dec(f.fee)),
    volume: sum((f) => (dec(f.px) * dec(f.sz)) / 10n ** 12n),
    realized_pnl: sum((f) => dec(f.closedPnl)),
  };
  const got =
    told.total === null
      ? null
      : {
          fills: told.total.fills,
          fees: told.total.fees,
          volume: told.total.volume,
          realized_pnl: told.total.realized_pnl,
        };
  stage.say(`booked ${truth.length} of ${main.fills.length} fills, to ${told.complete_to}`);
  judge.count("sums");
  if (got === null) judge.fault("nothing is booked in time", told, want);
  else if (JSON.stringify(got) !== JSON.stringify(want)) {
    const near = (a, b) => Number(a) - Number(b) < 1e-5 && Number(b) - Number(a) < 1e-5;
    const isSo =
      got.fills === want.fills &&
      got.fees === want.fees &&
      got.volume === want.volume &&
      near(got.realized_pnl, want.realized_pnl);
    if (!isSo) judge.fault("sums of the performance", got, want);
  }
  const csv = await gateway.get("/v1/exports/fills.jsonl");
  const rows = csv.text
    .trim()
    .split("\n")
    .map((l) => JSON.parse(l));
  compare(
    judge,
    "exported fills",
    rows.map((r) => `${r.market} ${r.size} ${r.price} ${r.fee}`),
    main.fills.map(({ fill: f }) => `${f.coin} ${plain(f.sz)} ${plain(f.px)} ${plain(f.fee)}`),
  );
}

export const scenes = { "record-past": past, "record-sums": sums };
