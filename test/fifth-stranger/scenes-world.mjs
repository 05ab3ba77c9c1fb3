// Agents that end, other kinds of account, and a network in bad hours.
import { dec } from "./codec.mjs";
import { sleep } from "./world.mjs";

const ioc = (market, side, size, price) => ({ market, side, size, price, time_in_force: "ioc" });
const limit = (size, price) => ({ market: "BTC", side: "buy", size, price });

/** The agent is replaced, gone or run out while orders are under way; a new one takes over. */
async function agentEnds(world) {
  const { client, exchange, gateway } = world;
  const resting = world.show(await client.order(limit("0.00201", "52001"))).body;
  const signer = [...exchange.truth.signers.values()][0];
  for (const state of ["replaced", "gone"]) {
    world.next("order", "done:reset");
    const lost = client.write("/v1/orders", {
      account: gateway.account,
      ...limit(state === "gone" ? "0.00202" : "0.00203", "52002"),
    });
    await sleep(250);
    signer.state = state;
    world.show(await lost);
    world.show(
      await client.write("/v1/orders", {
        account: gateway.account,
        ...limit(state === "gone" ? "0.00204" : "0.00205", "52003"),
      }),
    );
    world.show(await client.write(`/v1/orders/${resting.id}/cancel`, {}));
    world.show(await client.write("/v1/leverage", { market: "SOL", leverage: 3, margin_type: "cross" }));
    world.show(
      await client.write("/v1/twaps", {
        market: "SOL",
        side: "buy",
        size: state === "gone" ? "31" : "32",
        duration_minutes: 30,
      }),
    );
    world.note(`readyz ${(await fetch(`${gateway.url}/readyz`)).status}`);
    await sleep(4000);
    world.note(`readyz ${(await fetch(`${gateway.url}/readyz`)).status}`);
    signer.state = "active";
    await sleep(3000);
    world.show(await client.order(limit(state === "gone" ? "0.00206" : "0.00207", "52004")));
  }
  signer.state = "replaced";
  for (const account of exchange.truth.accounts.values()) account.agents = [];
  const rotated = await gateway.command(["agent", "rotate"]);
  await gateway.approve(rotated.agent?.address ?? rotated.agent);
  world.show(await client.order(limit("0.00208", "52005")));
  world.show(await client.insist(`/v1/orders/${resting.id}/cancel`, {}));
}

/** One server says that the agent is unknown, another carries it out. */
async function agentTwoServers(world) {
  const { client, exchange } = world;
  const refuse = "User or API Wallet 0x0000000000000000000000000000000000000001 does not exist.";
  for (const [at, delay] of [500, 3000, 9000].entries()) {
    const held = world.next("order", "slow:0");
    const carry = exchange.actions.execute.bind(exchange.actions);
    exchange.actions.execute = async (body) => {
      if (body.action.type !== "order") return carry(body);
      exchange.actions.execute = carry;
      setTimeout(() => carry(body), delay);
      return { status: "err", response: refuse };
    };
    world.show(await client.write("/v1/orders", { account: world.gateway.account, ...limit(`0.0021${at}`, "52001") }));
    await held;
    await sleep(delay + 3000);
    world.show(await client.repeat([...client.wants.keys()].at(-1)));
  }
}

async function subaccount(world) {
  const { gateway, exchange, client } = world;
  const address = `0x${"5b".repeat(20)}`;
  const sub = exchange.truth.fund(address);
  sub.master = gateway.owner.address.toLowerCase();
  const added = await gateway.command([
    "account",
    "add",
    "--kind",
    "subaccount",
    "--address",
    address,
    "--parent",
    gateway.account,
    "--label",
    "sub",
  ]);
  world.note(JSON.stringify(added));
  const main = gateway.account;
  gateway.account = added.account?.id ?? added.id ?? added.account;
  const key = await gateway.grant();
  client.key = key;
  world.account = sub;
  world.judge.account = sub;
  client.following = false;
  client.abort?.abort();
  world.log.length = 0;
  client.wants.clear();
  world.next("order", "done:reset");
  world.show(await client.write("/v1/orders", { account: gateway.account, ...ioc("BTC", "buy", "0.00221", "61000") }));
  const resting = world.show(await client.order(limit("0.00222", "52001"))).body;
  world.next("batchModify", "done:html");
  world.show(await client.write(`/v1/orders/${resting.id}/modify`, { price: "51001" }));
  world.show(await client.insist("/v1/leverage", { market: "ETH", leverage: 3, margin_type: "isolated" }));
  world.next("twapOrder", "done:reset");
  world.show(await client.write("/v1/twaps", { market: "SOL", side: "buy", size: "33", duration_minutes: 30 }));
  world.show(
    await client.ask(
      "POST",
      "/v1/orders",
      { account: main, ...limit("0.00223", "52001") },
      { "idempotency-key": "wrong-account-1" },
    ),
  );
  const other = [...exchange.truth.account(gateway.owner.address).orders.values()];
  if (other.length > 0)
    world.judge.find(
      "CRITICAL",
      "an order of the sub-account went to the main one",
      other.map((order) => exchange.truth.describe(order)).join(),
      "",
    );
}

async function unified(world) {
  const { client, exchange, account } = world;
  account.abstraction = "unifiedAccount";
  exchange.truth.snap(account);
  await sleep(4000);
  world.show(await client.order(ioc("BTC", "buy", "0.00231", "61000")));
  world.show(await client.order(ioc("xyz:TSLA", "buy", "1.25", "420")));
  world.show(await client.get("/v1/account"));
  account.abstraction = "portfolioMargin";
  await sleep(6000);
  world.show(await client.get("/v1/account"));
  account.abstraction = "disabled";
  await sleep(6000);
  const row = world.show(await client.get("/v1/account"));
  if (row.body?.account_mode !== "standard")
    world.judge.find("high", "the account's mode", row.body?.account_mode, "standard for more than 6 s");
}

/** An hour of maintenance in half a minute: post-only, halted, 503 and pages of HTML, and back. */
async function maintenance(world) {
  const { client, exchange } = world;
  const resting = world.show(await client.order(limit("0.00241", "52001"))).body;
  exchange.actions.postOnly = true;
  world.show(await client.order(ioc("BTC", "buy", "0.00242", "61000")));
  world.show(await client.order({ ...limit("0.00243", "52002"), time_in_force: "alo" }));
  exchange.actions.postOnly = false;
  exchange.truth.halted = "Trading is halted.";
  world.show(await client.write("/v1/orders", { account: world.gateway.account, ...limit("0.00244", "52003") }));
  world.show(await client.write(`/v1/orders/${resting.id}/cancel`, {}));
  world.show(await client.write(`/v1/orders/${resting.id}/modify`, { price: "51001" }));
  world.show(await client.write("/v1/leverage", { market: "SOL", leverage: 3, margin_type: "cross" }));
  exchange.truth.halted = null;
  exchange.infoFate = () => "never:html";
  exchange.fate = () => "done:html";
  exchange.feeds.open = false;
  exchange.feeds.cut();
  for (let at = 0; at < 4; at++) {
    world.show(await client.write("/v1/orders", { account: world.gateway.account, ...limit(`0.0025${at}`, "52005") }));
    world.show(await client.get(`/v1/orders/${resting.id}`));
  }
  world.show(await client.write(`/v1/orders/${resting.id}/modify`, { price: "51002" }));
  world.show(await client.get("/v1/positions"));
  world.show(await client.get("/v1/orders?status=open"));
  exchange.fate = () => "never:503";
  world.show(await client.write("/v1/orders", { account: world.gateway.account, ...limit("0.00261", "52006") }));
  world.show(await client.write(`/v1/orders/${resting.id}/cancel`, {}));
  await sleep(5000);
}

const BAD = [
  "done:reset",
  "never:reset",
  "done:half",
  "done:garbage",
  "done:empty",
  "done:null",
  "done:strange",
  "done:other",
  "done:429",
  "never:429",
  "done:500",
  "slow:9500",
  "late:reset:6000",
  "late:429:3000",
  "done:503",
];

/** Each way to lose an answer, for orders that fill, that rest, for modifies and cancels. */
async function lostAnswers(world) {
  const { client, exchange, account } = world;
  for (const [at, fate] of BAD.entries()) {
    world.next("order", fate);
    const crossing = client.write("/v1/orders", {
      account: world.gateway.account,
      ...ioc("BTC", at % 2 ? "buy" : "sell", `0.003${String(at).padStart(2, "0")}`, at % 2 ? "61000" : "59000"),
    });
    world.show(await crossing);
    const order = world.show(await client.order(limit(`0.004${String(at).padStart(2, "0")}`, "52001"))).body;
    world.next("batchModify", fate);
    const modified = client.write(`/v1/orders/${order.id}/modify`, { price: "52777" });
    if (at % 3 === 0) exchange.book.hit(account, exchange.truth.live(account).at(-1), dec("0.001"));
    world.show(await modified);
    if (at % 2) continue;
    world.next("cancel", fate);
    world.show(await client.write(`/v1/orders/${order.id}/cancel`, {}));
  }
}

/** A modify that the exchange refuses as a whole (the band around the reference price), in an account that does nothing else. */
async function modifyRefused(world) {
  const { client, exchange } = world;
  const texts = [
    ["Order price cannot be more than 95% away from the reference price", false],
    ["Order price cannot be more than 95% away from the reference price", true],
  ];
  for (const [text, whole] of texts) {
    const order = world.show(await client.order(limit(whole ? "0.00271" : "0.00272", "52001"))).body;
    if (whole) {
      const execute = exchange.actions.execute.bind(exchange.actions);
      exchange.actions.execute = async (body) => {
        if (body.action.type !== "batchModify") return execute(body);
        exchange.actions.execute = execute;
        return { status: "err", response: text };
      };
    }
    const from = Date.now();
    world.show(await client.write(`/v1/orders/${order.id}/modify`, { price: "1000" }));
    for (let at = 0; at < 40; at++) {
      const row = await client.get(`/v1/orders/${order.id}`);
      if (row.body.status !== "unknown") break;
      await sleep(2000);
    }
    const row = world.show(await client.get(`/v1/orders/${order.id}`));
    const story = (await client.get(`/v1/orders/${order.id}/story`)).body;
    world.note(`after ${Date.now() - from} ms: ${row.body.status}; waits for ${story.attempts?.at(-1)?.waits_for}`);
    if (row.body.status === "unknown") {
      world.judge.find(
        "high",
        "an order that a refused modify has left open is unknown for more than 80 s",
        `${row.body.error}; waits for: ${story.attempts?.at(-1)?.waits_for}`,
        "open all the while, in every store",
      );
      const again = Date.now();
      world.show(await client.order(limit("0.00273", "52002")));
      for (let at = 0; at < 20 && (await client.get(`/v1/orders/${order.id}`)).body.status === "unknown"; at++)
        await sleep(1000);
      world.note(
        `${Date.now() - again} ms after another order: ${(await client.get(`/v1/orders/${order.id}`)).body.status}`,
      );
    }
  }
}

export const worldScenes = {
  "modify-refused": { play: modifyRefused },
  "agent-ends": { play: agentEnds },
  "agent-two-servers": { play: agentTwoServers },
  subaccount: { play: subaccount },
  unified: { play: unified },
  maintenance: { play: maintenance },
  "lost-answers": { play: lostAnswers, setup: { environment: { POSTERN_EXCHANGE_WEIGHT: "0" } } },
};
