// STOP: from its answer on nothing is signed that could increase, and once it is told `stopped` nothing increases any more.
import { shown } from "./actions.mjs";
import { isLive } from "./books.mjs";
import { lastAt } from "./truth.mjs";

export function judgeStops(judge) {
  const { books, gateway, truth } = judge.stage;
  const stops = gateway.told.filter((t) => t.value?.object === "stop");
  for (const told of stops) {
    const { scope, created_at, resumed_at } = told.value;
    const isIn = (o) => o.by === "gateway" && (scope === "account" || books.owner(o) === told.who);
    const until = resumed_at === null ? Date.now() : Date.parse(resumed_at);
    if (told.method === "POST" && told.status < 300 && told.path === "/v1/stop")
      for (const { action, nonce } of truth.actions) {
        if (action.type !== "order" || nonce <= told.to || nonce > until || Date.parse(created_at) > nonce) continue;
        for (const { c, r } of action.orders) {
          const order = truth.orders.find((o) => o.cloid === c);
          if (order !== undefined && isIn(order))
            judge.claim("nothing increasing is signed under a stop", r === true, shown(order), told.value);
        }
      }
    if (told.value.status !== "stopped") continue;
    for (const order of truth.orders.filter((o) => isIn(o) && !o.reduce))
      judge.claim(
        "stopped: nothing is out that may increase",
        !isLive(lastAt(order.versions, told.to)) || order.t > until,
        shown(order),
        told.value,
      );
  }
}
