// The websocket: each connection sees one server, whose stream lags in its own way.
import { text } from "./codec.mjs";
import { book, context, fillsUpTo, openState, perpState, spotContext, spotState, twapStates } from "./views.mjs";

const PERIOD = {
  clearinghouseState: 2000,
  allDexsClearinghouseState: 2000,
  openOrders: 3000,
  spotState: 4000,
  webData3: 3000,
  twapStates: 4000,
  activeAssetCtx: 1000,
  bbo: 500,
  l2Book: 500,
  allMids: 1000,
};

/** Serves one connection; `control.mute` drops frames, `control.closed` ends it. */
export function follow(chain, socket, server, control) {
  const subscriptions = new Map();
  const send = (channel, data) =>
    socket.readyState === 1 && !control.mute && socket.send(JSON.stringify({ channel, data }));
  socket.on("message", (raw) => {
    const message = JSON.parse(String(raw));
    if (message.method === "ping") return socket.readyState === 1 && socket.send(JSON.stringify({ channel: "pong" }));
    if (message.method === "post") return undefined;
    const key = JSON.stringify(message.subscription);
    if (message.method === "unsubscribe") subscriptions.delete(key);
    else
      subscriptions.set(key, {
        ...message.subscription,
        since: Date.now() - server.lag.stream,
        sent: new Map(),
        last: 0,
        isFirst: true,
      });
    send("subscriptionResponse", { method: message.method, subscription: message.subscription });
    return undefined;
  });
  const timer = setInterval(() => {
    for (const subscription of subscriptions.values()) tell(chain, subscription, server, send);
  }, 120);
  socket.on("close", () => clearInterval(timer));
  socket.on("error", () => clearInterval(timer));
}

function tell(chain, sub, server, send) {
  const now = Date.now();
  const account = chain.accounts.get(sub.user?.toLowerCase());
  if (account) return tellAccount(chain, account, sub, { send, t: now - server.lag.stream });
  if (now - sub.last < (PERIOD[sub.type] ?? 1000)) return undefined;
  sub.last = now;
  return tellMarket(chain, sub, send);
}

function tellMarket(chain, sub, send) {
  const market = chain.lists.coin(sub.coin);
  if (sub.type === "allMids") {
    const all = [
      ...(chain.lists.dexes.find((d) => d.name === (sub.dex ?? ""))?.universe ?? []),
      ...(sub.dex ? [] : chain.lists.pairs),
    ];
    return send("allMids", {
      mids: Object.fromEntries(all.map((m) => [m.name, text(m.price)])),
      ...(sub.dex ? { dex: sub.dex } : {}),
    });
  }
  if (!market) return undefined;
  const shown = book(chain, sub.coin);
  if (sub.type === "l2Book") send("l2Book", shown);
  if (sub.type === "bbo")
    send("bbo", { coin: sub.coin, time: shown.time, bbo: [shown.levels[0][0], shown.levels[1][0]] });
  if (sub.type === "activeAssetCtx") {
    if (market.kind === "spot") send("activeSpotAssetCtx", { coin: sub.coin, ctx: spotContext(market) });
    else send("activeAssetCtx", { coin: sub.coin, ctx: context(market) });
  }
  return undefined;
}

/** Sends `data` where it is new, or where its time has come. */
function whenNew(sub, send, frame) {
  const { channel, key, data, compare = data } = frame;
  const json = JSON.stringify(compare);
  const now = Date.now();
  const due = now - (sub.sent.get(`${key}:at`) ?? 0) >= (PERIOD[sub.type] ?? 5000);
  if (sub.sent.get(key) === json && !due) return;
  sub.sent.set(key, json);
  sub.sent.set(`${key}:at`, now);
  send(channel, data);
}

function tellAccount(chain, account, sub, { send, t }) {
  const user = account.address;
  const dex = sub.dex ?? "";
  switch (sub.type) {
    case "orderUpdates":
      return since(sub, account.updates, t, (rows) =>
        send(
          "orderUpdates",
          rows.map((r) => r.update),
        ),
      );
    case "userFills":
      if (sub.isFirst) {
        sub.isFirst = false;
        sub.since = t;
        return send("userFills", { user, isSnapshot: true, fills: fillsUpTo(account, t).slice(-2000).reverse() });
      }
      return since(sub, account.fills, t, (rows) => send("userFills", { user, fills: rows.map((r) => r.fill) }));
    case "userEvents":
      return since(sub, account.fills, t, (rows) => send("user", { fills: rows.map((r) => r.fill) }));
    case "openOrders":
      return whenNew(sub, send, {
        channel: "openOrders",
        key: dex,
        data: { dex, user, orders: openState(account, dex, t) },
      });
    case "clearinghouseState":
      return perp(account, sub, send, t);
    case "allDexsClearinghouseState": {
      const states = chain.lists.dexes.map((d) => [d.name, perpState(account, d.name, t)]);
      return whenNew(sub, send, {
        channel: "allDexsClearinghouseState",
        key: "all",
        data: { user, clearinghouseStates: states },
        compare: states.map(([name, s]) => [name, { ...s, time: 0 }]),
      });
    }
    case "spotState":
      return whenNew(sub, send, {
        channel: "spotState",
        key: "spot",
        data: { user, spotState: spotState(account, t) },
      });
    case "twapStates":
      return whenNew(sub, send, {
        channel: "twapStates",
        key: dex,
        data: {
          dex,
          user,
          states: twapStates(account, t).filter(([, s]) => (s.coin.includes(":") ? s.coin.split(":")[0] : "") === dex),
        },
      });
    case "userTwapHistory":
      return since(sub, account.twapRows, t, (rows) =>
        send("userTwapHistory", { user, history: rows.map((r) => r.row) }),
      );
    case "webData3":
      return whenNew(sub, send, {
        channel: "webData3",
        key: "web",
        data: {
          userState: {
            agentAddress: null,
            agentValidUntil: null,
            cumLedger: "0.0",
            serverTime: t,
            isVault: false,
            user,
            abstraction: "default",
          },
          perpDexStates: chain.lists.dexes.map(() => ({ totalVaultEquity: "0.0" })),
        },
        compare: 0,
      });
    default:
      return undefined;
  }
}

function since(sub, rows, t, tellRows) {
  const fresh = rows.filter((r) => r.t > sub.since && r.t <= t);
  if (t > sub.since) sub.since = t;
  if (fresh.length > 0) tellRows(fresh);
}

function perp(account, sub, send, t) {
  const dex = sub.dex ?? "";
  const shown = perpState(account, dex, t);
  const data = { dex, user: account.address, clearinghouseState: shown };
  return whenNew(sub, send, { channel: "clearinghouseState", key: dex, data, compare: { ...shown, time: 0 } });
}
