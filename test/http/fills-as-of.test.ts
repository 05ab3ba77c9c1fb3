/** Up to when a list of fills says that it is complete: no later than any server would have shown a fill by. */
import { expect, test } from "bun:test";
import { setFillCursor } from "../../src/store/fills.ts";
import { ACCOUNTS, KEYS, openRig, type Rig, START_MS } from "./rig.ts";

/** No server of the exchange is further behind, and our idea of its time no further off, milliseconds. */
const SHOWN_WITHIN_MS = 160_000;

async function asOf(rig: Rig): Promise<string | null> {
  return (await rig.ask({ path: "/v1/fills", apiKey: KEYS.both })).headers.get("x-data-as-of");
}

test("of a page that was read to its end just now, what is newer than servers may be behind is not said to be known", async () => {
  const rig = openRig();
  expect(await asOf(rig)).toBe(new Date(START_MS - SHOWN_WITHIN_MS).toISOString());
});

test("a newer fill in that page says that all before it are there", async () => {
  const rig = openRig();
  setFillCursor(rig.deps.store, ACCOUNTS.main, START_MS - 4_000);
  expect(await asOf(rig)).toBe(new Date(START_MS - 4_000).toISOString());
});
