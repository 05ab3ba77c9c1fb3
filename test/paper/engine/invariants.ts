/** What must be true of every venue at every moment; each check returns what is wrong. */
import { isUnified, spotTotal } from "../../../src/paper/engine/accounts.ts";
import { spotHold } from "../../../src/paper/engine/spot-holds.ts";
import type { Venue, VenueAccount, VenueFill, VenueLevel, VenueOrder } from "../../../src/paper/engine/state.ts";
import { magnitude } from "../../../src/paper/engine/units.ts";

export function faultsOf(venue: Venue): string[] {
  return [
    ...conservationFaults(venue),
    ...positionFaults(venue),
    ...bookFaults(venue),
    ...fillFaults(venue),
    ...orderFaults(venue),
    ...holdFaults(venue),
  ];
}

function conservationFaults(venue: Venue): string[] {
  const sums = new Map<number, bigint>();
  const add = (token: number, amount: bigint): unknown => sums.set(token, (sums.get(token) ?? 0n) + amount);
  for (const account of venue.accounts.values()) {
    for (const [dex, cash] of account.cash) add(venue.dexes[dex]?.collateralToken ?? -1, cash);
    for (const [token, balance] of account.spot) add(token, balance.total);
    for (const position of account.positions.values()) {
      const market = venue.markets.get(position.asset);
      if (market?.kind !== "perp") continue;
      add(venue.dexes[market.dex]?.collateralToken ?? -1, position.isolatedMargin - position.signedEntry);
    }
  }
  for (const [token, fee] of venue.pools.fees) add(token, fee);
  for (const [token, residue] of venue.pools.fundingResidue) add(token, residue);
  for (const [token, deposits] of venue.pools.netDeposits) add(token, -deposits);
  return [...sums].flatMap(([token, sum]) => (sum === 0n ? [] : [`token ${token} is off by ${sum}`]));
}

function positionFaults(venue: Venue): string[] {
  return [...venue.markets.values()].flatMap((market) => {
    if (market.kind !== "perp") return [];
    let net = 0n;
    let long = 0n;
    for (const account of venue.accounts.values()) {
      const size = account.positions.get(market.asset)?.size ?? 0n;
      net += size;
      if (size > 0n) long += size;
    }
    const faults = net === 0n ? [] : [`${market.coin}: positions add up to ${net}`];
    return long === market.openInterest ? faults : [...faults, `${market.coin}: open interest is not ${long}`];
  });
}

function bookFaults(venue: Venue): string[] {
  return [...venue.books].flatMap(([asset, { bids, asks }]) => {
    const faults: string[] = [];
    const [bid, ask] = [bids[0]?.price, asks[0]?.price];
    if (bid !== undefined && ask !== undefined && bid >= ask) faults.push(`book ${asset} is crossed: ${bid} ${ask}`);
    if (!isSorted(bids, true) || !isSorted(asks, false)) faults.push(`book ${asset} is not sorted`);
    const listed = [...bids, ...asks].flatMap((level) => level.oids);
    const resting = [...venue.orders.values()].filter((order) => order.asset === asset && order.phase === "resting");
    if (new Set(listed).size !== listed.length) faults.push(`book ${asset} lists an order twice`);
    if (listed.length !== resting.length) faults.push(`book ${asset} lists ${listed.length} of ${resting.length}`);
    for (const level of [...bids, ...asks]) {
      if (level.oids.some((oid) => venue.orders.get(oid)?.limitPrice !== level.price)) {
        faults.push(`book ${asset} has an order at a price that is not its own`);
      }
    }
    return faults;
  });
}

function isSorted(levels: readonly VenueLevel[], descending: boolean): boolean {
  return levels.every((level, index) => {
    const before = levels[index - 1];
    return before === undefined || (descending ? before.price > level.price : before.price < level.price);
  });
}

function fillFaults(venue: Venue): string[] {
  const faults: string[] = [];
  const sides = new Map<string, VenueFill[]>();
  for (const account of venue.accounts.values()) {
    const filled = new Map<number, bigint>();
    for (const fill of account.fills) {
      const key = `${fill.coin} ${fill.timeMs} ${fill.tid}`;
      sides.set(key, [...(sides.get(key) ?? []), fill]);
      filled.set(fill.oid, (filled.get(fill.oid) ?? 0n) + fill.size);
      faults.push(...limitFaults(account, fill));
    }
    for (const [oid, size] of filled) {
      const record = account.records.get(oid);
      if (record !== undefined && size > record.order.originalSize) faults.push(`order ${oid} is over-filled`);
    }
  }
  for (const [key, fills] of sides) if (!agree(fills)) faults.push(`the sides of ${key} do not agree`);
  return faults;
}

function limitFaults(account: VenueAccount, fill: VenueFill): string[] {
  const order = account.records.get(fill.oid)?.order;
  if (order === undefined) return [];
  const faults: string[] = [];
  if (fill.isBuy ? fill.price > order.limitPrice : fill.price < order.limitPrice) {
    faults.push(`order ${fill.oid} filled beyond its limit`);
  }
  const reduces = fill.startPosition !== 0n && fill.startPosition > 0n !== fill.isBuy;
  const fits = reduces && fill.size <= magnitude(fill.startPosition);
  if (order.reduceOnly && !fits) faults.push(`reduce-only order ${fill.oid} increased the position`);
  return faults;
}

/** A pair, or several pairs of one self-same match key when two orders meet more than once in a block. */
function agree(fills: readonly VenueFill[]): boolean {
  const bought = fills.filter((fill) => fill.isBuy);
  const sold = fills.filter((fill) => !fill.isBuy);
  const crossed = fills.filter((fill) => fill.crossed).length;
  return (
    bought.length === sold.length &&
    crossed === bought.length &&
    bought.every((fill, index) => {
      const other = sold[index];
      return other?.price === fill.price && other.size === fill.size && other.hash === fill.hash;
    })
  );
}

function orderFaults(venue: Venue): string[] {
  const faults: string[] = [];
  let open = 0;
  for (const account of venue.accounts.values()) {
    open += account.openOids.size;
    for (const oid of account.openOids) {
      if (venue.orders.get(oid)?.user !== account.address) faults.push(`${oid} is open but not live`);
    }
  }
  if (open !== venue.orders.size) faults.push(`${venue.orders.size} orders are live, ${open} are open`);
  for (const order of venue.orders.values()) if (order.size <= 0n) faults.push(`order ${order.oid} has no size`);
  for (const twap of venue.twaps.values()) {
    if (twap.executedSize > twap.size) faults.push(`TWAP ${twap.twapId} is over-filled`);
  }
  return [...faults, ...reduceOnlyFaults(venue), ...restingFaults(venue)];
}

/** The sums that are kept are those of the orders. */
function restingFaults(venue: Venue): string[] {
  const sums = new Map<string, bigint>();
  const add = (user: string, asset: number, value: bigint): unknown =>
    sums.set(`${user} ${asset}`, (sums.get(`${user} ${asset}`) ?? 0n) + value);
  for (const account of venue.accounts.values()) {
    for (const [asset, { buys, sells }] of account.resting) add(account.address, asset, sells.value - buys.value);
  }
  for (const order of venue.orders.values()) {
    if (order.phase !== "resting" || order.reduceOnly) continue;
    add(order.user, order.asset, (order.isBuy ? 1n : -1n) * order.size * order.limitPrice);
  }
  return [...sums].flatMap(([key, sum]) => (sum === 0n ? [] : [`resting orders of ${key} do not add up`]));
}

/** Resting reduce-only orders never add up to more than the position. */
function reduceOnlyFaults(venue: Venue): string[] {
  const sums = new Map<string, { order: VenueOrder; size: bigint }>();
  for (const order of venue.orders.values()) {
    if (!order.reduceOnly || order.phase !== "resting") continue;
    const key = `${order.user} ${order.asset} ${order.isBuy}`;
    sums.set(key, { order, size: (sums.get(key)?.size ?? 0n) + order.size });
  }
  return [...sums.values()].flatMap(({ order, size }) => {
    const position = venue.accounts.get(order.user)?.positions.get(order.asset)?.size ?? 0n;
    const isOpposite = position !== 0n && position > 0n !== order.isBuy;
    const fits = isOpposite && size <= magnitude(position);
    return fits ? [] : [`reduce-only orders of ${order.user} exceed the position`];
  });
}

function holdFaults(venue: Venue): string[] {
  return [...venue.accounts.values()].flatMap((account) => {
    if (isUnified(account)) return [];
    return [...account.spot.keys()].flatMap((token) => {
      const total = spotTotal(account, token);
      return total >= spotHold(venue, account, token) ? [] : [`${account.address} holds more than it has of ${token}`];
    });
  });
}
