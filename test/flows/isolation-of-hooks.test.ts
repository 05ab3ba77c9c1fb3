import { beforeAll, expect, test } from "bun:test";
import { FIRST, openPaperRig, type PaperRig, SECOND } from "../support/paper-rig.ts";
import { ASKED_ELSEWHERE } from "./account-files.ts";
import { addHook } from "./account-hooks.ts";

let rig: PaperRig;

beforeAll(async () => {
  rig = await openPaperRig();
});

test("hooks of the other account are not listed, and their alerts are nobody else's", async () => {
  const parties = [FIRST, SECOND];
  const hooks = parties.map((party) => ({ party, ...addHook(rig.store, party, rig.clock.nowMs()) }));
  const [list, alerts] = ASKED_ELSEWHERE;
  for (const party of parties) {
    const { text } = await rig.answer(party, { route: String(list), apiKey: 0 });
    for (const { id, party: owner } of hooks) expect(text.includes(id)).toBe(owner === party);
    for (const { id, alert, party: owner } of hooks) {
      const shown = await rig.answer(party, { route: String(alerts).replace("{id}", id), apiKey: 0 });
      if (owner === party) expect(shown).toMatchObject({ status: 200, body: { data: [{ body: alert }] } });
      else expect(shown).toMatchObject({ status: 404, body: { error: { code: "hook_not_found" } } });
    }
  }
});
