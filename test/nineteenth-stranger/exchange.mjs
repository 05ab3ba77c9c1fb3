// The exchange's door: three servers whose stores are each behind by themselves, and actions whose answers are spoilt as a scene wants.
import { createServer } from "node:http";
import { Actions } from "./actions.mjs";
import { Feed } from "./feed.mjs";
import { Truth } from "./truth.mjs";
import { random, rest } from "./units.mjs";
import { Views } from "./views.mjs";

const SERVERS = 3;
const PLAIN = "application/json";

export class Exchange {
  constructor(user, agents, port) {
    Object.assign(this, { user, agents, port });
    this.truth = new Truth();
    this.views = new Views(this.truth, user);
    this.actions = new Actions(this.truth, this);
    this.spoils = [];
    this.unknown = new Set();
    this.lags = {};
    this.isCut = false;
    this.seed(1);
  }

  seed(seed) {
    this.draw = random(seed);
    this.behind = [];
  }

  /** `{status: [0, 900], ...}`: how far each store may be behind, ms; drawn anew for each server every two seconds. */
  setLags(lags) {
    this.lags = lags;
    this.behind = [];
  }

  seen(store) {
    const server = this.draw(SERVERS);
    const turn = Math.floor(Date.now() / 2000);
    const at = `${server} ${store}`;
    const known = this.behind[at];
    if (known?.turn !== turn) {
      const [least, most] = this.lags[store] ?? this.lags.all ?? [0, 0];
      this.behind[at] = { turn, ms: least + this.draw(most - least + 1) };
    }
    return Date.now() - this.behind[at].ms;
  }

  async open() {
    this.server = createServer((request, answer) => {
      this.answer(request, answer).catch((error) => {
        this.unknown.add(`broke: ${error.message}`);
        request.socket.destroy();
      });
    });
    this.feed = new Feed(this);
    this.server.on("upgrade", (request, socket) => this.feed.take(request, socket));
    await new Promise((done) => this.server.listen(this.port, "127.0.0.1", done));
    this.port = this.server.address().port;
    this.url = `http://127.0.0.1:${this.port}`;
  }

  async close() {
    this.feed.close();
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  /** The next `count` actions that match are lost, cut, late or slow. */
  spoil(how, { type, count = 1, ms = 0, when = () => true } = {}) {
    const spoil = { how, type, count, ms, when, done: 0 };
    this.spoils.push(spoil);
    return spoil;
  }

  spoilOf(action) {
    const spoil = this.spoils.find((s) => s.done < s.count && (!s.type || s.type === action.type) && s.when(action));
    if (spoil) spoil.done += 1;
    return spoil;
  }

  async answer(request, answer) {
    let text = "";
    for await (const bytes of request) text += bytes;
    if (this.isCut) return request.socket.destroy();
    const body = JSON.parse(text);
    if (request.url === "/info") {
      const told = this.info(body);
      if (told === undefined) {
        this.unknown.add(body.type);
        return send(answer, 422, "Failed to deserialize the JSON body into the target type", "text/plain");
      }
      return send(answer, 200, JSON.stringify(told));
    }
    const spoil = this.spoilOf(body.action);
    if (spoil?.how === "before") return request.socket.destroy();
    if (spoil?.how === "late") {
      request.socket.destroy();
      await rest(spoil.ms);
      return void (await this.actions.carryOut(body));
    }
    if (spoil?.how === "limit") return send(answer, 429, "null");
    const told = await this.actions.carryOut(body);
    if (spoil?.how === "after") return request.socket.destroy();
    if (spoil?.how === "html") return send(answer, 502, "<html><body>502 Bad Gateway</body></html>", "text/html");
    if (spoil?.how === "slow") await rest(spoil.ms);
    send(answer, 200, JSON.stringify(told));
  }

  info(body) {
    const { views } = this;
    const at = (store) => this.seen(store);
    const isOurs = body.user === undefined || body.user.toLowerCase() === this.user;
    const asked = {
      meta: () => views.meta(body.dex),
      metaAndAssetCtxs: () => [views.meta(body.dex), views.contexts(body.dex)],
      allPerpMetas: () => [views.meta(""), views.meta("xyz")],
      perpDexs: () => [
        null,
        { name: "xyz", fullName: "XYZ", deployer: this.user, oracleUpdater: null, deployerFeeScale: "1.0" },
      ],
      spotMeta: () => SPOT,
      spotMetaAndAssetCtxs: () => [SPOT, []],
      allMids: () => views.mids(body.dex),
      l2Book: () => (views.truth.markets.has(body.coin) ? views.book(body.coin) : null),
      clearinghouseState: () => views.state(at("state"), isOurs ? body.dex : "none"),
      spotClearinghouseState: () => (isOurs ? views.spot() : { balances: [] }),
      openOrders: () => (isOurs && !body.dex ? views.openOrders(at("open")) : []),
      frontendOpenOrders: () => (isOurs && !body.dex ? views.openOrders(at("open")) : []),
      historicalOrders: () => views.history(at("history")),
      orderStatus: () => views.orderStatus(body, at("status")),
      userFills: () => views.fills(at("fills")).reverse().slice(0, 2000),
      userFillsByTime: () => {
        const rows = views.fills(at("fills"), body.startTime, body.endTime);
        return (body.reversed ? rows.reverse() : rows).slice(0, 2000);
      },
      userTwapSliceFills: () =>
        views
          .fills(at("fills"))
          .filter((f) => f.twapId !== null)
          .map(slice)
          .reverse(),
      userTwapSliceFillsByTime: () =>
        views
          .fills(at("fills"), body.startTime, body.endTime)
          .filter((f) => f.twapId !== null)
          .map(slice),
      twapHistory: () => views.twapHistory(at("twap")),
      userRateLimit: () => ({ cumVlm: "1000000.0", nRequestsUsed: 100, nRequestsCap: 1_010_000, nRequestsSurplus: 0 }),
      maxBuilderFee: () => 0,
      approvedBuilders: () => [],
      userRole: () => this.role(body.user),
      extraAgents: () => this.agents.map(({ name, address, validUntil }) => ({ name, address, validUntil })),
      subAccounts: () => null,
      activeAssetData: () => views.asset(body.coin, at("asset")),
      userFees: () => FEES,
      userFunding: () => [],
      userNonFundingLedgerUpdates: () => [],
      userAbstraction: () => "default",
      userDexAbstraction: () => null,
      exchangeStatus: () => ({ time: Date.now(), specialStatuses: null }),
      candleSnapshot: () => [],
      recentTrades: () => [],
      fundingHistory: () => [],
      perpsAtOpenInterestCap: () => [],
      delegatorSummary: () => ({}),
    };
    return asked[body.type]?.();
  }

  role(user) {
    if (user.toLowerCase() === this.user) return { role: "user" };
    const agent = this.agents.find((a) => a.address === user.toLowerCase());
    return agent ? { role: "agent", data: { user: this.user } } : { role: "missing" };
  }
}

function send(answer, status, text, type = PLAIN) {
  answer.writeHead(status, { "Content-Type": type });
  answer.end(text);
}

const slice = (fill) => ({ fill, twapId: fill.twapId });

const SPOT = {
  universe: [{ tokens: [1, 0], name: "PURR/USDC", index: 0, isCanonical: true }],
  tokens: [
    { name: "USDC", szDecimals: 8, weiDecimals: 8, index: 0, tokenId: `0x${"1".repeat(32)}`, isCanonical: true },
    { name: "PURR", szDecimals: 0, weiDecimals: 5, index: 1, tokenId: `0x${"2".repeat(32)}`, isCanonical: true },
  ].map((t) => ({ ...t, evmContract: null, fullName: null, deployerTradingFeeShare: "0.0" })),
};

const FEES = {
  dailyUserVlm: [],
  feeSchedule: { cross: "0.00045", add: "0.00015", spotCross: "0.0007", spotAdd: "0.0004", tiers: { vip: [], mm: [] } },
  userCrossRate: "0.00045",
  userAddRate: "0.00015",
  userSpotCrossRate: "0.0007",
  userSpotAddRate: "0.0004",
  activeReferralDiscount: "0.0",
  trial: null,
  feeTrialEscrow: "0.0",
  nextTrialAvailableTimestamp: null,
  stakingLink: null,
  activeStakingDiscount: { bpsOfMaxSupply: "0.0", discount: "0.0" },
};
