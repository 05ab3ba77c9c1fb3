// BEYOND §1.1, §1.4, §1.6 and docs/rails.md: grants that are taken, narrowing, the command line, names, and the end of a key.
import { Client } from "./gateway.mjs";
import { code, each, is, note, shaped, sleep, until, words } from "./rig.mjs";
import { attempt } from "./sentences-grammar.mjs";

async function takenGrants(world) {
  const long = await attempt(world, {}, { bot: "a".repeat(40) });
  is("1.1", "a bot of 40 letters is taken", long.status === 201, long.body);
  const again = await world.gateway.post("/v1/api-keys/limited", { grant: long.grant, signature: long.signature });
  is(
    "rails",
    "the same grant again gives the same answer",
    again.status === 201 && JSON.stringify(again.body) === JSON.stringify(long.body),
    again.body,
  );
  is("1.1", "approve alone is taken", (await attempt(world, { may: "approve" })).status === 201);
  for (const rails of [
    { markets: "BTC,ETH,xyz:*" },
    { markets: "any" },
    { may: "increase,reduce,modify,cancel,leverage,margin,twap,stop" },
    {
      max_order: "any",
      max_position: "any",
      max_exposure: "any",
      max_turnover_per_day: "any",
      max_loss_per_day: "any",
      max_actions_per_day: "any",
    },
    { max_distance: "0.5 %", max_leverage: "5" },
    { sources: "2001:db8::/48,203.0.113.7/32" },
    { sources: "203.0.113.7/32,2001:db8::/48" },
    { max_order: "500.5 USD" },
  ]) {
    const answer = await attempt(world, rails);
    is("1.1", `taken: ${JSON.stringify(rails)}`, answer.status === 201 || "sources" in rails, answer.body);
    if ("sources" in rails) note(`sources ${rails.sources}: ${answer.status} ${words(answer)}`);
  }
  const hash = world.plain.hash;
  const plainFirst = await attempt(world, {}, { key_hash: hash });
  is(
    "1.1",
    "a plain hash is never limited: 409 key_already_registered",
    plainFirst.status === 409 && code(plainFirst) === "key_already_registered",
    plainFirst.body,
  );
  const issued = Date.now();
  const scopes = ["trading:read", "trading:write"];
  const signature = await world.gateway.sign("ApiKeyGrant", {
    account: world.account,
    network: "exchange_mainnet",
    keyHash: `0x${long.key.hash}`,
    scopes: scopes.join(","),
    issuedAt: BigInt(issued),
    expiresAt: 0n,
  });
  const limitedFirst = await world.gateway.post("/v1/api-keys", {
    consent: {
      account: world.account,
      network: "exchange_mainnet",
      key_hash: long.key.hash,
      policy: { scopes },
      issued_at: issued,
    },
    signature,
  });
  is(
    "1.1",
    "a limited hash is never plain: 409 key_already_registered",
    limitedFirst.status === 409 && code(limitedFirst) === "key_already_registered",
    limitedFirst.body,
  );
  const first = await attempt(world, {}, { bot: "pair" });
  const second = await attempt(world, { max_order: "900 USD" }, { bot: "pair" });
  const third = await attempt(world, {}, { bot: "pair" });
  is("1.1", "at most two keys of a bot stand at a time", second.status === 201 && third.status === 409, third.body);
  const rails = (await first.key.get("/v1/whoami")).body.limits?.rails;
  is("rails.md", "a newer grant replaces the rails, for the older key as well", rails?.max_order === "900 USD", rails);
  const early = await attempt(world, {}, { bot: "early", issued_at: new Date(Date.now() - 5000).toISOString() });
  const older = await attempt(
    world,
    { max_order: "any" },
    { bot: "early", issued_at: new Date(Date.now() - 600e3).toISOString() },
  );
  const held = (await early.key.get("/v1/whoami")).body.limits?.rails.max_order;
  is("1.1", "an older grant loosens nothing", held !== "any", { held, older: older.status, body: older.body });
  return first;
}

async function narrowing(world) {
  const bot = await world.gateway.bot("narrow", { max_order: "1000 USD" });
  const other = await world.gateway.bot("narrow", { max_order: "1000 USD" });
  const narrow = (body, key = bot) => key.post("/v1/api-keys/self/narrow", body, null);
  const done = await narrow({ max_order: "100 USD" });
  is(
    "1.1",
    "narrowing needs no owner: the key itself",
    done.status === 200 && done.body.rails.max_order === "100 USD" && done.body.stop === null,
    done.body,
  );
  is(
    "rails.md",
    "for all keys of the bot",
    (await other.get("/v1/whoami")).body.limits.rails.max_order === "100 USD" ||
      note("whoami.limits.rails says what was signed", (await other.get("/v1/whoami")).body.limits.rails.max_order),
    (await other.get("/v1/whoami")).body.limits,
  );
  const refused = await bot.order("BTC", "buy", "0.002", "60000");
  is("1.1", "a narrowed rail holds at once", refused.status === 403 && code(refused) === "rail_refused", refused.body);
  const looser = await narrow({ max_order: "5000 USD" });
  is(
    "1.1",
    "the tighter of all holds",
    looser.status === 200 && looser.body.rails.max_order === "100 USD",
    looser.body,
  );
  const any = await narrow({ max_order: "any" });
  is("1.1", "any loosens nothing", any.body.rails?.max_order === "100 USD", any.body);
  const nothing = await narrow({ markets: "xyz:*" });
  is(
    "openapi",
    "`nothing` where two lists have nothing in common",
    nothing.body.rails?.markets === "nothing",
    nothing.body,
  );
  const bad = await narrow({ max_order: "100" });
  is("openapi", "the same grammar", bad.status === 400 && shaped(bad), bad.body);
  is("openapi", "an unknown member is 400", (await narrow({ maxOrder: "100 USD" })).status === 400);
  is("openapi", "an empty narrowing is refused or changes nothing", [200, 400].includes((await narrow({})).status));
  const plainNarrow = await world.plain.post("/v1/api-keys/self/narrow", { max_order: "1 USD" }, null);
  is(
    "openapi",
    "a plain key has nothing to narrow: refused in shape",
    plainNarrow.status >= 400 && shaped(plainNarrow),
    { status: plainNarrow.status, body: plainNarrow.body },
  );
  await sleep(1100);
  const fresh = await attempt(world, { max_order: "2000 USD", markets: "BTC" }, { bot: "narrow", key_hash: bot.hash });
  const after = (await bot.get("/v1/whoami")).body.limits?.rails;
  is(
    "1.1",
    "a later grant of the owner loosens (same key, same bot)",
    fresh.status === 201 && after?.max_order === "2000 USD" && after?.markets === "BTC",
    { fresh: fresh.status, body: fresh.body, after },
  );
  const command = await world.gateway.json("key", "narrow", bot.hash, "--max-order", "70 USD");
  is("rails.md", "narrowed by the operator", command.code === 0, command);
  is("rails.md", "and it holds", (await bot.order("BTC", "buy", "0.002", "60000")).status === 403);
  is(
    "commands",
    "a looser word on the command line does not loosen",
    (await world.gateway.json("key", "narrow", bot.hash, "--max-order", "any")).code !== 2 &&
      (await bot.order("BTC", "buy", "0.002", "60000")).status === 403,
  );
  is(
    "commands",
    "misused is 2",
    (await world.gateway.cli("key", "narrow", bot.hash, "--max-order", "lots")).code === 2 ||
      note("exit code", await world.gateway.cli("key", "narrow", bot.hash, "--max-order", "lots")),
    "exit code not 2",
  );
}

async function commandLine(world) {
  const key = new Client(world.gateway);
  const grant = await world.gateway.json(
    "key",
    "grant",
    "--key-hash",
    key.hash,
    "--bot",
    "cli-1",
    "--markets",
    "BTC,ETH",
    "--max-order",
    "500 USD",
    "--max-turnover-per-day",
    "5000 USD",
  );
  const typed = grant.typed_data ?? grant;
  const message = typed.message ?? {};
  const want = {
    maxOrder: "500 USD",
    maxPosition: "1000 USD",
    maxExposure: "1500 USD",
    maxTurnoverPerDay: "5000 USD",
    maxActionsPerDay: "2000",
    maxLossPerDay: "50 USD",
    maxOpenOrders: "40",
    maxLeverage: "any",
    maxDistance: "2 %",
    maxStopDistance: "10 %",
    touches: "own",
    sources: "any",
    may: "increase,reduce,modify,cancel",
  };
  for (const [member, value] of Object.entries(want))
    is(
      "rails.md",
      `what is not said is what is proposed: ${member} ${value}`,
      message[member] === value,
      message[member],
    );
  is(
    "rails.md",
    "90 days are proposed",
    Math.round((Date.parse(message.expiresAt) - Date.parse(message.issuedAt)) / 864e5) === 90,
    message,
  );
  const text = await world.gateway.cli(
    "key",
    "grant",
    "--key-hash",
    key.hash,
    "--bot",
    "cli-1",
    "--markets",
    "BTC,ETH",
  );
  is(
    "rails.md",
    "prints it as the wallet shows it, line by line",
    ["maxOrder", "500 USD", "maxTurnoverPerDay", "cli-1"].every((part) => text.out.includes(part)),
    text.out.slice(0, 1500),
  );
  is(
    "1.6",
    "what a thief of the key could lose you in a day, with the figures",
    /thief/i.test(text.out) && /USD/.test(text.out),
    text.out.slice(-1500),
  );
  is("rails.md", "best effort is said of the loss of a day", /best effort/i.test(text.out), text.out);
  is("rails.md", "and the command that registers it", /key register|register/.test(text.out), text.out.slice(-800));
  if (typed.types && message) {
    const { EIP712Domain: _, ...types } = typed.types;
    const signature = await world.owner.signTypedData({
      domain: typed.domain,
      types,
      primaryType: "LimitedKeyGrant",
      message,
    });
    const snake = Object.fromEntries(
      Object.entries(message)
        .filter(([name]) => name !== "audience")
        .map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
    );
    const answer = await world.gateway.post("/v1/api-keys/limited", {
      grant: { ...snake, key_hash: key.hash },
      signature,
    });
    is("rails.md", "what the command prints registers once signed", answer.status === 201, answer.body);
  }
  is(
    "rails.md",
    "markets have to be named",
    (await world.gateway.cli("key", "grant", "--key-hash", key.hash, "--bot", "cli-2")).code === 2,
  );
  for (const words of [
    ["--max-order", "0 USD"],
    ["--may", "fly"],
    ["--days", "366"],
    ["--days", "0"],
    ["--touches", "others"],
    ["--sources", "here"],
    ["--bot", "GRID"],
  ])
    is(
      "commands",
      `misused is 2: ${words.join(" ")}`,
      (await world.gateway.cli("key", "grant", "--key-hash", key.hash, "--bot", "cli-3", "--markets", "BTC", ...words))
        .code === 2,
      await world.gateway.cli("key", "grant", "--key-hash", key.hash, "--bot", "cli-3", "--markets", "BTC", ...words),
    );
}

async function names(world) {
  const bot = await world.gateway.bot("names");
  const twin = await world.gateway.bot("names");
  const other = await world.gateway.bot("names-2");
  const send = (key, size) => key.order("BTC", "buy", size, "59000", {}, "same-name-1");
  const first = await send(bot, "0.001");
  const second = await send(twin, "0.001");
  is(
    "rails.md",
    "two keys of a bot share Idempotency-Keys",
    second.body.id === first.body.id && second.headers.get("idempotent-replayed") === "true",
    second.body,
  );
  const third = await send(other, "0.002");
  is(
    "1.1",
    "Idempotency-Keys belong to the bot: another's same name is another order",
    third.status === 201 && third.body.id !== first.body.id,
    third.body,
  );
  const fourth = await send(world.plain, "0.003");
  is("1.1", "and a plain key's too", fourth.status === 201 && fourth.body.id !== first.body.id, fourth.body);
  const list = (await world.plain.get("/v1/api-keys")).body.data;
  const row = list.find((item) => item.key_hash === bot.hash);
  is(
    "1.4",
    "the owner's key list carries rails, use and headroom",
    row && JSON.stringify(row).includes("headroom") && JSON.stringify(row).includes("use"),
    row,
  );
  const status = (await world.plain.get("/v1/status")).body;
  is(
    "1.1",
    "/v1/status names plain write keys",
    status.unlimited_write_keys?.includes(world.plain.hash) && !status.unlimited_write_keys.includes(bot.hash),
    status.unlimited_write_keys,
  );
  const doctor = await world.gateway.cli("doctor");
  is("1.1", "doctor names plain write keys", doctor.out.includes(world.plain.hash.slice(0, 8)), doctor.out);
  const keys = await world.gateway.cli("key", "list");
  is("1.6", "key list says what a thief could lose you", /thief|lose/i.test(keys.out), keys.out.slice(0, 1500));
}

async function ends(world) {
  const short = await world.gateway.bot("short", {}, { expires_at: new Date(Date.now() + 6000).toISOString() });
  const order = await short.order("BTC", "buy", "0.001", "59000");
  await sleep(7000);
  const after = await short.get("/v1/whoami");
  is(
    "1.1",
    "after its expiry requests end: 401 expired_api_key",
    after.status === 401 && code(after) === "expired_api_key",
    after.body,
  );
  is(
    "1.1",
    "orders stay",
    world.chain.open("BTC").some((item) => item.oid === Number(order.body.exchange_order_id)),
    order.body,
  );
  const six = await world.gateway.bot("six-days", {}, { expires_at: new Date(Date.now() + 6 * 864e5).toISOString() });
  const told = await until(
    () =>
      world.gateway.events.find(
        (event) => event.type === "key.expiring" && JSON.stringify(event.data).includes(six.hash),
      ),
    30_000,
  );
  is("1.1", "notice from 7 days before (key.expiring)", told, "no event within 30 s");
  const away = await world.gateway.bot("away", { sources: "203.0.113.7/32" });
  const asked = await away.get("/v1/whoami");
  is(
    "1.1",
    "403 source_not_allowed from elsewhere",
    asked.status === 403 && code(asked) === "source_not_allowed",
    asked.body,
  );
}

export async function grants() {
  await each([takenGrants, narrowing, commandLine, names, ends]);
}
