// Bodies, numbers and names that are not of the interface, and those that are in another spelling.
import { bodyOf, brief, expect, placedOf } from "./asks.mjs";
import { bytesOf, raw } from "./client.mjs";
import { sleep } from "./codec.mjs";
import { nextKey, priceAt } from "./play.mjs";

/** Bodies that are no order of the interface. Nothing of them may be placed, and each is 400 with an error body. */
async function wrongBodies(world) {
  const { main } = world.clients;
  const { gateway } = world;
  const good = bodyOf(world, main, "BTC");
  const text = (change) => JSON.stringify({ ...good, ...change });
  const deep = `${"[".repeat(20000)}${"]".repeat(20000)}`;
  const wrong = {
    exponent: text({ size: "1e-3" }),
    plus: text({ size: "+0.001" }),
    zeros: text({ size: "00.001" }),
    minusZero: text({ size: "-0" }),
    zero: text({ size: "0.000" }),
    dot: text({ size: ".001" }),
    dotBehind: text({ size: "1." }),
    number: text({ size: 0.001 }),
    long: text({ size: `0.${"1".repeat(19)}` }),
    wide: text({ size: "1".repeat(19) }),
    arabic: text({ size: "٠.٠٠١" }),
    space: text({ size: " 0.001" }),
    nul: text({ market: "BTC\u0000" }),
    full: text({ market: "ＢＴＣ" }),
    lower: text({ market: "btc" }),
    extra: text({ builder: "0x1" }),
    proto: `{"__proto__":{"x":1},${text({}).slice(1)}`,
    twice: `{"size":"0.5",${text({}).slice(1)}`,
    twiceEscaped: `{"si\\u007ae":"0.5",${text({}).slice(1)}`,
    deep,
    deepInside: text({ trigger: 1 }).replace("1", deep),
    comment: `/* */${text({})}`,
    trailing: `${text({})}x`,
    second: `${text({})}${text({})}`,
    bom: `\ufeff${text({})}`,
    empty: "",
    array: `[${text({})}]`,
    nulled: text({ trigger: null }),
    single: text({}).replaceAll('"', "'"),
    nan: text({ price: "NaN" }),
    infinite: text({}).replace(/"price":"[^"]*"/, '"price":1e999'),
    truthy: text({ reduce_only: "true" }),
    one: text({ reduce_only: 1 }),
    upperSide: text({ side: "BUY" }),
    surrogate: text({ market: "BTC" }).replace("BTC", "\\ud800"),
    fok: text({ time_in_force: "fok" }),
  };
  for (const [name, body] of Object.entries(wrong)) {
    const heard = await raw(
      gateway,
      bytesOf(world, main, "POST /v1/orders", {
        body,
        headers: {
          "Idempotency-Key": nextKey(world, "wrong"),
          "Content-Type": "application/json",
          "Content-Length": Buffer.byteLength(body),
          Connection: "close",
        },
      }),
      4000,
    );
    expect(world, "a wrong body was not refused", /^HTTP\/1\.1 400/.test(heard) && /"error":\{/.test(heard), {
      id: name,
      heard: heard.slice(-300),
    });
  }
  expect(world, "CRITICAL: a wrong body was placed", placedOf(world, main, "BTC", good.size).length === 0, {
    id: good.size,
  });
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/xml",
    "application/jsonx",
    null,
  ]) {
    const heard = await raw(
      gateway,
      bytesOf(world, main, "POST /v1/orders", {
        body: text({}),
        headers: {
          "Idempotency-Key": nextKey(world, "type"),
          "Content-Type": type,
          Connection: "close",
        },
      }),
      3000,
    );
    expect(world, "a wrong content type was not refused", /^HTTP\/1\.1 400/.test(heard), {
      id: String(type),
      heard: heard.slice(-200),
    });
  }
  for (const method of ["HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE"]) {
    const heard = await raw(
      gateway,
      bytesOf(world, main, `${method} /v1/orders`, { headers: { Connection: "close" } }),
      3000,
    );
    expect(world, "soft: a method that there is not", /^HTTP\/1\.1 404/.test(heard), {
      id: method,
      heard: heard.slice(0, 200),
    });
  }
  for (const key of ["short", "x".repeat(129), "with space in it", "ключ-ключ-ключ", "tab\tinside-it", ""]) {
    const heard = await raw(
      gateway,
      Buffer.from(
        bytesOf(world, main, "POST /v1/orders", {
          body: text({}),
          headers: { "Idempotency-Key": key, Connection: "close" },
        }),
        "utf8",
      ),
      3000,
    );
    expect(world, "a wrong key was not refused", /^HTTP\/1\.1 400/.test(heard), {
      id: key,
      heard: heard.slice(0, 300),
    });
  }
}

/** Whole numbers in other spellings are the same request; what is not one is refused. */
async function numbers(world) {
  const { main } = world.clients;
  const { gateway } = world;
  const send = (text, key) =>
    raw(
      gateway,
      bytesOf(world, main, "POST /v1/leverage", {
        body: text,
        headers: {
          "Idempotency-Key": key,
          "Content-Type": "application/json",
          "Content-Length": Buffer.byteLength(text),
          Connection: "close",
        },
      }),
      4000,
    );
  const body = (n) => `{"market":"ETH","leverage":${n},"margin_type":"cross"}`;
  const key = nextKey(world, "numbers");
  const first = await send(body("10"), key);
  for (const same of ["10.0", "1e1", "1E+1", "100e-1"]) {
    const heard = await send(body(same), key);
    expect(
      world,
      "another spelling of 10 is another request",
      heard.includes("HTTP/1.1 200") && heard.toLowerCase().includes("idempotent-replayed: true"),
      { id: same, heard: heard.slice(0, 400), first: first.slice(0, 100) },
    );
  }
  for (const bad of [
    "10.5",
    "-0",
    "0",
    "01",
    "+1",
    "1e400",
    "9007199254740993",
    "9007199254740992",
    '"10"',
    "0x10",
    "true",
    "null",
  ]) {
    const heard = await send(body(bad), nextKey(world, "numbers"));
    expect(world, "what is no leverage was taken", heard.startsWith("HTTP/1.1 400"), {
      id: bad,
      heard: heard.slice(-250),
    });
    await sleep(350);
  }
  const size = world.size("BTC");
  const order = { account: main.account, market: "BTC", side: "buy", size, price: priceAt(world, "BTC", "0.9") };
  const one = nextKey(world, "decimals");
  const a = await main.post("/v1/orders", order, one);
  const b = await main.post(
    "/v1/orders",
    {
      ...order,
      size: `${size}000`,
      price: `${order.price}.00`,
      reduce_only: false,
      time_in_force: "gtc",
      account: main.account.toUpperCase(),
    },
    one,
  );
  expect(world, "CRITICAL: 1 and 1.00 are two requests", b.raw === a.raw, { id: one, a: brief(a), b: brief(b) });
}

export const BODY_SCENES = { wrongBodies, numbers };
