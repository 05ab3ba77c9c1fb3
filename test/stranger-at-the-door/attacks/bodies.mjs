// Bodies that say two things, too much, or nothing.
import { gzipSync } from "node:zlib";
import { brief, sleep } from "../raw.mjs";
import { secondAccount } from "../second-account.mjs";

let count = 0;
const send = (door, body, headers = {}) => {
  count += 1;
  return door.ask("POST", "/v1/orders", { body, id: `body-attack-${count}`, headers });
};

/** Each is refused with 400, and the exchange hears of none. */
const refusesAll =
  (rowsOf, isRefused = (answer) => answer.status === 400) =>
  async ({ plain, broken, figure }) => {
    const before = await plain.executedCount();
    const rows = rowsOf(plain);
    for (const [name, body, headers] of rows) {
      const answer = await send(plain, body, headers);
      if (!isRefused(answer)) broken(`${name}: ${answer.status} ${answer.code ?? answer.text.slice(0, 100)}`);
    }
    const after = await plain.executedCount();
    if (after !== before) broken(`${after - before} orders were placed`);
    figure(`${rows.length} bodies`);
  };

const text = (door, more = "") => {
  const whole = JSON.stringify(door.orderBody());
  return `${whole.slice(0, -1)}${more}}`;
};

export const bodies = [
  [
    "json: members that come twice, however they are spelled",
    refusesAll((door) => [
      ["size twice", text(door, ',"size":"9"')],
      ["escaped", text(door, ',"\\u0073ize":"9"')],
      ["the same value", text(door, ',"side":"buy"')],
      ["in a trigger", text(door, ',"trigger":{"kind":"stop_loss","price":"1","price":"2"}')],
      ["other case", text(door, ',"Size":"9"')],
      ["with a NUL", text(door, ',"size\\u0000":"9"')],
    ]),
  ],
  [
    "json: __proto__, constructor and their kin",
    refusesAll((door) => [
      ["__proto__", text(door, ',"__proto__":{"reduce_only":true}')],
      ["escaped __proto__", text(door, ',"\\u005f_proto__":{"size":"9"}')],
      ["constructor", text(door, ',"constructor":{"prototype":{"isAdmin":true}}')],
      ["toString", text(door, ',"toString":"x"')],
      ["hasOwnProperty", text(door, ',"hasOwnProperty":1')],
      ["only a prototype", `{"__proto__":${text(door)}}`],
      ["market is __proto__", text(door).replace('"BTC"', '"__proto__"')],
      ["market is constructor", text(door).replace('"BTC"', '"constructor"')],
    ]),
  ],
  [
    "json: what only a lenient reader takes",
    refusesAll((door) => [
      ["empty", ""],
      ["null", "null"],
      ["a list", `[${text(door)}]`],
      ["a text", JSON.stringify(text(door))],
      ["two values", `${text(door)}${text(door)}`],
      ["something after it", `${text(door)}x`],
      ["a NUL after it", `${text(door)}\0`],
      ["comma at the end", text(door, ",")],
      ["a comment", `/**/${text(door)}`],
      ["single quotes", text(door).replaceAll('"', "'")],
      ["bare names", text(door).replace('"side"', "side")],
      ["1e400", text(door, ',"reduce_only":1e400')],
      ["NaN", text(door, ',"reduce_only":NaN')],
      ["Infinity", text(door, ',"reduce_only":-Infinity')],
      ["leading zero", text(door, ',"reduce_only":01')],
      ["tab in a text", text(door).replace("BTC", "B\tTC")],
      ["form feed", `\f${text(door)}`],
      ["no-break space", `\u00a0${text(door)}`],
      ["cut off", text(door).slice(0, -1)],
      ["JSON lines", `${text(door)}\n${text(door)}`],
      ["XSSI prefix", `)]}'\n${text(door)}`],
    ]),
  ],
  [
    "encodings: BOM, UTF-16, broken and overlong UTF-8, lone surrogates, other charsets",
    refusesAll((door) => [
      ["BOM", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text(door))])],
      ["UTF-16", Buffer.from(`\ufeff${text(door)}`, "utf16le")],
      ["UTF-16 declared", Buffer.from(text(door), "utf16le"), { "Content-Type": "application/json; charset=utf-16" }],
      ["broken", Buffer.from(text(door).replace("BTC", "BT\xff"), "latin1")],
      ["overlong", Buffer.from(text(door).replace("BTC", "\xc1\x82TC"), "latin1")],
      ["surrogate bytes", Buffer.from(text(door).replace("BTC", "\xed\xa0\x80"), "latin1")],
      ["lone surrogate", text(door).replace("BTC", "\\ud800")],
      ["lone surrogate in a name", text(door, ',"\\udfff":1')],
      ["fullwidth digits", text(door).replace("30000", "３００００")],
      ["other charset", text(door), { "Content-Type": "application/json; charset=utf-7" }],
    ]),
  ],
  [
    "numbers: prices and sizes that are no plain decimal text",
    refusesAll((door) =>
      [
        0.001,
        1e-3,
        true,
        null,
        [],
        ["0.001"],
        {},
        { $ne: null },
        "1e-3",
        "0x1",
        " 0.001",
        "0.001 ",
        "+0.001",
        "-0.001",
        "0",
        "0.0",
        "-0",
        ".001",
        "1.",
        "00.1",
        "1,000",
        "1_000",
        "NaN",
        "Infinity",
        "",
        "0.001\0",
        "٣",
        "0.001\n",
        "1".repeat(19),
        `0.${"0".repeat(18)}1`,
        "1".repeat(60_000),
      ].map((size) => [`size ${JSON.stringify(size).slice(0, 30)}`, { ...door.orderBody(), size }]),
    ),
  ],
  [
    "fields: unknown members, other types, another's account, markets that are none",
    refusesAll(
      (door) => [
        ["unknown", text(door, ',"leverage":50')],
        ["withdraw", text(door, ',"destination":"0x1111111111111111111111111111111111111111"')],
        ["client id", text(door, ',"client_order_id":"0x00"')],
        ["vault", text(door, ',"vault_address":"0x1111111111111111111111111111111111111111"')],
        ["side", text(door).replace('"buy"', '"BUY"')],
        ["reduce_only text", text(door, ',"reduce_only":"false"')],
        ["account list", { ...door.orderBody(), account: [door.account] }],
        ["account of nobody", { ...door.orderBody(), account: "00000000-0000-0000-0000-000000000000" }],
        ["account injected", { ...door.orderBody(), account: `${door.account}' OR '1'='1` }],
        ["market number", { ...door.orderBody(), market: 0 }],
        ["market id", { ...door.orderBody(), market: "0" }],
        ["market path", { ...door.orderBody(), market: "../BTC" }],
        ["market lower case", { ...door.orderBody(), market: "btc" }],
        ["market with a NUL", { ...door.orderBody(), market: "BTC\0" }],
        ["market long", { ...door.orderBody(), market: "B".repeat(60_000) }],
      ],
      (answer) => answer.status === 400 || answer.code === "account_mismatch",
    ),
  ],
  [
    "limits: nine levels, 513 values, one byte more than 64 KiB, a million levels",
    async (context) => {
      const { plain, broken } = context;
      await refusesAll(
        (door) => [
          ["nine levels", text(door, `,"a":${"[".repeat(8)}${"]".repeat(8)}`)],
          ["100 levels", text(door, `,"a":${"[".repeat(100)}${"]".repeat(100)}`)],
          ["30,000 levels", `${"[".repeat(30_000)}${"]".repeat(30_000)}`],
          ["60,000 open", '{"a":'.repeat(12_000)],
          ["513 values", text(door, `,"a":[${"1,".repeat(513)}1]`)],
          ["5,000 names", `{${Array.from({ length: 5_000 }, (_, index) => `"a${index}":1`).join(",")}}`],
          ["64 KiB and 1", text(door).padEnd(65_537)],
          ["900 KiB", text(door).padEnd(900_000)],
        ],
        (answer) => answer.code === "invalid_json" || answer.code === "body_too_large",
      )(context);
      const exact = await send(plain, text(plain).padEnd(65_536));
      if (exact.status !== 201) broken(`exactly 64 KiB: ${exact.status} ${exact.code}`);
    },
  ],
  [
    "bombs: bodies that unfold (gzip, deflate, br) are not unfolded",
    async ({ plain, broken, figure }) => {
      const bomb = gzipSync(Buffer.alloc(60_000_000, 0x20), { level: 9 });
      const small = gzipSync(Buffer.from(text(plain)));
      const before = [plain.residentMib(), plain.cpuNs()];
      for (const [name, bytes] of [
        ["gzip", bomb],
        ["gzip", small],
        ["deflate", bomb],
        ["br", bomb],
        ["gzip, gzip", bomb],
        ["x-gzip", small],
        ["zstd", small],
      ]) {
        const answer = await send(plain, bytes, { "Content-Encoding": name });
        if (answer.status < 400 || answer.status >= 500) broken(`${name}: ${answer.status} ${answer.code}`);
      }
      const grown = plain.residentMib() - before[0];
      const cpuMs = (plain.cpuNs() - before[1]) / 1e6;
      if (grown > 40) broken(`the process grew by ${grown.toFixed(0)} MiB`);
      if (cpuMs > 300) broken(`${cpuMs.toFixed(0)} ms of processor`);
      figure(`${bomb.length} bytes for 60 MB; ${cpuMs.toFixed(0)} ms of processor, ${grown.toFixed(0)} MiB`);
    },
  ],
  [
    "announced: bodies of any length are not waited for, kept or answered twice",
    async ({ plain, broken }) => {
      const key = [`Authorization: Bearer ${plain.key}`, "Content-Type: application/json"];
      const before = plain.residentMib();
      for (const length of ["65537", "1073741824", "9007199254740993", "99999999999999"]) {
        const result = await plain.speak(
          plain.head("POST", "/v1/orders", [...key, "Idempotency-Key: announced-1", `Content-Length: ${length}`]),
          { waitMs: 1500 },
        );
        if (result.first === null ? !result.isClosed : result.first.status < 400) broken(`${length}: ${brief(result)}`);
      }
      const endless = plain.head("POST", "/v1/orders", [
        ...key,
        "Idempotency-Key: announced-2",
        "Transfer-Encoding: chunked",
      ]);
      const chunk = `8000\r\n${" ".repeat(0x8000)}\r\n`;
      const result = await plain.speak([endless, ...Array(40).fill(chunk)], { waitMs: 1500, pauseMs: 2 });
      if (result.answers.some((answer) => answer.status < 400)) broken(`endless chunks: ${brief(result)}`);
      await sleep(50);
      if (plain.residentMib() - before > 60)
        broken(`the process grew by ${(plain.residentMib() - before).toFixed(0)} MiB`);
    },
  ],
];

const placed = (answer) => answer.status === 201 || answer.status === 200 || answer.status === 202;

export const idempotency = [
  [
    "two at once, 50 times: one order for each key, and both are told the same",
    async ({ plain, broken }) => {
      const before = await plain.executedCount();
      const pairs = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          Promise.all([plain.order(`twice-at-once-${index}`), plain.order(`twice-at-once-${index}`)]),
        ),
      );
      for (const [first, second] of pairs)
        if (!placed(first) || !placed(second) || first.json.id !== second.json.id)
          broken(`${first.status} ${first.code}, ${second.status} ${second.code}`);
      const after = await plain.executedCount();
      if (after - before !== 50) broken(`${after - before} orders for 50 keys`);
    },
  ],
  [
    "one key 100 times at once over 100 connections: one order",
    async ({ plain, broken }) => {
      const before = await plain.executedCount();
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => plain.order("hundred-at-once", {}, { agent: false })),
      );
      const ids = new Set(answers.map((answer) => answer.json?.id ?? `${answer.status} ${answer.code}`));
      if (ids.size !== 1) broken(`${[...ids].slice(0, 4).join(", ")}`);
      const after = await plain.executedCount();
      if (after - before !== 1) broken(`${after - before} orders`);
    },
  ],
  [
    "one key, two bodies at once, 20 times: one is placed, the other is 409",
    async ({ plain, broken }) => {
      const before = await plain.executedCount();
      for (let index = 0; index < 20; index += 1) {
        const pair = await Promise.all([
          plain.order(`two-bodies-${index}`),
          plain.order(`two-bodies-${index}`, { size: "0.002" }),
        ]);
        const statuses = pair.map((answer) => answer.status).sort();
        if (statuses.join() !== "201,409") broken(`${statuses.join()}`);
      }
      const after = await plain.executedCount();
      if (after - before !== 20) broken(`${after - before} orders for 20 keys`);
    },
  ],
  [
    "used key: another body, another route, another key of the account, and what means the same",
    async ({ plain, broken }) => {
      const first = await plain.order("used-key-games");
      const other = (await plain.grant()).key;
      const before = await plain.executedCount();
      const rows = {
        size: await plain.order("used-key-games", { size: "0.002" }),
        "a member more": await plain.order("used-key-games", { time_in_force: "ioc" }),
        leverage: await plain.ask("POST", "/v1/leverage", {
          id: "used-key-games",
          body: { market: "ETH", leverage: 3, margin_type: "isolated" },
        }),
        twap: await plain.ask("POST", "/v1/twaps", {
          id: "used-key-games",
          body: { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 },
        }),
        "another key, other body": await plain.order("used-key-games", { size: "0.002" }, { key: other }),
      };
      for (const [name, answer] of Object.entries(rows))
        if (answer.status !== 409) broken(`${name}: ${answer.status} ${answer.code}`);
      const same = {
        "another key": await plain.order("used-key-games", {}, { key: other }),
        "other order of members": await plain.ask("POST", "/v1/orders", {
          id: "used-key-games",
          body: Object.fromEntries(Object.entries(plain.orderBody()).reverse()),
        }),
        "spaces and escapes": await plain.ask("POST", "/v1/orders", {
          id: "used-key-games",
          body: JSON.stringify(plain.orderBody(), null, 4).replace("BTC", "\\u0042TC"),
        }),
      };
      for (const [name, answer] of Object.entries(same))
        if (answer.json?.id !== first.json.id && answer.status !== 409)
          broken(`${name}: ${answer.status} ${answer.json?.id ?? answer.code}`);
      const zeros = [
        await plain.order("used-key-games", { size: "0.0010" }),
        await plain.order("used-key-games", { account: plain.account.toUpperCase() }),
      ];
      for (const answer of zeros)
        if (answer.status !== 409 && answer.json?.id !== first.json.id) broken(`${answer.status} ${answer.code}`);
      const after = await plain.executedCount();
      if (after !== before) broken(`${after - before} more orders`);
    },
  ],
  [
    "key's form: twice, short, long, spaces, control characters, not ASCII, in query or body",
    async ({ plain, broken }) => {
      const before = await plain.executedCount();
      const body = JSON.stringify(plain.orderBody());
      const long = "k".repeat(129);
      const rows = [
        ["Idempotency-Key: first-of-two", "Idempotency-Key: second-of-two"],
        ["Idempotency-Key: same-of-two", "Idempotency-Key: same-of-two"],
        ["Idempotency-Key: short12"],
        [`Idempotency-Key: ${long}`],
        ["Idempotency-Key: with a space"],
        ["Idempotency-Key: with\ttab-in"],
        ["Idempotency-Key: \xe9\xe8\xe9\xe8\xe9\xe8\xe9\xe8"],
        ["Idempotency-Key:"],
        ["Idempotency-Key: delete\x7fdelete"],
        ["X-Idempotency-Key: another-name"],
        ["Idempotency_Key: underlined-name"],
      ];
      for (const lines of rows) {
        const all = [
          `Authorization: Bearer ${plain.key}`,
          "Content-Type: application/json",
          ...lines,
          `Content-Length: ${body.length}`,
        ];
        const result = await plain.speak(plain.head("POST", "/v1/orders", all) + body, { quietMs: 10, waitMs: 600 });
        if (result.answers.some((answer) => answer.status < 400)) broken(`${lines.join(" + ")}: ${brief(result)}`);
      }
      const query = await plain.ask("POST", "/v1/orders?idempotency_key=in-the-query", { body });
      const inBody = await plain.ask("POST", "/v1/orders", {
        body: { ...plain.orderBody(), idempotency_key: "in-the-body" },
      });
      if (query.status !== 400 || inBody.status !== 400) broken(`elsewhere: ${query.status}, ${inBody.status}`);
      const after = await plain.executedCount();
      if (after !== before) broken(`${after - before} orders were placed`);
    },
  ],
  [
    "another account: its keys, orders and operations are nobody's, and the same Idempotency-Key is not shared",
    async ({ plain, broken, figure }) => {
      const { other, key, canTrade } = await secondAccount(plain);
      const mine = await plain.order("across-accounts-1");
      const before = await plain.executedCount();
      const theirs = await plain.order("across-accounts-1", { account: other }, { key });
      if (theirs.json?.id === mine.json.id) broken("the other account was told our order");
      if (canTrade && theirs.status !== 201) broken(`the other account's own order: ${theirs.status} ${theirs.code}`);
      const forged = await plain.order("across-accounts-2", {}, { key });
      if (forged.code !== "account_mismatch")
        broken(`an order for our account by their key: ${forged.status} ${forged.code}`);
      for (const id of [mine.json.id, mine.json.exchange_order_id]) {
        const rows = [
          await plain.ask("GET", `/v1/orders/${id}`, { key }),
          await plain.ask("GET", `/v1/orders/${id}/story`, { key }),
          await plain.ask("POST", `/v1/orders/${id}/cancel`, { key, body: {}, id: `across-cancel-${id}` }),
          await plain.ask("POST", `/v1/orders/${id}/modify`, {
            key,
            body: { price: "29000" },
            id: `across-modify-${id}`,
          }),
        ];
        for (const answer of rows)
          if (answer.status < 400) broken(`${id}: ${answer.status} ${answer.text.slice(0, 80)}`);
      }
      const listed = await plain.ask("GET", "/v1/orders", { key });
      if (listed.text.includes(mine.json.id)) broken("our order is in their list");
      const events = await plain.ask("GET", "/v1/events?after=0&follow=false", { key });
      if (events.text.includes(plain.account)) broken("our events are in their stream");
      const still = await plain.ask("GET", `/v1/orders/${mine.json.id}`);
      if (still.json?.status !== "open") broken(`our order is ${still.json?.status}`);
      const after = await plain.executedCount();
      if (after !== before) broken(`${after - before} orders on our account`);
      figure(canTrade ? "both trade" : "the other cannot trade");
    },
  ],
];
