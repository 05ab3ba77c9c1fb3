// An agent at `postern mcp`: arguments that nobody means, one intent many times, lines that are no messages, keys that change under it.
import { pause, until } from "./lab.mjs";
import { Agent } from "./mcp.mjs";

async function below(agent, share) {
  const { result } = await until(
    () => agent.call("market", { market: "BTC" }),
    (answer) => answer.result !== undefined,
    60_000,
  );
  return String(Math.floor(Number(result.mark_price) * share));
}

const HOSTILE = [
  ["market", { market: "../account" }],
  ["market", { market: "BTC/../../account" }],
  ["market", { market: "BTC?x=1" }],
  ["market", { market: "%2e%2e" }],
  ["order", { order: "../../v1/account" }],
  ["order", { order: "------------------------------------" }],
  ["order", { intent: "\u0000" }],
  ["order", { intent: "x".repeat(100_000) }],
  ["place", { intent: "__proto__" }],
  ["place", { intent: {} }],
  ["cancel", { order: "x" }],
  ["stop", { scope: "everything" }],
  ["resume", {}],
  ["__proto__", {}],
  ["constructor", {}],
];

async function argumentsOfNobody(report, agent, price) {
  for (const [tool, given] of HOSTILE) {
    const answer = await agent.call(tool, given);
    const isRefused = answer.isError || answer.outcome === "error";
    report.say(`${tool} with ${JSON.stringify(given).slice(0, 40)} is refused`, isRefused, answer, "high");
  }
  for (const odd of [
    { size: 0.001 },
    { size: "1e-3" },
    { size: "0" },
    { side: "BUY" },
    { market: "A\nB" },
    { reduce_only: "true" },
  ]) {
    const answer = await agent.call("propose_order", { market: "BTC", side: "buy", size: "0.001", price, ...odd });
    report.say(`propose_order with ${JSON.stringify(odd)} is no intent`, answer.isError, answer, "high");
  }
}

async function oneOrder(report, lab, [one, two], price) {
  const { result } = await one.call("propose_order", { market: "BTC", side: "buy", size: "0.001", price });
  const many = await Promise.all([1, 2, 3, 4].flatMap(() => [one.call("place", result), two.call("place", result)]));
  const ids = new Set(many.map((answer) => answer.result?.id));
  report.say(
    "an intent that is placed eight times by two programs is one order",
    ids.size === 1 && ids.has(many[0].result.id),
    [...ids],
    "critical",
  );
  const { open } = await lab.atExchange();
  report.say("the exchange has one", open.length === 1, open, "critical");
  const again = await one.call("propose_order", { market: "BTC", side: "buy", size: "0.001", price });
  report.say("the same proposal within its minute is the same intent", again.result.intent === result.intent, again);
  const letters = await one.call("propose_order", { market: "BTC", side: "buy", size: "0.0010", price: `${price}.0` });
  report.say("and so it is in other letters", letters.isError || letters.result.intent === result.intent, letters);
  return { intent: result.intent, order: many[0].result.id };
}

export async function agentTools(report, lab) {
  await lab.start();
  const { key } = await lab.grant("agent-1", ["--markets", "BTC,ETH"]);
  const other = await lab.grant("agent-2", ["--markets", "BTC,ETH"]);
  const [one, two, thief] = [new Agent(lab, key), new Agent(lab, key), new Agent(lab, other.key)];
  await Promise.all([one.open(), two.open(), thief.open()]);
  const limits = await one.call("limits");
  const unseen = Object.entries(limits.result.limits.rails).filter(([, value]) => value === "not_shown");
  report.say("`limits` says what the bot is held to", unseen.length === 0, unseen.map(([name]) => name).join(" "));
  const price = await below(one, 0.99);
  await argumentsOfNobody(report, one, price);
  const placed = await oneOrder(report, lab, [one, two], price);
  for (const [tool, given] of [
    ["place", { intent: placed.intent }],
    ["order", { intent: placed.intent }],
    ["cancel", { order: placed.order }],
  ]) {
    const answer = await thief.call(tool, given);
    report.say(`another bot's ${tool} is refused`, answer.isError, answer, "high");
  }
  const large = await one.call("propose_order", { market: "BTC", side: "buy", size: "0.05", price });
  const refused = await one.call("place", { intent: large.result.intent });
  report.say(
    "a rail refuses by its name, with the largest size",
    refused.refused?.rail === "max_order" && Boolean(refused.refused.largest),
    refused,
  );
}

export async function agentLines(report, lab) {
  await lab.start();
  for (const size of [1_000_000, 9_000_000, 20_000_000]) {
    const agent = new Agent(lab, lab.plain);
    await agent.open();
    agent.raw(`{"jsonrpc":"2.0","id":908,"method":"ping","params":{"a":"${"y".repeat(size)}"}}\n`);
    await until(() => agent.strays.length, Boolean, 8000);
    const alive = await agent.ask("ping", {}, 8000);
    report.say(
      `a line of ${size} bytes is answered, and the tools stay`,
      alive !== null && agent.strays.length > 0,
      `exit ${agent.process.exitCode}, said ${agent.errors}`,
    );
    await agent.end();
  }
  const agent = new Agent(lab, lab.plain);
  await agent.open();
  for (const line of [
    "not json",
    '{"jsonrpc":"2.0","id":1',
    "[]",
    '[{"jsonrpc":"2.0","id":901,"method":"ping"}]',
    "null",
    "{}",
  ]) {
    agent.strays.length = 0;
    agent.raw(`${line}\n`);
    await until(() => agent.strays.length, Boolean, 4000);
    report.say(`the line ${line} is answered`, agent.strays.length > 0, agent.errors || "silence", "low");
  }
  for (const [what, text, mode] of [
    ["that others may read", lab.plain, 0o644],
    ["that holds something else", "hello", 0o600],
  ]) {
    const ended = await lab.command(["mcp", "--key-file", lab.file("odd-key", text, mode)], { withinMs: 15_000 });
    report.say(`a key file ${what} is refused`, ended.code === 1 || ended.code === 2, ended);
  }
}

export async function agentLives(report, lab) {
  await lab.start();
  const bot = await lab.grant("agent-1", ["--markets", "BTC"]);
  const agent = new Agent(lab, bot.key);
  await agent.open();
  const price = await below(agent, 0.99);
  const propose = (size) => agent.call("propose_order", { market: "BTC", side: "buy", size, price });
  const first = await propose("0.0011");
  await lab.kill();
  const down = await agent.call("place", first.result);
  report.say("without a gateway no outcome is told", down.outcome === "error", down, "critical");
  await lab.start();
  const second = await propose("0.0012");
  const underWay = agent.call("place", second.result);
  await pause(3);
  await lab.kill();
  await underWay;
  await lab.start();
  for (const proposed of [first, second]) {
    const placed = await until(
      () => agent.call("place", proposed.result),
      (answer) => answer.outcome === "order",
      20_000,
    );
    const again = await agent.call("place", proposed.result);
    report.say(
      "over a death it is one order",
      placed.outcome === "order" && placed.result.id === again.result?.id,
      [placed, again],
      "critical",
    );
  }
  const { history } = await lab.atExchange();
  const sizes = history.map((row) => row.order.origSz).sort();
  report.say("the exchange has each once", sizes.join(" ") === "0.0011 0.0012", sizes, "critical");
  await lab.command(["key", "narrow", bot.hash, "--max-order", "20 USD"]);
  const third = await propose("0.0013");
  const narrowed = await agent.call("place", third.result);
  report.say("a narrowing holds at once", narrowed.refused?.limit === "20 USD", narrowed, "high");
  await lab.command(["key", "block", bot.hash]);
  const blocked = await Promise.all([
    agent.call("limits"),
    agent.call("place", first.result),
    agent.call("stop"),
    agent.call("orders"),
  ]);
  report.say(
    "a blocked key does nothing more",
    blocked.every((answer) => answer.outcome === "error"),
    blocked,
    "critical",
  );
}

export async function agentProposals(report, lab) {
  await lab.start();
  const bot = await lab.grant("asks-1", ["--markets", "BTC", "--may", "propose,cancel"]);
  const agent = new Agent(lab, bot.key);
  await agent.open();
  const price = await below(agent, 0.99);
  for (const odd of [
    { market: "http://evil.example/approve" },
    { market: "NOPE.APPROVE_THIS_NOW" },
    { market: "btc" },
    { size: "0.00000001" },
  ]) {
    const proposed = await agent.call("propose_order", { market: "BTC", side: "buy", size: "0.001", price, ...odd });
    const asked = proposed.isError ? proposed : await agent.call("place", proposed.result);
    report.say(`what can never be placed is put before nobody: ${JSON.stringify(odd)}`, asked.isError, asked);
  }
  const good = await agent.call("propose_order", { market: "BTC", side: "buy", size: "0.001", price });
  await agent.call("place", good.result);
  const { json } = await lab.get("/v1/proposals", bot.key);
  for (const key of [bot.key, lab.plain]) {
    const answer = await lab.post(`/v1/proposals/${good.result.intent}/approve`, {}, key);
    report.say("no key but one that approves says yes", answer.status === 403, answer.text, "critical");
  }
  const impossible = json.data.find((row) => row.market.startsWith("NOPE"));
  if (impossible) {
    const said = await lab.command(["proposal", "approve", impossible.id]);
    report.say("an approval of which nothing was placed is no success", said.code === 1, said, "low");
  }
  const twice = [
    await lab.command(["proposal", "approve", good.result.intent]),
    await lab.command(["proposal", "approve", good.result.intent]),
  ];
  const { open } = await lab.atExchange();
  report.say("approved twice is one order", open.length === 1, [twice, open], "critical");
}
