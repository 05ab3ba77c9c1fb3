// node position.mjs SEED.jsonl BTC|ETH FROM TO: the true position after each fill between two milliseconds of a log that was kept.
import fs from "node:fs";

const [file, coin, from, to] = process.argv.slice(2);
const rows = fs.readFileSync(file, "utf8").trim().split("\n").map(JSON.parse);
const isBuy = new Map();
const cloidOf = new Map();
for (const row of rows) {
  if (row.k === "arrive") for (const order of row.action.orders ?? []) isBuy.set(order.c, order.b);
  if (row.k === "arrive") for (const { order } of row.action.modifies ?? []) isBuy.set(order.c, order.b);
  if (row.k === "truth" && row.status) cloidOf.set(row.oid, row.cloid);
}
const isOf = (px) => (coin === "BTC" ? px > 50_000 : px > 2000 && px < 5000);
let position = 0;
for (const row of rows) {
  if (row.k !== "truth" || !row.fill || !isOf(Number(row.px))) continue;
  const cloid = cloidOf.get(row.oid);
  const buys = cloid ? isBuy.get(cloid) : true; // whatever is placed elsewhere buys
  position += (buys ? 1 : -1) * Number(row.fill);
  if (row.at >= Number(from) && row.at <= Number(to))
    console.log(row.ms, row.at, row.oid, buys ? "+" : "-", row.fill, "→", position.toFixed(5));
}
