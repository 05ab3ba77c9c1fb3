/** What speaks against telling that a stop has nothing left to close. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { Stop } from "../../src/core/stop.ts";
import { listContradicted } from "../../src/settle/stop/still-held.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { indexFill } from "../http/flatten-rig.ts";
import { BOT, fillAt, limitedRig, MARK, place } from "../http/rails-rig.ts";
import { ACCOUNTS } from "../http/rig.ts";

test("a market that fills and answers both say is held is named once", async () => {
  const rig = await limitedRig({});
  fillAt(rig, MARK);
  for (let nth = 0; nth < 2; nth += 1) expect((await place(rig, {})).status).toBe(201);
  // Of the first of the two orders alone.
  const fill = { market: "BTC", oid: "9001", size: decimal("0.001"), price: decimal(MARK) };
  indexFill(rig, { timeMs: rig.clock.nowMs(), ...fill });
  const stop: Stop = {
    id: "a-stop",
    accountId: ACCOUNTS.main,
    scope: "bot",
    keyHash: keyHash(BOT),
    cause: "asked",
    keepsProtection: true,
    upTo: 0,
    createdAtMs: 0,
    outsideAtMs: null,
    stoppedAtMs: null,
    resumedAtMs: null,
  };
  expect(listContradicted(rig.deps, stop, { held: new Map(), seen: { sinceMs: null } })).toEqual(["BTC"]);
});
