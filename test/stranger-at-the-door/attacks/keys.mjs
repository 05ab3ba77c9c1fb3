// Keys: stolen in part, put where they do not belong, guessed, taken away, or another's.
import { newAddress, newKey } from "../door.mjs";
import { brief, newlyOpen, sleep } from "../raw.mjs";

const ID = "01a1fbc7-3a5e-7c3d-9a4b-2f6d1c0b9e8f";
const WRITES = (door) => [
  ["/v1/orders", door.orderBody()],
  [`/v1/orders/${ID}/cancel`, {}],
  [`/v1/orders/${ID}/modify`, { price: "30001" }],
  ["/v1/leverage", { market: "ETH", leverage: 5, margin_type: "isolated" }],
  ["/v1/margin", { market: "ETH", amount: "1" }],
  ["/v1/twaps", { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 }],
  ["/v1/twaps/cancel", { market: "BTC", twap_id: 1 }],
];
const READS = [
  "/v1/api-keys",
  "/v1/orders",
  `/v1/orders/${ID}`,
  `/v1/orders/${ID}/story`,
  "/v1/positions",
  "/v1/twaps",
  `/v1/operations/${ID}`,
  "/v1/operations",
  "/v1/account",
  "/v1/whoami",
  "/v1/fills",
  "/v1/events?follow=false",
  "/v1/markets",
  "/v1/markets/BTC",
  "/v1/markets/BTC/book",
  "/v1/stream?markets=BTC&follow=false",
  "/v1/prices",
  "/v1/status",
  "/v1/agent-renewal",
];

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

export const keys = [
  [
    "elsewhere: a valid key in query, cookie, path, body and other headers opens nothing",
    async ({ plain, broken }) => {
      const { key } = plain;
      const lines = [
        `Cookie: Authorization=Bearer ${key}`,
        `Cookie: api_key=${key}; token=${key}`,
        `X-Api-Key: ${key}`,
        `Proxy-Authorization: Bearer ${key}`,
        `X-Authorization: Bearer ${key}`,
        `Authorization-: Bearer ${key}`,
        `X-Forwarded-Authorization: Bearer ${key}`,
        `Idempotency-Key: ${key}`,
      ];
      for (const line of lines) {
        const result = await plain.speak(plain.head("GET", "/v1/whoami", [line]), { quietMs: 5 });
        if (result.first?.status !== 401) broken(`${line.split(":")[0]}: ${brief(result)}`);
      }
      for (const target of [
        `/v1/whoami?api_key=${key}`,
        `/v1/whoami?access_token=${key}`,
        `/v1/whoami?Authorization=Bearer%20${key}`,
        `/${key}/v1/whoami`,
      ]) {
        const result = await plain.speak(plain.head("GET", target), { quietMs: 5 });
        if (result.first?.status < 400) broken(`${target}: ${brief(result)}`);
      }
    },
  ],
  [
    "header: several Authorization headers, other schemes, other spellings of the key",
    async ({ plain, broken }) => {
      const { key } = plain;
      const hash = (await plain.ask("GET", "/v1/whoami")).json.key_hash;
      const wrong = newKey().key;
      const rows = [
        [`Authorization: Bearer ${key}`, `Authorization: Bearer ${wrong}`],
        [`Authorization: Bearer ${wrong}`, `Authorization: Bearer ${key}`],
        [`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`],
        [`Authorization: Bearer ${key}, Bearer ${wrong}`],
        [`Authorization: Bearer ${wrong}, Bearer ${key}`],
        [`Authorization: Bearer ${key} ${key}`],
        [`Authorization: Basic ${Buffer.from(`${key}:`).toString("base64")}`],
        [`Authorization: Basic ${Buffer.from(`x:${key}`).toString("base64")}`],
        [`Authorization: Token ${key}`],
        [`Authorization: ${key}`],
        [`Authorization: Bearer "${key}"`],
        [`Authorization: Bearer ${key.toUpperCase()}`],
        [`Authorization: Bearer api_trade_${key.slice(10).toUpperCase()}`],
        [`Authorization: Bearer ${key.slice(10)}`],
        [`Authorization: Bearer ${hash}`],
        [`Authorization: Bearer api_trade_${hash}`],
        [`Authorization: Bearer ${key.slice(0, -1)}`],
        [`Authorization: Bearer ${key}0`],
        [`Authorization: Bearer setup_${key.slice(10)}`],
        [`Authorization: Bearer ${key}%00`],
        [`Authorization: Bearer`],
        ["Authorization: "],
        [`Authorization: Bearer ${key}\x0b`],
        [`Authorization: Bearer\xa0${key}`],
        [`Authorization: Digest ${key}`],
        [`Authorization: Bearer:${key}`],
        [`Authorization: Bearer ${key};`],
        [`Authorization: Bearer =${key}`],
      ];
      for (const lines of rows) {
        const result = await plain.speak(plain.head("GET", "/v1/whoami", lines), { quietMs: 5, waitMs: 600 });
        if (result.answers.some((answer) => answer.status < 400))
          broken(`${lines.join(" + ").replaceAll(key, "KEY")}: ${brief(result)}`);
      }
    },
  ],
  [
    "none: every route but those without a key is 401, with any method's body",
    async ({ plain, broken, figure }) => {
      for (const target of READS) {
        const answer = await plain.ask("GET", target, { key: null, from: newAddress() });
        if (answer.status !== 401) broken(`GET ${target}: ${answer.status} ${answer.text.slice(0, 60)}`);
      }
      for (const [target, body] of WRITES(plain)) {
        const answer = await plain.ask("POST", target, { key: null, body, id: "without-key-1", from: newAddress() });
        if (answer.status !== 401) broken(`POST ${target}: ${answer.status} ${answer.text.slice(0, 60)}`);
      }
      figure(`${READS.length + WRITES(plain).length} routes`);
    },
  ],
  [
    "scope: a key that may read writes nowhere, a key that may write reads nowhere",
    async ({ plain, broken }) => {
      const reader = (await plain.grant({ scopes: ["trading:read"] })).key;
      const writer = (await plain.grant({ scopes: ["trading:write"] })).key;
      for (const [target, body] of WRITES(plain)) {
        const answer = await plain.ask("POST", target, { key: reader, body, id: "scope-write-1" });
        if (answer.status !== 403 || answer.code !== "insufficient_scope")
          broken(`reader, ${target}: ${answer.status} ${answer.code}`);
      }
      for (const target of READS) {
        if (target === "/v1/whoami") continue;
        const answer = await plain.ask("GET", target, { key: writer });
        if (answer.status !== 403)
          broken(`writer, ${target}: ${answer.status} ${answer.code ?? answer.text.slice(0, 60)}`);
      }
    },
  ],
  [
    "revoked: a revoked key is refused on every route at once, on its open connections, and its stream ends",
    async ({ plain, broken, figure }) => {
      const { key, hash } = await plain.grant();
      const [stream] = await newlyOpen(plain, 1, {});
      stream.write(plain.head("GET", "/v1/events", [`Authorization: Bearer ${key}`]));
      const [kept] = await newlyOpen(plain, 1, {});
      kept.write(plain.head("GET", "/v1/whoami", [`Authorization: Bearer ${key}`]));
      await sleep(150);
      if (!/event: ready/.test(stream.heard ?? "") || !/200 OK/.test(kept.heard ?? "")) broken("the key never worked");
      const revoked = await plain.revoke(await plain.revocation(hash));
      if (revoked.status !== 200) broken(`revocation: ${revoked.status} ${revoked.code}`);
      const at = Date.now();
      kept.heard = "";
      kept.write(plain.head("GET", "/v1/whoami", [`Authorization: Bearer ${key}`]));
      for (const target of READS) {
        const answer = await plain.ask("GET", target, { key, from: newAddress() });
        if (answer.code !== "revoked_api_key") broken(`${target}: ${answer.status} ${answer.code}`);
      }
      for (const [target, body] of WRITES(plain)) {
        const answer = await plain.ask("POST", target, { key, body, id: "revoked-write-1", from: newAddress() });
        if (answer.code !== "revoked_api_key") broken(`${target}: ${answer.status} ${answer.code}`);
      }
      if (!/revoked_api_key/.test(kept.heard)) broken(`kept connection: ${kept.heard.slice(0, 80)}`);
      while (!/\r\n0\r\n\r\n$/.test(stream.heard) && !stream.destroyed && Date.now() - at < 5000) await sleep(20);
      if (Date.now() - at >= 5000) broken("the stream goes on after 5 s");
      figure(`stream ended within ${Date.now() - at} ms`);
    },
  ],
  [
    "blocked: the operator's brake stops a key without a signature, beside the running gateway",
    async ({ plain, broken }) => {
      const { key, hash, body } = await plain.grant();
      await plain.command("key", "block", hash);
      const answer = await plain.ask("GET", "/v1/whoami", { key, from: newAddress() });
      if (answer.code !== "revoked_api_key") broken(`${answer.status} ${answer.code}`);
      const again = await plain.ask("POST", "/v1/api-keys", { key: null, body, from: newAddress() });
      const after = await plain.ask("GET", "/v1/whoami", { key, from: newAddress() });
      if (after.status !== 401) broken(`after its grant came again (${again.status}): ${after.status}`);
    },
  ],
  [
    "guessing: 60 wrong keys from one address are throttled, and a valid key from there still works",
    async ({ plain, broken, figure }) => {
      const from = newAddress();
      const codes = [];
      for (let index = 0; index < 60; index += 1) {
        const answer = await plain.ask("GET", "/v1/whoami", { key: newKey().key, from });
        codes.push(answer.status);
        if (answer.status === 429 && !(Number(answer.headers["retry-after"]) >= 1)) broken("429 without Retry-After");
      }
      const passed = codes.filter((code) => code === 401).length;
      if (passed > 22) broken(`${passed} of 60 guesses were answered 401`);
      const own = await plain.ask("GET", "/v1/whoami", { from });
      if (own.status !== 200) broken(`a valid key from there: ${own.status} ${own.code}`);
      const order = await plain.order("beside-guesses", {}, { from });
      if (order.status !== 201) broken(`an order from there: ${order.status} ${order.code}`);
      const other = await plain.ask("GET", "/v1/whoami", { key: newKey().key, from: newAddress() });
      if (other.status !== 401) broken(`another address: ${other.status}`);
      figure(`${passed} answered 401, then 429`);
    },
  ],
  [
    "guessing: an address of one's own choice in X-Forwarded-For and its kin wins nothing",
    async ({ plain, broken }) => {
      const from = newAddress();
      let passed = 0;
      for (let index = 0; index < 60; index += 1) {
        const name = ["X-Forwarded-For", "X-Real-IP", "Forwarded", "True-Client-IP", "CF-Connecting-IP"][index % 5];
        const address = `10.1.2.${index}`;
        const headers = { [name]: name === "Forwarded" ? `for=${address}` : address };
        if ((await plain.ask("GET", "/v1/whoami", { key: newKey().key, from, headers })).status === 401) passed += 1;
      }
      if (passed > 22) broken(`${passed} of 60 guesses were answered 401`);
    },
  ],
  [
    "guessing: failed registrations and revocations are throttled, apart from failed keys",
    async ({ plain, broken }) => {
      for (const path of ["/v1/api-keys", "/v1/api-keys/revoke"]) {
        const from = newAddress();
        const forged = `0x${"1b".repeat(64)}1c`;
        const codes = [];
        for (let index = 0; index < 25; index += 1) {
          const hash = newKey().hash;
          const consent = {
            account: plain.account,
            network: "exchange_mainnet",
            key_hash: hash,
            policy: { scopes: ["trading:read"] },
            issued_at: Date.now(),
          };
          const body = path.endsWith("revoke")
            ? { account: plain.account, key_hash: hash, signature: forged }
            : { consent, signature: forged };
          codes.push((await plain.ask("POST", path, { key: null, body, from })).status);
        }
        const passed = codes.filter((code) => code === 401).length;
        if (passed > 11 || passed < 5) broken(`${path}: ${passed} of 25 answered 401: ${codes.join(" ")}`);
      }
    },
  ],
  [
    "timing: a key that is nearly right is refused as fast as one that is all wrong",
    async ({ another, broken, figure }) => {
      const door = await another({ settings: { POSTERN_LIMIT_FAILED_AUTHENTICATIONS: "100000" } });
      await door.start();
      const near = door.key.slice(0, -1) + (door.key.endsWith("0") ? "1" : "0");
      const times = { near: [], far: [] };
      for (let index = 0; index < 6000; index += 1) {
        const kind = index % 2 === 0 ? "near" : "far";
        const answer = await door.ask("GET", "/v1/whoami", {
          key: kind === "near" ? near : `api_trade_${index.toString(16).padStart(64, "7")}`,
        });
        if (answer.status !== 401) return broken(`${kind}: ${answer.status}`);
        if (index >= 1000) times[kind].push(answer.ms);
      }
      await door.stop();
      const [near50, far50] = [median(times.near), median(times.far)];
      const difference = Math.abs(near50 - far50);
      if (difference > 0.1 * far50) broken(`medians differ by ${(difference * 1000).toFixed(0)} us`);
      figure(`medians ${(near50 * 1000).toFixed(0)} and ${(far50 * 1000).toFixed(0)} us`);
      return undefined;
    },
  ],
  [
    "set-up: once it is done, no guessed link or session opens a route of it",
    async ({ plain, broken }) => {
      const rows = [
        ["POST", "claim", { session_hash: "0".repeat(64) }],
        ["GET", "", undefined],
        ["GET", "exchange-view", undefined],
        ["POST", "owner", { address: `0x${"1".repeat(40)}`, label: "x" }],
        ["GET", "agent-approval", undefined],
        ["POST", "agent-approval", {}],
        ["POST", "builder-approval", {}],
        ["POST", "builder-skip", {}],
        ["POST", "finish", {}],
      ];
      for (const key of [`setup_${"0".repeat(64)}`, plain.key, null])
        for (const [method, name, body] of rows) {
          const answer = await plain.ask(method, `/v1/setup${name === "" ? "" : `/${name}`}`, {
            key,
            body,
            from: newAddress(),
          });
          if (answer.status < 400) broken(`${method} ${name}: ${answer.status} ${answer.text.slice(0, 80)}`);
        }
    },
  ],
  [
    "limits of a key: a burst of 60 orders with the defaults is cut at the bucket, and the rest sent nothing",
    async ({ tls, broken, figure }) => {
      const before = await tls.executedCount();
      const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => tls.order(`burst-of-60-${index}`)));
      const taken = answers.filter((answer) => answer.status === 201).length;
      const refused = answers.filter((answer) => answer.status === 429);
      if (taken + refused.length !== 60)
        broken(`others: ${answers.find((answer) => ![201, 429].includes(answer.status))?.code}`);
      if (taken > 50) broken(`${taken} of 60 passed`);
      if (refused.some((answer) => !(Number(answer.headers["retry-after"]) >= 1))) broken("429 without Retry-After");
      const after = await tls.executedCount();
      if (after - before !== taken) broken(`${after - before} orders, ${taken} answers 201`);
      figure(`${taken} taken`);
    },
  ],
];
