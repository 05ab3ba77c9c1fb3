// Lies put in on purpose, to see that the judge finds them. `tells`: what the client was told is changed; `info`: the exchange lies.
const clone = (x) => JSON.parse(JSON.stringify(x));
export const plants = {
  ahead: {
    tells(c) {
      const t = c.tells.find((x) => x.kind === "order" && x.o.status === "open");
      t.o = { ...t.o, filled_size: t.o.size };
    },
  },
  rejected: {
    tells(c) {
      const t = c.tells.find((x) => x.kind === "order" && x.o.status === "filled");
      t.o = { ...t.o, status: "rejected" };
    },
  },
  final: {
    tells(c) {
      const t = c.finals.find((x) => +x.o.filled_size > 0);
      t.o = { ...t.o, filled_size: "0" };
    },
  },
  dead: {
    tells(c) {
      const t = c.finals.find((x) => x.o.status === "canceled");
      t.o = { ...t.o, status: "open" };
    },
  },
  position: {
    tells(c) {
      const r = c.reqs.find((x) => x.path === "/v1/positions" && x.json?.data?.length);
      r.json.data[0].size = "77.5";
    },
  },
  replay: {
    tells(c) {
      const w = c.writes.find((x) => x.reqs.filter((r) => r.status === 201).length > 1);
      w.reqs[w.reqs.length - 1].text += " ";
    },
  },
  double: {
    tells(_c, core) {
      const o = [...core.orders.values()].find((x) => x.origin.kind === "order" && x.fills.length && x.cloid);
      const copy = { ...o, oid: 1 };
      core.orders.set(1, copy);
      core.byCloid.get(o.cloid).push(copy);
    },
  },
  notsent: {
    tells(c) {
      const w = c.writes.find(
        (x) =>
          x.path === "/v1/orders" && !x.body.trigger && !x.body.reduce_only && x.reqs[0]?.json?.status === "filled",
      );
      for (const r of w.reqs) r.status = 503;
    },
  },
  invent: {
    info: () => (b, out) => {
      if (b.type === "orderStatus" && out.status === "order" && out.order.status === "open") {
        const o = clone(out);
        o.order.status = "canceled";
        return o;
      }
    },
  },
  szi: {
    info: () => (b, out) => {
      const s =
        b.type === "clearinghouseState" ? out : b.type === "ws:clearinghouseState" ? out.clearinghouseState : null;
      if (s?.assetPositions?.[0]) {
        const o = clone(out);
        (o.clearinghouseState ?? o).assetPositions[0].position.szi = "55.5";
        return o;
      }
    },
  },
};
