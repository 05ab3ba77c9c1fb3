// Which of the exchange's orders are which of the gateway's.

/** What a modify has placed beside an order that is over stands in its story until that modify is settled, and is told as an order of its own. */
function placedApart(story) {
  if (story?.order?.status !== "filled" && story?.order?.status !== "canceled") return [];
  const open = story.attempts.filter(({ action, state }) => action === "modify" && state !== "done");
  return open.flatMap(({ client_order_id: cloid }) => cloid?.toLowerCase() ?? []);
}

function uuidOf(cloid) {
  return cloid.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The exchange's orders of each of the gateway's, by the client order ids that its story names. */
export function mapLegs(stories, truth) {
  const legs = new Map();
  const others = new Set([...stories.keys()].map((id) => `0x${id.replaceAll("-", "")}`));
  for (const [id, story] of stories) {
    const cloids = new Set([`0x${id.replaceAll("-", "")}`]);
    for (const leg of story?.legs ?? []) cloids.add(leg.client_order_id.toLowerCase());
    // Where a modify with always_place found the original gone, the replacement is a new order of its own.
    for (const { client_order_id: cloid } of story?.attempts ?? [])
      if (cloid && !others.has(cloid.toLowerCase())) cloids.add(cloid.toLowerCase());
    for (const cloid of placedApart(story)) {
      cloids.delete(cloid);
      legs.set(uuidOf(cloid), truth.byCloid.get(cloid) ?? []);
    }
    const list = [...cloids].flatMap((cloid) => truth.byCloid.get(cloid) ?? []);
    for (const leg of story?.legs ?? []) {
      if (!cloids.has(leg.client_order_id.toLowerCase())) continue;
      const order = leg.exchange_order_id && truth.orders.get(Number(leg.exchange_order_id));
      if (order && !list.includes(order)) list.push(order);
    }
    legs.set(
      id,
      list.sort((a, b) => a.t - b.t),
    );
  }
  return legs;
}
