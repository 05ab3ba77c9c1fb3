// Keys: one thing for each, the same answer or a truer one, nothing where nothing was said to be sent; operations.
import { grains } from "./grain.mjs";

export function judgeKeys(world) {
  const byName = new Map();
  for (const row of world.tape.of("told")) {
    if (!row.name || row.isOther) continue;
    const key = `${row.account} ${row.name}`;
    if (!byName.has(key)) byName.set(key, []);
    byName.get(key).push(row);
  }
  for (const [key, rows] of byName) {
    sameAnswer(world, key, rows);
    if (rows[0].path === "/v1/orders") single(world, key, rows);
  }
  for (const row of world.tape.of("told").filter((of) => of.isOther)) {
    const before = world.tape
      .of("told")
      .filter(
        (of) =>
          !of.isOther &&
          of.name === row.name &&
          of.account === row.account &&
          of.answered < row.asked &&
          of.status >= 200 &&
          of.status < 300,
      );
    if (before.length > 0 && row.status < 400 && row.status !== 0)
      world.find("CRITICAL", `another request under a used key was answered ${row.status}`, {
        name: row.name,
        path: row.path,
      });
    if (before.length > 0 && row.status >= 400 && ![409, 429, 503].includes(row.status))
      world.find("soft", `another request under a used key: ${row.status} ${row.json?.error?.code}`, {
        name: row.name,
      });
  }
}

function sameAnswer(world, key, rows) {
  const good = rows.filter((of) => of.status >= 200 && of.status < 300).sort((a, b) => a.answered - b.answered);
  const settled = good.filter((of) => of.status !== 202);
  const distinct = [...new Set(settled.map((of) => of.text))];
  if (distinct.length > 1 && !rows[0].path.includes("cancel-all"))
    world.find("high", `${key}: two different settled answers`, { answers: distinct.slice(0, 3), path: rows[0].path });
  const first = settled[0];
  const late = first && good.find((of) => of.status === 202 && of.asked > first.answered);
  if (late) world.find("high", `${key}: 202 after a settled answer`, { path: late.path, told: late.json });
  const ids = new Set(good.map((of) => of.json?.id).filter(Boolean));
  if (ids.size > 1 && !rows[0].path.endsWith("/modify")) world.find("CRITICAL", `${key}: two ids`, { ids: [...ids] });
}

function single(world, key, rows) {
  const { body, account } = rows[0];
  const address = world.addresses.get(account);
  const same = world.venue.orders.filter(
    (of) =>
      of.account === address &&
      of.coin === body.market &&
      of.size === grains(body.size) &&
      of.by &&
      of.px === grains(body.price) &&
      of.via === "order",
  );
  if (same.length > 1) world.find("CRITICAL", `${key}: ${same.length} orders`, { oids: same.map((of) => of.oid) });
  const heard = rows.filter((of) => of.status !== 0);
  if (heard.length === rows.length && heard.every((of) => of.status >= 400) && same.length > 0)
    world.find(
      "CRITICAL",
      `${key}: nothing was sent, it was said (${heard.map((of) => of.status)}), and there is an order`,
      { oid: same[0].oid },
    );
  const elsewhere = world.venue.orders.filter(
    (of) =>
      of.account !== address &&
      of.coin === body.market &&
      of.size === grains(body.size) &&
      of.by &&
      of.px === grains(body.price),
  );
  if (elsewhere.length > 0) world.find("CRITICAL", `${key}: an order in another account`);
}

const OPERATIONS = {
  "/v1/leverage": (body, action, market) =>
    action.type === "updateLeverage" &&
    action.asset === market.asset &&
    action.leverage === body.leverage &&
    action.isCross === (body.margin_type === "cross"),
  "/v1/margin": (body, action, market) =>
    action.type === "updateIsolatedMargin" &&
    action.asset === market.asset &&
    action.ntli === Math.round(Number(body.amount) * 1e6),
  "/v1/twaps": (body, action, market) =>
    action.type === "twapOrder" && action.twap.a === market.asset && grains(action.twap.s) === grains(body.size),
  "/v1/twaps/cancel": (body, action, market) =>
    action.type === "twapCancel" && action.a === market.asset && action.t === body.twap_id,
};

const isDone = (answer) => answer.status === "ok" && !answer.response?.data?.status?.error;

/** What was told of leverage, margin and TWAPs against the log of what was carried out. */
export function judgeOperations(world) {
  const asked = new Map();
  for (const row of world.tape.of("told")) {
    const id = row.json?.id;
    if (row.method === "POST" && OPERATIONS[row.path] && row.json?.object === "operation" && !asked.has(id))
      asked.set(id, row);
  }
  const told = [];
  for (const row of world.tape.rows) {
    if (row.kind === "told" && row.json?.object === "operation") told.push([row.json, row.answered]);
    if (row.kind === "told" && row.json?.object === "list")
      for (const of of row.json.data) if (of.object === "operation") told.push([of, row.answered]);
    if (row.kind === "event" && row.data.data?.object === "operation") told.push([row.data.data, row.at]);
  }
  const seen = new Set();
  for (const [operation, at] of told) {
    const row = asked.get(operation.id);
    if (!row) continue;
    const market = world.venue.market(row.body.market);
    const same = world.deeds.log.filter(
      (of) => of.account === world.addresses.get(row.account) && OPERATIONS[row.path](row.body, of.action, market),
    );
    const done = same.filter((of) => isDone(of.answer));
    const key = `${operation.id} ${operation.status}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (done.length > 1 && row.path !== "/v1/leverage")
      world.find("CRITICAL", `operation ${operation.id} carried out ${done.length} times`, { body: row.body });
    if (operation.status === "succeeded" && !done.some((of) => of.at <= at + 2))
      world.find("CRITICAL", `operation told succeeded, never done`, { operation, body: row.body });
    if (operation.status === "rejected" && done.length > 0)
      world.find("CRITICAL", `operation told rejected, done`, { operation, body: row.body });
    if (operation.action === "twap" && operation.status === "succeeded") {
      const row_ = world.venue.accounts
        .get(world.addresses.get(row.account))
        .twaps.find((of) => String(of.id) === operation.exchange_id);
      if (!row_ || row_.size !== grains(row.body.size))
        world.find("CRITICAL", "a TWAP told under another's number", { operation, body: row.body });
    }
  }
}
