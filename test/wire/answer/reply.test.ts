import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  isAgentRefused,
  isBuilderRefused,
  isListedRefusal,
  isOutOfActions,
  plainWords,
} from "../../../src/wire/answer/refusal.ts";
import { REFUSAL_TEXTS } from "../../../src/wire/answer/refusal-texts.ts";
import { classifyReply, noopAnswer, type Reply } from "../../../src/wire/answer/reply.ts";

function statuses(type: string, ...entries: unknown[]): string {
  return JSON.stringify({ status: "ok", response: { type, data: { statuses: entries } } });
}

function single(type: string, status: unknown): string {
  return JSON.stringify({ status: "ok", response: { type, data: { status } } });
}

function err(text: unknown): string {
  return JSON.stringify({ status: "err", response: text });
}

const CLOID = "0x000300511abd579f000001000000007b";

// One row for each recorded form of an answer.
const ACCEPTED: [what: string, body: string, want: Reply][] = [
  [
    "an order that rests",
    statuses("order", { resting: { oid: 311642020084, cloid: CLOID } }),
    { kind: "accepted", type: "order", statuses: [{ kind: "resting", oid: "311642020084", cloid: CLOID }] },
  ],
  [
    "an order without a client id that fills at once",
    statuses("order", { filled: { totalSz: "0.010", avgPx: "2080.0", oid: 315445859529 } }),
    {
      kind: "accepted",
      type: "order",
      statuses: [
        { kind: "filled", oid: "315445859529", cloid: null, totalSize: "0.01" as never, averagePrice: "2080" as never },
      ],
    },
  ],
  [
    "a parent with two children",
    statuses("order", { resting: { oid: 1 } }, "waitingForFill", "waitingForTrigger"),
    {
      kind: "accepted",
      type: "order",
      statuses: [
        { kind: "resting", oid: "1", cloid: null },
        { kind: "waiting_for_fill" },
        { kind: "waiting_for_trigger" },
      ],
    },
  ],
  [
    "a native id above 2^53, digit by digit",
    '{"status":"ok","response":{"type":"order","data":{"statuses":[{"resting":{"oid":9007199254740993}}]}}}',
    { kind: "accepted", type: "order", statuses: [{ kind: "resting", oid: "9007199254740993", cloid: null }] },
  ],
  [
    "an error beside a success: a batch of which one part was refused",
    statuses("cancel", "success", { error: "Order was never placed, already canceled, or filled. asset=0" }),
    {
      kind: "accepted",
      type: "cancel",
      statuses: [
        { kind: "success" },
        { kind: "error", text: "Order was never placed, already canceled, or filled. asset=0" },
      ],
    },
  ],
  [
    "one error for a whole batch",
    statuses("order", { error: "Order price cannot be more than 95% away from the reference price" }),
    {
      kind: "accepted",
      type: "order",
      statuses: [{ kind: "error", text: "Order price cannot be more than 95% away from the reference price" }],
    },
  ],
  [
    "an action without data",
    '{"status":"ok","response":{"type":"default"}}',
    { kind: "accepted", type: "default", statuses: [] },
  ],
  [
    "a TWAP that runs",
    single("twapOrder", { running: { twapId: 77738308 } }),
    { kind: "accepted", type: "twapOrder", statuses: [{ kind: "running", twapId: "77738308" }] },
  ],
  [
    "a TWAP that was refused",
    single("twapOrder", { error: "Invalid TWAP duration: 1 min(s)" }),
    { kind: "accepted", type: "twapOrder", statuses: [{ kind: "error", text: "Invalid TWAP duration: 1 min(s)" }] },
  ],
  [
    "a TWAP canceled",
    single("twapCancel", "success"),
    { kind: "accepted", type: "twapCancel", statuses: [{ kind: "success" }] },
  ],
  [
    "members that are new to us",
    JSON.stringify({
      status: "ok",
      x: 1,
      response: { type: "order", y: 2, data: { z: 3, statuses: [{ resting: { oid: 1, w: 4 } }] } },
    }),
    { kind: "accepted", type: "order", statuses: [{ kind: "resting", oid: "1", cloid: null }] },
  ],
];

describe("accepted", () => {
  for (const [what, body, want] of ACCEPTED) test(what, () => expect(classifyReply(200, body)).toEqual(want));
});

const REFUSED = [
  "User or API Wallet 0x4b6c5b1287e38b78e61d5dbca726d5e267eda747 does not exist.",
  "L1 error: User or API Wallet 0x4b6c5b1287e38b78e61d5dbca726d5e267eda747 does not exist.",
  "Must deposit before performing actions. User: 0x4b6c5b1287e38b78e61d5dbca726d5e267eda747",
  "Unable to recover signer.",
  "Cannot switch leverage type with open position.",
  "Position does not use isolated margin.",
  "Invalid leverage value",
  "Cannot modify canceled or filled order",
  "Error placing new order during modify: Post only order would have immediately matched, bbo was 2440.1@2440.2",
  "Order price cannot be more than 80% away from the reference price",
  "Too many cumulative requests sent (10100 > 10000) for cumulative volume traded $12066.75. Place taker orders to free up 1 request per USDC traded.",
  "Vault not registered: 0x4b6c5b1287e38b78e61d5dbca726d5e267eda747",
  "Signed action over weight limit of 200.",
  "Action disabled when unified account is active",
  "Builder fee has not been approved.",
  "Insufficient margin to place order. asset=4",
  "Insufficient spot balance asset=10107",
  "Price too far from oracle asset=0",
  "Order must have minimum value of 10 USDC. asset=10000",
  "Order value too large. Max is $5000000.",
  "TWAP order value too small. Min is $1200, which is $10 per minute.",
];

describe("refused for good", () => {
  for (const text of REFUSED) {
    test(text, () => expect(classifyReply(200, err(text))).toEqual({ kind: "refused", text, bug: false }));
  }

  const unread: [number, string][] = [
    [400, "Failed to parse the request body as JSON"],
    [415, "Expected request with `Content-Type: application/json`"],
    [422, "Failed to deserialize the JSON body into the target type"],
  ];
  for (const [status, text] of unread) {
    test(`${status} with its very text, which is a bug of ours`, () => {
      expect(classifyReply(status, text)).toEqual({ kind: "refused", text, bug: true });
    });
  }
});

const HTML = "<html><head><title>502 Bad Gateway</title></head></html>";
const AMBIGUOUS: [what: string, status: number, body: string, reason: string][] = [
  ["a nonce seen before", 200, err("Invalid nonce: duplicate nonce 1700000000000"), "nonce"],
  ["a nonce below the floor", 200, err("Invalid nonce: nonce too low 1 < 2"), "nonce"],
  ["a nonce too high", 200, err("Invalid nonce: nonce too high 2 > 1"), "nonce"],
  ["a nonce that does not match", 200, err("Nonce mismatch."), "nonce"],
  ["an expired action, of which another copy may have been executed", 200, err("Action already expired"), "expired"],
  ["a text that is not listed", 200, err("Something new"), "unlisted_text"],
  ["a listed text with something after it", 200, err("Invalid leverage value and more"), "unlisted_text"],
  ["a listed text with something before it", 200, err("order 0: Invalid leverage value"), "unlisted_text"],
  ["an empty text", 200, err(""), "unlisted_text"],
  ["a text that is no text", 200, err({ a: 1 }), "unreadable"],
  ["null", 200, "null", "unreadable"],
  ["nothing", 200, "", "unreadable"],
  ["a page with status 200", 200, HTML, "unreadable"],
  ["a body cut off", 200, '{"status":"ok","response":{"type":"order","data":{"statuses":[{"resti', "unreadable"],
  ["a body cut off and spliced", 200, '{"sta{"status":"ok","response":{"type":"default"}}', "unreadable"],
  ["no statuses", 200, statuses("order"), "unreadable"],
  ["an entry of another form", 200, statuses("order", { queued: { oid: 1 } }), "unreadable"],
  ["a word of another form", 200, statuses("order", "waitingForGodot"), "unreadable"],
  ["an id that is no id", 200, statuses("order", { resting: { oid: 1.5 } }), "unreadable"],
  ["the id 0 of an order that rests", 200, statuses("order", { resting: { oid: 0, cloid: CLOID } }), "unreadable"],
  [
    "the id 0 beside a good one",
    200,
    statuses("order", { resting: { oid: 1 } }, { resting: { oid: 0 } }),
    "unreadable",
  ],
  [
    "the id 0 of an order that was filled",
    200,
    statuses("order", { filled: { oid: 0, totalSz: "1", avgPx: "2" } }),
    "unreadable",
  ],
  ["the id 0 of a TWAP", 200, single("twapOrder", { running: { twapId: 0 } }), "unreadable"],
  [
    "an id in scientific notation",
    200,
    '{"status":"ok","response":{"type":"order","data":{"statuses":[{"resting":{"oid":1e30}}]}}}',
    "unreadable",
  ],
  ["an unknown type", 200, statuses("somethingElse", "success"), "unreadable"],
  ["an unknown status", 200, '{"status":"maybe","response":{"type":"default"}}', "unreadable"],
  ["a body over a mebibyte", 200, `${statuses("cancel", "success")}${" ".repeat(1_048_576)}`, "unreadable"],
  ["429 with null, which proves nothing", 429, "null", "rate_limited"],
  ["500 with null", 500, "null", "server_error"],
  ["502 with a page", 502, HTML, "server_error"],
  ["504 with a body that looks like success", 504, '{"status":"ok","response":{"type":"default"}}', "server_error"],
  ["422 with another text", 422, "Failed to deserialize something else", "schema_unlisted"],
  ["422 with a page", 422, HTML, "schema_unlisted"],
  ["400 with the text of 422", 400, "Failed to deserialize the JSON body into the target type", "schema_unlisted"],
  ["403 of a firewall", 403, HTML, "unexpected_status"],
  ["a redirect", 302, "", "unexpected_status"],
  ["201", 201, '{"status":"ok","response":{"type":"default"}}', "unexpected_status"],
];

describe("proves nothing", () => {
  for (const [what, status, body, reason] of AMBIGUOUS) {
    test(what, () => expect(classifyReply(status, body)).toMatchObject({ kind: "ambiguous", reason }));
  }

  test("anything that is mutated out of a true answer", () => {
    const bodies = [...ACCEPTED.map(([, body]) => body), ...REFUSED.map(err)];
    fc.assert(
      fc.property(fc.constantFrom(...bodies), fc.nat(), fc.string({ maxLength: 3 }), (body, at, insert) => {
        const position = at % body.length;
        // No mutation may throw; what it becomes is checked by the tables.
        const reply = classifyReply(200, `${body.slice(0, position)}${insert}${body.slice(position + 1)}`);
        expect(["accepted", "refused", "ambiguous"]).toContain(reply.kind);
        expect(classifyReply(200, body.slice(0, position))).toMatchObject({ kind: "ambiguous" });
      }),
      { numRuns: 2000 },
    );
  });

  test("any body under any status but 200 unless it is one of the three texts", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 599 }).filter((status) => status !== 200),
        fc.string(),
        (status, body) => {
          expect(classifyReply(status, body).kind).toBe("ambiguous");
        },
      ),
    );
  });
});

test("the text that is kept is short and free of control characters", () => {
  const reply = classifyReply(200, err(`bad\u001b[31m\n${"x".repeat(5000)}`));
  if (reply.kind !== "ambiguous" || reply.text === null) throw new Error("not ambiguous");
  expect(reply.text.length).toBeLessThanOrEqual(400);
  expect(reply.text).not.toMatch(/\p{Cc}/u);
});

test("the answer to a noop says whose nonce it was", () => {
  const table: [string, "ok" | "duplicate" | "too_low" | "no_information"][] = [
    ['{"status":"ok","response":{"type":"default"}}', "ok"],
    [err("Invalid nonce: duplicate nonce 5"), "duplicate"],
    [err("Invalid nonce: duplicate nonce"), "duplicate"],
    [err("Invalid nonce: nonce too low 5 < 9"), "too_low"],
    [err("Invalid nonce: duplicate nonce 55"), "no_information"],
    [err("Invalid nonce: nonce too low 4 < 5"), "no_information"],
    [err("Invalid nonce: nonce too high 9 > 5"), "no_information"],
    [err("Action already expired"), "no_information"],
    [err("User or API Wallet 0x4b6c does not exist."), "no_information"],
    [err("Something new about a duplicate nonce"), "no_information"],
    [statuses("order", { resting: { oid: 1 } }), "no_information"],
    ["null", "no_information"],
  ];
  for (const [body, want] of table) expect(noopAnswer(classifyReply(200, body), 5)).toBe(want);
});

describe("the list of refusals", () => {
  const example = (text: string) =>
    text
      .replace("{dollars}", "$1000000")
      .replaceAll("{dollars}", "$12066.75")
      .replaceAll("{number}", "200")
      .replaceAll("{address}", `0x${"aB".repeat(20)}`)
      .replaceAll("{name}", "USDC")
      .replaceAll("{rest}", "1@2");

  for (const [text] of REFUSAL_TEXTS) {
    test(text, () => {
      const said = example(text);
      const bare = said.replace(/\.$/, "");
      for (const form of [said, bare, `${bare}.`, `${bare} asset=10107`, `${bare}. asset=3`, `L1 error: ${said}`]) {
        expect(isListedRefusal(form)).toBe(true);
      }
      expect(isListedRefusal(`${bare} except sometimes`)).toBe(text.endsWith("{rest}"));
      expect(isListedRefusal(`Not true: ${said}`)).toBe(false);
      expect(plainWords(said).endsWith(`The exchange says: "${said}"`)).toBe(true);
      expect(plainWords(said).startsWith("The exchange says")).toBe(false);
    });
  }

  test("holds nothing about nonces and expiry", () => {
    const never = [
      "Invalid nonce: duplicate nonce 1",
      "Invalid nonce: nonce too low 1 < 2",
      "Nonce mismatch.",
      "Action already expired",
    ];
    for (const text of never) expect(isListedRefusal(text)).toBe(false);
  });

  test("does not take over-long texts", () => {
    expect(isListedRefusal(`Error placing new order during modify: ${"x".repeat(200)}`)).toBe(true);
    expect(isListedRefusal(`Error placing new order during modify: ${"x".repeat(2000)}`)).toBe(false);
  });
});

test("an unlisted text is shown as it is, cut and without control characters", () => {
  expect(plainWords("Brand new")).toBe('The exchange says: "Brand new"');
  expect(plainWords(`a\u001b[2Jb${"x".repeat(1000)}`)).toMatch(/^The exchange says: "a \[2Jbx{394}…"$/);
});

test("texts that ask for more than an answer are told apart", () => {
  expect(isOutOfActions("Too many cumulative requests sent (2 > 1) for cumulative volume traded $1.")).toBe(true);
  expect(isOutOfActions("Too many open orders")).toBe(false);
  expect(isAgentRefused("User or API Wallet 0xab does not exist.")).toBe(true);
  expect(isAgentRefused("Must deposit before performing actions. User: 0xab")).toBe(true);
  expect(isAgentRefused("Insufficient margin to place order.")).toBe(false);
  expect(isBuilderRefused("Builder fee has not been approved.")).toBe(true);
  expect(isBuilderRefused("Builder has insufficient balance to be approved.")).toBe(false);
});

test.each([
  ["of a proxy's page nothing", 502, HTML, null],
  ["of a page with status 200 nothing", 200, ` ${HTML}`, null],
  ["the exchange's own words, whatever they look like,", 200, err("<img src=x>"), "<img src=x>"],
])("%s is quoted", (_what, status, body, text) => {
  expect(classifyReply(status, body)).toMatchObject({ kind: "ambiguous", text });
});
