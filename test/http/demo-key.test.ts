/** A further key of the demo: signed by the owner whose key the gateway holds, and nowhere else by anybody but a wallet. */
import { expect, test } from "bun:test";
import type { DemoOwner } from "../../src/deps.ts";
import { signDigest } from "../../src/vault/signers.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { fromHex } from "../../src/wire/hex.ts";
import { BOT, OWNERS_KEY, refusalOf, register, textOf } from "./rails-rig.ts";
import { KEYS, openRig, type Rig, rowCounts } from "./rig.ts";

const MADE = `api_trade_${"7c".repeat(32)}`;

/** As `serve --paper` hands it in. */
function ownerOf(privateKey: string): DemoOwner {
  return {
    sign(digest) {
      const { r, s, v } = signDigest(digest, fromHex(privateKey) ?? new Uint8Array());
      return `0x${r.slice(2).padStart(64, "0")}${s.slice(2).padStart(64, "0")}${v.toString(16)}`;
    },
  };
}

function demo(): Rig {
  const rig = openRig();
  Object.assign(rig.deps, { demoOwner: ownerOf(OWNERS_KEY) });
  return rig;
}

function make(rig: Rig, apiKey: string = KEYS.both, made: string = MADE): Promise<Response> {
  return rig.ask({ path: "/v1/api-keys/demo", apiKey, body: { key_hash: keyHash(made) } });
}

test("a key without rails makes another at once, and that reads and writes", async () => {
  const rig = demo();
  expect(await refusalOf(await rig.ask({ path: "/v1/whoami", apiKey: MADE }))).toStartWith("401");
  expect((await make(rig)).status).toBe(201);
  const shown = await (await rig.ask({ path: "/v1/whoami", apiKey: MADE })).json();
  expect(shown).toMatchObject({ scopes: ["trading:read", "trading:write"], limits: null });
  await rig.clock.advance(1_000);
  const before = rowCounts(rig);
  expect(await refusalOf(await make(rig))).toBe("201");
  expect(rowCounts(rig)).toEqual(before);
});

test("it is a key of the account of whoever asks, and of no other", async () => {
  const rig = demo();
  const others = [KEYS.other, KEYS.both].map(async (apiKey) => {
    const { account } = (await (await rig.ask({ path: "/v1/whoami", apiKey })).json()) as { account: object };
    return account;
  });
  const [other, own] = await Promise.all(others);
  expect(await refusalOf(await make(rig))).toBe("201");
  const shown = (await (await rig.ask({ path: "/v1/whoami", apiKey: MADE })).json()) as { account: object };
  expect(shown.account).toEqual(own ?? {});
  expect(shown.account).not.toEqual(other ?? {});
});

test.each([
  ["where the owner has a wallet", openRig, KEYS.both, "403 demo_required"],
  ["by a key that only reads", demo, KEYS.readOnly, "403 insufficient_scope"],
  ["by nobody's key", demo, `api_trade_${"0b".repeat(32)}`, "401"],
] as const)("%s nothing is made", async (_what, open, apiKey, why) => {
  const rig = open();
  const before = rowCounts(rig);
  expect(await refusalOf(await make(rig, apiKey))).toStartWith(why);
  expect(rowCounts(rig)).toEqual(before);
});

test("a key with rails makes none", async () => {
  const rig = demo();
  expect((await register(rig, textOf(rig))).status).toBe(201);
  expect(await refusalOf(await make(rig, BOT))).toStartWith("403 rail_refused");
  expect(await refusalOf(await rig.ask({ path: "/v1/whoami", apiKey: MADE }))).toStartWith("401");
});

test("where rails are required it is refused as any plain key", async () => {
  const rig = demo();
  Object.assign(rig.deps.settings, { areRailsRequired: true });
  expect(await refusalOf(await make(rig))).toStartWith("403 rails_required");
});
