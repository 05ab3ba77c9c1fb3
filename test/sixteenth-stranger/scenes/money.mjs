import { d, plain } from "../decimal.mjs";
import { pause } from "../house.mjs";
import { live } from "../life.mjs";

export function decimal(text) {
  return plain(d(text));
}
// A fill as the list has to tell it.
export function fillTold(f) {
  return {
    market: f.coin,
    exchange_order_id: String(f.oid),
    side: f.side === "B" ? "buy" : "sell",
    price: decimal(f.px),
    size: decimal(f.sz),
    liquidity: f.crossed ? "taker" : "maker",
    fee: decimal(f.fee),
    fee_token: f.feeToken,
    builder_fee: f.builderFee ? decimal(f.builderFee) : null,
    realized_pnl: decimal(f.closedPnl),
    start_position: decimal(f.startPosition),
    direction: f.dir,
    liquidation: !!f.liquidation,
    created_at: new Date(f.time).toISOString(),
  };
}
export function same(what, told, real, say) {
  for (const key of Object.keys(real))
    if (told[key] !== real[key]) say(`${what} ${told.id ?? ""}: ${key} told ${told[key]}, true ${real[key]}`);
}
export function compareLists(what, told, real, key, say) {
  const map = new Map();
  for (const row of told) {
    if (map.has(row.id)) say(`${what}: ${row.id} is listed twice`);
    map.set(row.id, row);
  }
  if (told.length !== real.length) say(`${what}: ${told.length} rows told, ${real.length} true`);
  const left = told.map((r) => ({ r, k: key(r) }));
  for (const row of real) {
    const at = left.findIndex((l) => l.k === JSON.stringify(row));
    if (at < 0) say(`${what}: not told ${JSON.stringify(row)}`);
    else left.splice(at, 1);
  }
  for (const l of left.slice(0, 5)) say(`${what}: told and not true ${l.k}`);
}
export function keyOf(fields) {
  return (row) => JSON.stringify(Object.fromEntries(fields.map((f) => [f, row[f]])));
}
const FILL = Object.keys(
  fillTold({ coin: "a", oid: 1, px: "1", sz: "1", fee: "1", closedPnl: "0", startPosition: "0", time: 0 }),
);
export async function checkFills(h, say, limit) {
  const { rows } = await h.pages("/v1/fills", limit);
  compareLists(
    "fills",
    rows,
    h.x.fills.map((f) => fillTold(f.row)),
    keyOf(FILL),
    say,
  );
  return rows;
}
export async function checkFunding(h, say) {
  const { rows, last } = await h.pages("/v1/funding", 37);
  const from = last.complete_from ? Date.parse(last.complete_from) : 0;
  const real = h.x.funding
    .filter((f) => f.row.time >= from)
    .map(({ row }) => ({
      market: row.delta.coin,
      amount: decimal(row.delta.usdc),
      position: decimal(row.delta.szi),
      funding_rate: decimal(row.delta.fundingRate),
      created_at: new Date(row.time).toISOString(),
    }));
  compareLists("funding", rows, real, keyOf(["market", "amount", "position", "funding_rate", "created_at"]), say);
  return { rows, last };
}
export async function checkTransfers(h, say) {
  const { rows, last } = await h.pages("/v1/transfers", 7);
  compareLists(
    "transfers",
    rows,
    h.x.ledger.map(({ row }) => ({ created_at: new Date(row.time).toISOString(), transaction_hash: row.hash })),
    keyOf(["created_at", "transaction_hash"]),
    say,
  );
  return { rows, last };
}
function csvRows(text) {
  const rows = [];
  let [field, row, quoted] = ["", [], false];
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted && c === '"' && text[i + 1] === '"') [field, i] = [field + c, i + 1];
    else if (c === '"') quoted = !quoted;
    else if (!quoted && c === ",") [field, row] = ["", [...row, field]];
    else if (!quoted && (c === "\n" || c === "\r")) {
      if (field !== "" || row.length) rows.push([...row, field]);
      [field, row] = ["", []];
    } else field += c;
  }
  const [head, ...rest] = rows;
  return rest.map((r) => Object.fromEntries(head.map((name, i) => [name, r[i]])));
}
export async function checkExport(h, list, rows, say, query = "") {
  const jsonl = (await h.get(`/v1/exports/${list}.jsonl${query}`)).text
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((l) => JSON.parse(l));
  const csv = csvRows((await h.get(`/v1/exports/${list}.csv${query}`)).text);
  const order = (a) => JSON.stringify(a);
  const left = new Set(rows.map((r) => r.id));
  if (jsonl.length !== rows.length || csv.length !== rows.length)
    say(`export ${list}: list ${rows.length}, jsonl ${jsonl.length}, csv ${csv.length}`);
  for (const r of jsonl) {
    const told = rows.find((o) => o.id === r.id);
    if (!told) say(`export ${list}: ${order(r)} is not in the list`);
    else
      for (const k of Object.keys(told))
        if (k in r && JSON.stringify(r[k]) !== JSON.stringify(told[k]))
          say(`export ${list} ${r.id}: ${k} ${r[k]} instead of ${told[k]}`);
    left.delete(r.id);
  }
  for (const r of csv) {
    const told = rows.find((o) => o.id === r.id);
    if (told)
      for (const k of Object.keys(r))
        if (k in told && ![String(told[k] ?? ""), `'${told[k]}`].includes(r[k]) && typeof told[k] !== "object")
          say(`export ${list}.csv ${r.id}: ${k} ${r[k]} instead of ${told[k]}`);
  }
  return jsonl;
}
export async function indexed(h, seconds = 45) {
  for (const list of ["funding", "transfers"])
    await h.until(list, async () => (await h.get(`/v1/${list}?limit=1`)).json.complete_to, seconds);
}
async function life(h, say) {
  await pause(2000);
  await indexed(h);
  const fills = await checkFills(h, say, 61);
  const funding = await checkFunding(h, say);
  const transfers = await checkTransfers(h, say);
  await checkExport(h, "fills", fills, say);
  await checkExport(h, "funding", funding.rows, say);
  await checkExport(h, "transfers", transfers.rows, say);
  for (const t of transfers.rows) checkValue(h, t, say);
}
// What a row of the exchange's ledger did to what the account is worth.
function checkValue(h, told, say) {
  const { delta } = h.x.ledger.find(({ row }) => row.hash === told.transaction_hash).row;
  const out = delta.user === h.x.owner ? -1n : 1n;
  const amount = d(delta.usdc ?? delta.amount);
  const fee = d(delta.fee ?? "0");
  const moved = {
    deposit: amount,
    withdraw: -amount - fee,
    accountClassTransfer: 0n,
    vaultDeposit: -amount,
    internalTransfer: out * amount - (out < 0n ? fee : 0n),
    subAccountTransfer: out * amount,
    rewardsClaim: null,
  };
  if (delta.type === "spotTransfer") moved.spotTransfer = out * d(delta.usdcValue);
  if (delta.type === "send") moved.send = delta.user === delta.destination ? 0n : out * d(delta.usdcValue);
  const real = moved[delta.type];
  if (told.value !== null && real !== null && real !== undefined && told.value !== plain(real))
    say(`transfers: ${JSON.stringify(delta)} told with value ${told.value}, true ${plain(real)}`);
  if (told.amount !== plain(amount)) say(`transfers: ${JSON.stringify(delta)} told with amount ${told.amount}`);
}
export const scenes = {
  life: {
    about: "six days of odd fills, fees, funding and transfers before the gateway: lists, exports, performance",
    before: (h) => live(h.x, { days: 6 }),
    play: life,
  },
};
