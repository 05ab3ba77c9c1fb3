// BEYOND §1.1 and the description: what an owner signs, and each value that is refused.
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { Client } from "./gateway.mjs";
import { code, each, is, shaped, words } from "./rig.mjs";

const table =
  "audience,account,network,owner,tradingAddress,bot,keyHash,scopes,may,markets,maxOrder,maxPosition,maxExposure,maxTurnoverPerDay,maxLossPerDay,maxActionsPerDay,maxDistance,maxStopDistance,maxLeverage,maxOpenOrders,touches,sources,issuedAt,expiresAt";

async function typedData(world) {
  const typed = await world.gateway.typed();
  const members = typed.types.LimitedKeyGrant;
  is(
    "1.1",
    "every member a string or an address",
    members.every(({ type }) => ["string", "address"].includes(type)),
    members,
  );
  is(
    "1.1",
    "the grant has the members of the table",
    [...members.map(({ name }) => name)].sort().join() === table.split(",").sort().join(),
    members.map(({ name }) => name).join(),
  );
  const example = typed.examples.find((item) => item.primary_type === "LimitedKeyGrant");
  is(
    "openapi",
    "one of each type, with every member filled in",
    example && members.every(({ name }) => example.message[name] !== undefined && example.message[name] !== ""),
    example,
  );
  is(
    "1.1",
    "network is the true one, never the constant",
    example?.message.network === "paper",
    example?.message.network,
  );
  is("1.1", "loopback is never proposed as a source", typed.asking_network === null, typed.asking_network);
  is(
    "1.1",
    "audience as in 4.1: paper+ and the base address",
    typed.audience === `paper+${world.gateway.url}`,
    typed.audience,
  );
}

export async function attempt(world, rails, more = {}, change = {}) {
  const key = new Client(world.gateway);
  const grant = {
    ...world.gateway.grantOf(key, more.bot ?? `b-${Math.random().toString(36).slice(2, 8)}`, rails, more),
    ...rails,
    ...more,
  };
  const signature = await world.gateway.signGrant(grant, change.signer);
  const answer = await world.gateway.post("/v1/api-keys/limited", { grant: { ...grant, ...change.grant }, signature });
  return Object.assign(answer, { grant, key, signature });
}

async function refusedGrants(world) {
  const bad = async (where, sentence, ...[rails, more, test = (answer) => answer.status === 400 && shaped(answer)]) => {
    const answer = await attempt(world, rails, more);
    is(where, sentence, test(answer), { status: answer.status, body: answer.body });
  };
  const amounts = ["max_order", "max_position", "max_exposure", "max_turnover_per_day", "max_loss_per_day"];
  for (const member of amounts)
    for (const value of [
      "500USD",
      "500 usd",
      "0500 USD",
      "500.0 USD",
      "0 USD",
      "",
      "0",
      "-5 USD",
      "1e3 USD",
      "Any",
      " 500 USD",
      "500 USDC",
    ])
      await bad("1.1", `one canonical form: ${member} ${JSON.stringify(value)} is 400`, { [member]: value });
  for (const member of ["max_distance", "max_stop_distance"])
    for (const value of ["2%", "2.0 %", "02 %", "2", "2 percent", "-1 %"])
      await bad("1.1", `one canonical form: ${member} ${JSON.stringify(value)}`, { [member]: value });
  for (const member of ["max_actions_per_day", "max_open_orders", "max_leverage"])
    for (const value of ["0", "05", "1.5", "", "-1", "2000 "])
      await bad("1.1", `one canonical form: ${member} ${JSON.stringify(value)}`, { [member]: value });
  for (const markets of ["ETH,BTC", "BTC,BTC", "BTC, ETH", "", "*", "BTC,any", "xyz:*,BTC"])
    await bad("1.1", `markets ${JSON.stringify(markets)} is 400`, { markets });
  await bad(
    "rails.md",
    "the gateway refuses other letters and tells the right ones",
    { markets: "btc" },
    {},
    (answer) => answer.status === 400 && words(answer).includes("BTC"),
  );
  for (const may of [
    "reduce,increase",
    "increase,increase",
    "",
    "increase,fly",
    "reduce,approve",
    "Increase",
    "any,increase",
  ])
    await bad("1.1", `may ${JSON.stringify(may)} is 400`, { may });
  for (const touches of ["any", "", "OWN", "own,all"])
    await bad("1.1", `touches ${JSON.stringify(touches)} is 400`, { touches });
  for (const sources of [
    "203.0.113.7",
    "203.0.113.9/24",
    "",
    "::FFFF/128",
    "2001:DB8::/48",
    "203.0.113.8/32,203.0.113.7/32",
    "300.1.1.1/32",
    "2001:db8:0::/48",
  ])
    await bad("1.1", `sources ${JSON.stringify(sources)} is 400`, { sources });
  for (const bot of ["a".repeat(41), "Grid", "grid_1", "", "grid 1", "grïd"])
    await bad("1.1", `bot ${JSON.stringify(bot)} is 400`, {}, { bot });
  for (const network of ["exchange_mainnet", "mainnet", "testnet", "PAPER"])
    await bad("1.1", `network ${network} is refused`, {}, { network });
  for (const scopes of ["trading:write,trading:read", "", "trading:read,trading:read", "trading:admin"])
    await bad("1.1", `scopes ${JSON.stringify(scopes)} is 400`, {}, { scopes });
  const day = (days) => new Date(Date.now() + days * 864e5).toISOString();
  await bad("1.1", "expiry always, at most 365 days", {}, { expires_at: day(366) });
  await bad("1.1", "an expiry before now is refused", {}, { expires_at: day(-1) });
  await bad("1.1", "an expiry is never empty", {}, { expires_at: "" });
  await bad("1.1", "an expiry any is refused", {}, { expires_at: "any" });
  await bad(
    "openapi",
    "issued more than 60 minutes ago: grant_expired",
    {},
    { issued_at: new Date(Date.now() - 61 * 6e4).toISOString() },
    (answer) => code(answer) === "grant_expired",
  );
  await bad(
    "openapi",
    "issued ahead: issued_at_in_future",
    {},
    { issued_at: new Date(Date.now() + 120e3).toISOString() },
    (answer) => code(answer) === "issued_at_in_future",
  );
  const other = privateKeyToAccount(generatePrivateKey());
  const zero = other.address.toLowerCase();
  const wrong = (answer) => answer.status >= 400 && answer.status < 500 && shaped(answer);
  await bad("1.1", "owner as stored for the account", {}, { owner: zero }, wrong);
  await bad("1.1", "tradingAddress as stored for the account", {}, { trading_address: zero }, wrong);
  await bad(
    "1.1",
    "an unknown account",
    {},
    { account: "0f488716-bd19-4de8-b05a-d06a5e7784d1" },
    (answer) => answer.status === 404 && code(answer) === "account_not_found",
  );
  const stranger = await attempt(world, {}, {}, { signer: other });
  is(
    "1.1",
    "another's signature is 401",
    stranger.status === 401 && code(stranger) === "invalid_signature",
    stranger.body,
  );
  for (const [member, value] of Object.entries({
    max_order: "501 USD",
    markets: "any",
    may: "any",
    touches: "all",
    max_leverage: "40",
    sources: "203.0.113.7/32",
    bot: "other",
  })) {
    const answer = await attempt(world, {}, {}, { grant: { [member]: value } });
    is(
      "1.1",
      `what is signed is what is parsed: ${member} changed after signing`,
      answer.status === 401 || answer.status === 400,
      answer.body,
    );
  }
  const extra = await attempt(world, {}, {}, { grant: { max_fun: "any" } });
  is(
    "1.1",
    "an unknown member is 400 unknown_parameter",
    extra.status === 400 && code(extra) === "unknown_parameter",
    extra.body,
  );
  const key = new Client(world.gateway);
  const { max_order: _, ...less } = world.gateway.grantOf(key, "less");
  const missing = await world.gateway.post("/v1/api-keys/limited", { grant: less, signature: `0x${"1".repeat(130)}` });
  is(
    "1.1",
    "a missing member is 400 missing_parameter",
    missing.status === 400 && code(missing) === "missing_parameter",
    missing.body,
  );
}

export async function grammar() {
  await each([typedData, refusedGrants]);
}
