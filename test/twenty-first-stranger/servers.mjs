// Several servers that disagree: each has a lag of its own for each store, which moves, and no store of one goes back in time.

const STORES = ["record", "list", "history", "fills", "positions", "balances"];

export class Servers {
  /** `lagMs`: the most that a store may be behind, by its name; a store that is not named is on time. */
  constructor(ledger, random, { count = 3, lagMs = {} }) {
    this.ledger = ledger;
    this.random = random;
    this.lagMs = lagMs;
    this.servers = Array.from({ length: count }, () =>
      Object.fromEntries(STORES.map((store) => [store, { lag: 0, until: 0, at: 0 }])),
    );
  }

  /** The moment of which one server, whichever it is, shows a store. */
  moment(store) {
    const view = this.random.pick(this.servers)[store];
    const now = Date.now();
    if (now >= view.until) {
      view.until = now + this.random.between(1000, 6000);
      view.lag = this.random.chance(0.3) ? this.random.between(0, 200) : this.random.between(0, this.lagMs[store] ?? 0);
    }
    view.at = Math.max(view.at, Math.floor(now - Math.min(view.lag, this.lagMs[store] ?? 0)));
    return view.at;
  }

  mostBehindMs() {
    return Math.max(0, ...Object.values(this.lagMs));
  }
}
