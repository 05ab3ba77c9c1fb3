// What the rails of a bot promise, held against the exchange's log at each moment at which something of it was taken.
import { shown } from "./actions.mjs";
import { RAILS } from "./gateway.mjs";
import { least as lesser, most, parse, size, times } from "./units.mjs";

const PRICE_MS = 5_500;
/** What others were told to hold for this long is known; before, an order of theirs may have been on its way. */
const KNOWN_MS = 4_000;

export function judgeRails(judge) {
  const { books, truth } = judge.stage;
  for (const [bot, rails] of Object.entries(RAILS))
    for (const order of truth.orders.filter((o) => books.owner(o) === bot && !o.reduce && !o.twapId)) {
      if (/Rejected$/.test(order.versions[0].status)) continue;
      atPlacing(judge, bot, judge.stage.railsAt(bot, order.t) ?? rails, order);
    }
}

const least = (values) => values.reduce(lesser);

function atPlacing(judge, bot, rails, order) {
  const { books, truth } = judge.stage;
  const { t, coin } = order;
  const mark = (c) => least(books.marks(c, t - PRICE_MS, t + 50));
  const beyond = (usd) => (parse(String(usd)) * 10005n) / 10000n;
  const about = { bot, order: shown(order) };
  const worth = times(order.sz, mark(coin));
  judge.claim("rail max_order", worth <= beyond(rails.order), about, { worth });
  const worst = books.values((at) => times(books.worst(bot, coin, at), mark(coin)), t, t).at(-1);
  judge.claim("rail max_position", worst <= beyond(rails.position), about, {
    worst,
    net: books.net(bot, coin, t),
    out: books.out(bot, coin, t).map((o) => shown(o.order)),
  });
  const sum = [...truth.markets.keys()].reduce((a, c) => a + times(books.worst(bot, c, t), mark(c)), 0n);
  judge.claim("rail max_exposure", sum <= beyond(rails.exposure), about, { sum });
  const out = [...truth.markets.keys()].flatMap((c) => books.out(bot, c, t)).filter(({ order: o }) => o !== order);
  judge.claim("rail max_open_orders", out.length < rails.open, about, { out: out.length });
  const limit = (mark(coin) * BigInt(Math.round((100 + rails.distance) * 100 + 10))) / 10_000n;
  if (order.isBuy)
    judge.claim(
      "rail max_distance",
      order.px <= limit ||
        order.px <= (books.marks(coin, t - PRICE_MS, t).reduce(most) * BigInt(100 + rails.distance)) / 100n,
      about,
      { limit },
    );
  opposite(judge, bot, order);
}

function opposite(judge, bot, order) {
  const { books, truth } = judge.stage;
  const { t, coin, isBuy } = order;
  const others = books.values((at) => books.others(bot, coin, at), t - KNOWN_MS - judge.stage.grace, t);
  const net = books.net(bot, coin, t - 1);
  const after = isBuy ? net + order.sz : net - order.sz;
  const isBeyond = isBuy ? after > 0n : after < 0n;
  const isOther = (n) => (isBuy ? n < 0n : n > 0n);
  // What a hand has closed of the bot's own is nobody's position: the account has to stand against it as well.
  const isAgainst =
    others.every(isOther) && books.values((at) => truth.held(coin, at), t - KNOWN_MS, t - 1).every(isOther);
  if (isBeyond)
    judge.claim(
      "rail opposite_position",
      !isAgainst,
      { bot, order: shown(order) },
      { others, net, after, held: size(net) },
    );
}
