// What a channel of the websocket tells.
import { figure } from "./codec.mjs";
import { ANSWERS, assetContext, book, clearinghouse, openOrders, runningTwaps, twapHistory } from "./views.mjs";

/** The frame of a channel, as of what the server has come to. */
export function frame(chain, server, sub) {
  const t = server.asOf("stream");
  const user = chain.owner;
  const dex = sub.dex ?? "";
  const makers = {
    clearinghouseState: () => ({ dex, user, clearinghouseState: clearinghouse(chain, t, dex) }),
    allDexsClearinghouseState: () => ({
      user,
      clearinghouseStates: [
        ["", clearinghouse(chain, t, "")],
        ["xyz", clearinghouse(chain, t, "xyz")],
      ],
    }),
    openOrders: () => ({ dex, user, orders: dex === "xyz" ? [] : openOrders(chain, t) }),
    spotState: () => ({ user, spotState: { balances: [] } }),
    twapStates: () => ({ dex, user, states: dex === "xyz" ? [] : runningTwaps(chain, t) }),
    webData3: () => ({
      userState: {
        agentAddress: null,
        agentValidUntil: null,
        cumLedger: "0.0",
        serverTime: Math.floor(t),
        isVault: false,
        user,
      },
      perpDexStates: [{ totalVaultEquity: "0.0" }, { totalVaultEquity: "0.0" }],
    }),
    l2Book: () => book(chain, sub.coin),
    bbo: () => ({
      coin: sub.coin,
      time: Date.now(),
      bbo: book(chain, sub.coin)?.levels.map((l) => l[0]) ?? [null, null],
    }),
    activeAssetCtx: () => ({ coin: sub.coin, ctx: assetContext(chain, sub.coin) }),
    allMids: () => ({ mids: Object.fromEntries(Object.entries(chain.mids).map(([k, v]) => [k, figure(v)])) }),
    userFills: () => ({
      user,
      fills: chain.fills
        .filter((f) => f.time <= t)
        .slice(-200)
        .reverse(),
      isSnapshot: true,
    }),
    userTwapHistory: () => ({ user, history: twapHistory(chain, t), isSnapshot: true }),
    userTwapSliceFills: () => ({
      user,
      twapSliceFills: chain.fills.filter((f) => f.twapId && f.time <= t).map((fill) => ({ fill, twapId: fill.twapId })),
      isSnapshot: true,
    }),
    userFundings: () => ({ user, fundings: [], isSnapshot: true }),
    userNonFundingLedgerUpdates: () => ({ user, nonFundingLedgerUpdates: [], isSnapshot: true }),
    activeAssetData: () => ANSWERS.activeAssetData(chain, server, sub),
  };
  return makers[sub.type]?.() ?? null;
}
