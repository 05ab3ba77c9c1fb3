// Holds what Postern tells against our own books. Each fault is one line: what, told, true.
import { command, until, wait } from "./gateway.mjs";
import { average } from "./ledger.mjs";
import { abs, dec, mul, plain } from "./venue/decimal.mjs";

export class Judge {
  constructor(gateway, ledger) {
    this.gateway = gateway;
    this.ledger = ledger;
    this.venue = gateway.venue;
    this.faults = [];
    this.held = new Map();
  }

  hold(what, isTrue, told, truth) {
    this.held.set(what, (this.held.get(what) ?? 0) + 1);
    if (!isTrue) this.faults.push({ what, told, truth, at: new Date().toISOString() });
    return isTrue;
  }

  same(what, told, truth, note = "") {
    const isSame =
      told === null || truth === null
        ? told === truth
        : dec(String(told)) === dec(typeof truth === "bigint" ? truth : String(truth));
    return this.hold(what, isSame, `${note} ${told}`, typeof truth === "bigint" ? plain(truth) : truth);
  }

  // The list of fills against what was executed.
  async fills(reader) {
    const { rows, asOf } = await reader.all("/v1/fills");
    const told = new Map(rows.map((row) => [row.id, row]));
    this.hold("fills: none twice", told.size === rows.length, rows.length, told.size);
    for (const row of this.venue.fills) {
      const fill = row.wire;
      const id = `${fill.time}-${fill.coin}-${fill.tid}`;
      const one = told.get(id);
      if (!this.hold("fills: each is told", one !== undefined, `${id} missing (as of ${asOf})`, JSON.stringify(fill)))
        continue;
      const pairs = [
        ["price", fill.px],
        ["size", fill.sz],
        ["fee", fill.fee],
        ["realized_pnl", fill.closedPnl],
        ["start_position", fill.startPosition],
      ];
      for (const [name, truth] of pairs) this.same(`fills: ${name}`, one[name], truth, id);
      this.hold("fills: side", one.side === (fill.side === "B" ? "buy" : "sell"), one.side, fill.side);
      this.hold("fills: liquidity", one.liquidity === (fill.crossed ? "taker" : "maker"), one.liquidity, fill.crossed);
      this.hold(
        "fills: liquidation",
        one.liquidation === (fill.liquidation !== undefined),
        one.liquidation,
        fill.liquidation,
      );
      const whose = this.ledger.whose(fill);
      const hash = whose === null ? null : this.gateway.clients[whose].hash;
      this.hold("fills: whose", one.key_hash === hash, `${id} ${one.key_hash}`, `${whose} ${hash}`);
    }
    this.hold("fills: none made up", rows.length <= this.venue.fills.length, rows.length, this.venue.fills.length);
    return rows;
  }

  async orders(reader) {
    const { rows } = await reader.all("/v1/orders");
    for (const order of rows) {
      if (order.status === "processing" || order.status === "unknown") {
        this.hold("orders: known at rest", false, JSON.stringify(order), "");
        continue;
      }
      const cloid = `0x${order.id.replaceAll("-", "")}`;
      const legs = this.gateway.legs.get(order.id) ?? new Set();
      if (order.exchange_order_id) legs.add(Number(order.exchange_order_id));
      const fills = this.ledger.fills().filter((fill) => fill.cloid === cloid || legs.has(fill.oid));
      const size = fills.reduce((sum, fill) => sum + dec(fill.sz), 0n);
      const isRejected = order.status === "rejected";
      if (!(isRejected && size === 0n))
        this.same("orders: filled_size", order.filled_size, size, `${order.id} ${order.status}`);
      this.same("orders: average_price", order.average_price, average(fills), `${order.id} ${order.status}`);
      const live = [...this.venue.open.values()].find((one) => one.cloid === cloid || legs.has(one.oid));
      const isOpen = order.status === "open" || order.status === "waiting_for_trigger";
      this.hold(
        "orders: open where the exchange has it",
        isOpen === (live !== undefined),
        `${order.id} ${order.status}`,
        live === undefined ? "not open" : "open",
      );
      if (live !== undefined)
        this.same("orders: what is left", plain(dec(order.size) - dec(order.filled_size)), live.sz, order.id);
    }
    return rows;
  }

  async positions(reader) {
    const answer = await reader.get("/v1/positions?limit=500");
    const told = new Map((answer.data.data ?? []).map((row) => [row.market, row]));
    this.hold(
      "positions: as many",
      told.size === this.venue.positions.size,
      [...told.keys()],
      [...this.venue.positions.keys()],
    );
    for (const [coin, position] of this.venue.positions) {
      const one = told.get(coin);
      if (one === undefined) continue;
      this.same("positions: size", one.side === "long" ? one.size : `-${one.size}`, position.szi, coin);
      this.same("positions: funding", one.funding_since_open, position.funding, coin);
    }
    const account = (await reader.get("/v1/account")).data;
    const hype = account.spot?.find((row) => row.token === "HYPE");
    this.same("account: HYPE", hype?.total ?? "0", this.venue.spot.HYPE);
    this.same("account: USDC", account.spot?.find((row) => row.token === "USDC")?.total ?? "0", this.venue.spot.USDC);
  }

  // A bot's own use and what is left.
  async use(bot, limits = {}) {
    const told = (await bot.get("/v1/whoami")).data.limits;
    const today = new Date().toISOString().slice(0, 10);
    this.hold(
      "use: turnover",
      close(dec(told.use.turnover_today), this.ledger.turnover(bot.name), "0.01"),
      `${bot.name} ${told.use.turnover_today} (${today})`,
      plain(this.ledger.turnover(bot.name)),
    );
    for (const coin of this.venue.markets.keys()) {
      const net = told.use.nets.find((row) => row.market === coin)?.net ?? "0";
      if (
        !this.hold(
          "use: net",
          this.netIs(bot.name, coin, dec(net)),
          `${bot.name} ${coin} ${net}`,
          plain(this.ledger.net(bot.name, coin)),
        )
      )
        await this.dump(bot, coin);
      const worst = told.use.positions.find((row) => row.market === coin)?.worst_case_size ?? "0";
      const truth = this.ledger.worst(bot.name, coin);
      if (coin !== "@107")
        this.hold("use: worst case", dec(worst) >= truth, `${bot.name} ${coin} ${worst}`, plain(truth));
      if (limits.isAtRest && coin !== "@107")
        this.same(
          "use: worst case at rest",
          worst,
          truth,
          `${bot.name} ${coin} ${dec(worst) === truth ? "" : await this.outOf(bot, coin)}`,
        );
    }
    return told;
  }

  async dump(bot, coin) {
    const own = (await this.gateway.clients.reader.all(`/v1/orders?market=${encodeURIComponent(coin)}`)).rows.filter(
      (order) => this.ledger.orders.get(order.id) === bot.name,
    );
    const lines = own
      .filter((order) => Number(order.filled_size) > 0)
      .map(
        (order) =>
          `${order.id} ${order.side} size ${order.size} filled ${order.filled_size} avg ${order.average_price} ${order.status} ro ${order.reduce_only} ${order.error} ${order.created_at} ${[...(this.gateway.legs.get(order.id) ?? [])]}`,
      );
    const fills = this.ledger
      .fills(bot.name, coin)
      .map(
        (fill) =>
          `${fill.time} ${fill.side} ${fill.sz}@${fill.px} oid ${fill.oid} cloid ${fill.cloid} start ${fill.startPosition}`,
      );
    process.stdout.write(`DUMP ${bot.name} ${coin}\n  ${lines.join("\n  ")}\nFILLS\n  ${fills.join("\n  ")}\n`);
  }

  // Of what a worst case may be made: for whoever reads the fault.
  async outOf(bot, coin) {
    const venue = [...this.venue.open.values()].filter(
      (order) => order.coin === coin && this.ledger.byCloid.get(order.cloid) === bot.name,
    );
    const own = (await bot.all(`/v1/orders?market=${encodeURIComponent(coin)}`)).rows;
    const out = own.filter(
      (order) =>
        this.ledger.orders.get(order.id) === bot.name && !["filled", "canceled", "rejected"].includes(order.status),
    );
    const legs = [];
    for (const order of own) {
      if (this.ledger.orders.get(order.id) !== bot.name) continue;
      const story = (await bot.get(`/v1/orders/${order.id}/story`)).data;
      const odd = (story.legs ?? []).filter(
        (leg) => !["filled", "canceled", "rejected", "absent", "resting", "armed"].includes(leg.state),
      );
      if (odd.length > 0)
        legs.push({
          order: [order.id, order.side, order.size, order.filled_size, order.status],
          odd,
          steps: story.steps.slice(-6),
        });
    }
    const later = [];
    for (let n = 0; n < 4; n += 1) {
      later.push(
        (await bot.get("/v1/whoami")).data.limits.use.positions.find((row) => row.market === coin)?.worst_case_size,
      );
      await wait(8000);
    }
    const twaps = (await bot.all("/v1/twaps")).rows.filter((twap) => twap.market === coin);
    return JSON.stringify({
      net: plain(this.ledger.net(bot.name, coin)),
      venue: venue.map((order) => [order.oid, order.isBuy, plain(order.sz), order.reduceOnly, order.trigger !== null]),
      later,
      legs,
      out: out.map((order) => [
        order.exchange_order_id,
        order.side,
        order.size,
        order.filled_size,
        order.reduce_only,
        order.status,
      ]),
      twaps,
    });
  }

  netIs(name, coin, told) {
    let net = this.ledger.net(name, coin);
    if (coin !== "@107") return told === net;
    for (const fill of this.ledger.fills(name, coin)) if (fill.feeToken === "HYPE") net -= dec(fill.fee);
    return told === net;
  }

  async performance(reader) {
    const last = this.venue.fills.at(-1)?.wire.time ?? 0;
    let answer = null;
    const ask = async () => {
      answer = (await reader.get("/v1/performance?group_by=day,market,bot,key")).data;
      return answer.complete_to !== null && Date.parse(answer.complete_to) >= last;
    };
    await until("the books are complete", ask, 130000, 2000).catch(() => {});
    if (!answer.total) return this.hold("performance: is told", false, JSON.stringify(answer).slice(0, 300), "");
    const total = answer.total;
    let volume = 0n;
    for (const fill of this.ledger.fills()) volume += mul(dec(fill.px), dec(fill.sz));
    this.same("performance: fills", total.fills, this.venue.fills.length);
    this.hold("performance: volume", close(dec(total.volume), volume, "0.000001"), total.volume, plain(volume));
    let made = 0n;
    for (const coin of this.venue.markets.keys()) made += this.ledger.made(coin);
    const open = answer.positions.reduce((sum, row) => sum + dec(row.unrealized_pnl ?? "0"), 0n);
    this.hold(
      "performance: all that was made",
      close(dec(total.net_pnl) + open, made, "0.01"),
      plain(dec(total.net_pnl) + open),
      plain(made),
    );
    for (const name of ["fills", "volume", "fees", "funding", "realized_pnl", "net_pnl"]) {
      const sum = answer.data.reduce((all, line) => all + dec(String(line[name])), 0n);
      this.same(`performance: lines add up (${name})`, plain(sum), String(total[name]));
    }
    for (const row of answer.positions) {
      const name = this.nameOf(row.key_hash);
      if (name === null && !row.attributed) continue;
      this.hold(
        "performance: position of its own fills",
        this.netIs(name, row.market, dec(row.size)),
        `${name} ${row.market} ${row.size}`,
        plain(this.ledger.net(name, row.market)),
      );
    }
    return answer;
  }

  nameOf(hash) {
    return Object.values(this.gateway.clients).find((client) => client.hash === hash)?.name ?? null;
  }

  // The other roads: exports over HTTP and by the command.
  async roads(reader, rows) {
    const exported = (await reader.get("/v1/exports/fills.jsonl")).data;
    const lines = lineList(exported);
    this.hold("exports: as many fills as the list", lines.length === rows.length, lines.length, rows.length);
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const line of lines) {
      const one = byId.get(line.id);
      this.hold(
        "exports: the same fill",
        one !== undefined && one.size === line.size && one.fee === line.fee && one.key_hash === line.key_hash,
        JSON.stringify(line),
        JSON.stringify(one),
      );
    }
    const cli = await command(this.gateway, "export", "fills", "--format", "jsonl");
    const told = cli.stdout
      .trim()
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    this.hold(
      "command: as many fills as the list",
      told.length === rows.length,
      `${told.length} ${cli.stderr}`,
      rows.length,
    );
    const verified = await command(this.gateway, "audit", "verify");
    this.hold("audit: is whole", verified.code === 0, verified.stdout + verified.stderr, "");
  }

  async events(reader) {
    const answer = await reader.get("/v1/events?after=0&follow=false");
    const list = String(answer.data)
      .split("\n")
      .filter((line) => line.startsWith("data:"))
      .map((line) => JSON.parse(line.slice(5)));
    const fills = list.filter((event) => event.type === "fill.created");
    const ids = fills.map((event) => (event.data ?? event.fill ?? event).id);
    this.hold(
      "events: each fill once",
      new Set(ids).size === this.venue.fills.length && ids.length === this.venue.fills.length,
      `${ids.length} events, ${new Set(ids).size} ids; first ${JSON.stringify(list[0]).slice(0, 200)}`,
      this.venue.fills.length,
    );
    return list;
  }
}

function lineList(text) {
  return typeof text === "string"
    ? text
        .trim()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [text];
}

export function close(a, b, within) {
  return abs(a - b) <= dec(within);
}
