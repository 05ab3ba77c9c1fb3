// Lists by dex, market and page, with names that have colons and slashes.
import { brief, expect, once } from "./asks.mjs";
import { sleep } from "./codec.mjs";
import { nextKey } from "./play.mjs";

/** Page by page of `limit`; the rows of all. */
async function paged(client, path, limit) {
  const rows = [];
  for (let cursor = null, i = 0; i < 60; i++) {
    const tail = `limit=${limit}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`;
    const entry = await client.surely(`${path}${path.includes("?") ? "&" : "?"}${tail}`);
    if (entry.status !== 200) return { rows, entry };
    rows.push(...entry.answer.data);
    cursor = entry.answer.next_cursor;
    if ((cursor === null) === entry.answer.has_more) return { rows, entry, isOdd: true };
    if (!cursor) return { rows, entry };
    await sleep(60);
  }
  return { rows };
}

const nameOf = (row) => String(row.id ?? row.exchange_id ?? `${row.dex} ${row.market}`);

async function filters(world) {
  const { main } = world.clients;
  world.isMoving = false;
  const held = ["BTC", "xyz:XYZ100", "xyz:TSLA", "flx:OIL", "flx:TSLA", "ETH"];
  for (const coin of held) {
    await once(world, main, [coin, "buy", "1.01"], { time_in_force: "ioc" });
    await once(world, main, [coin, "buy", "0.9"]);
  }
  for (const coin of ["@107", "PURR/USDC"]) await once(world, main, [coin, "buy", "0.9"]);
  await main.post(
    "/v1/twaps",
    { market: "flx:OIL", side: "buy", size: "5", duration_minutes: 5 },
    nextKey(world, "twap"),
  );
  await main.post("/v1/leverage", { market: "flx:OIL", leverage: 3, margin_type: "cross" }, nextKey(world, "leverage"));
  await sleep(28000);
  for (const path of [
    "/v1/orders",
    "/v1/orders?status=open",
    "/v1/positions",
    "/v1/fills",
    "/v1/operations",
    "/v1/twaps",
    "/v1/fills?market=flx:OIL",
    "/v1/orders?market=xyz:TSLA",
  ]) {
    const whole = (await main.all(path)).rows.map(nameOf);
    for (const limit of [1, 3]) {
      const { rows, entry, isOdd } = await paged(main, path, limit);
      const names = rows.map(nameOf);
      expect(world, "pages are not the list", !isOdd && names.join() === whole.join(), {
        id: `${path} ${limit}`,
        whole,
        names,
        ...(entry ? brief(entry) : {}),
      });
    }
  }
  const dexOf = (market) => (market.includes(":") ? market.split(":")[0] : "");
  for (const list of ["/v1/positions", "/v1/orders?status=open"]) {
    const all = (await main.all(list)).rows;
    for (const dex of ["", "xyz", "flx"]) {
      const rows = (await main.all(`${list}${list.includes("?") ? "&" : "?"}dex=${dex}`)).rows;
      const wanted = all.filter((r) => dexOf(r.market) === dex).map(nameOf);
      expect(world, "a dex's list is not its part of the whole", rows.map(nameOf).join() === wanted.join(), {
        id: `${list} ${dex}`,
        wanted,
        rows: rows.map(nameOf),
      });
    }
    const none = await main.get(`${list}${list.includes("?") ? "&" : "?"}dex=abc`);
    expect(
      world,
      "a dex that there is not",
      none.status === 400 && none.answer.error.code === "unknown_dex",
      brief(none),
    );
  }
  for (const coin of [...held, "@107", "PURR/USDC"]) {
    const entry = await main.surely(`/v1/markets/${encodeURIComponent(coin)}`);
    expect(
      world,
      "a market by its name",
      entry.status === 200 && JSON.stringify(entry.answer).includes(coin),
      brief(entry),
    );
    const book = await main.surely(`/v1/markets/${encodeURIComponent(coin)}/book`);
    expect(world, "a book by its market's name", book.status === 200, brief(book));
  }
}

/** At market and closed, on every kind of market. */
async function atMarket(world) {
  const { main, subaccount } = world.clients;
  for (const coin of ["BTC", "xyz:XYZ100", "xyz:TSLA", "flx:OIL", "flx:TSLA", "@107", "@232"]) {
    for (const client of [main, subaccount]) {
      const size = world.size(coin);
      const body = { account: client.account, market: coin, side: "buy", size };
      const key = nextKey(world, "market");
      world.intend({
        client: client.name,
        key,
        path: "/v1/orders/market",
        json: JSON.stringify(body),
        coin,
        size,
        side: "buy",
      });
      world.exchange.fate = () => (client === main ? "ok" : "lost");
      const bought = await client.post("/v1/orders/market", body, key);
      world.exchange.fate = () => "ok";
      expect(world, "soft: at market", bought.status < 300, brief(bought));
      if (coin.startsWith("@")) continue;
      const closed = await client.post(
        "/v1/positions/close",
        { account: client.account, market: coin },
        nextKey(world, "close"),
      );
      expect(world, "soft: closed", closed.status < 300, brief(closed));
    }
  }
}

export const LIST_SCENES = { filters, atMarket };
