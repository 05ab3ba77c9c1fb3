import { expect, test } from "bun:test";
import { type NamedAgent, noticeOf } from "../../src/core/agent-slots.ts";

const OURS = "0x00000000000000000000000000000000000000aa";
const BEFORE = "0x00000000000000000000000000000000000000ab";
const FOREIGN = "0x00000000000000000000000000000000000000ff";
const OWN = [OURS, BEFORE];
const WANTED = { name: "postern-k7q2m-1", address: OURS };

function named(name: string, address = FOREIGN): NamedAgent {
  return { name, address, validUntilMs: null };
}

const THREE = [named("a"), named("b"), named("c")];

test.each<
  [what: string, listed: NamedAgent[] | null, subAccounts: number | null, says: string | null, isWarning: boolean]
>([
  ["no agent at all", [], null, null, false],
  ["others beside whom there is room", [named("mobile"), named("postern-1")], null, null, false],
  ["the very agent, approved already", [named(WANTED.name, OURS)], null, null, false],
  ["the same among three", [...THREE.slice(1), named(WANTED.name, OURS)], 0, null, false],
  ["our own key before under this name", [named(WANTED.name, BEFORE)], null, `forgets ${BEFORE}`, false],
  ["a stranger's under this name", [named(WANTED.name)], null, `${FOREIGN}, which is not of this gateway`, true],
  [
    "the same among three others",
    [named("a"), named("b"), named(WANTED.name)],
    0,
    "whatever trades with it stops",
    true,
  ],
  ["three others", THREE, 0, "All 3 places for named agents are taken (a, b, c): the exchange refuses", true],
  ["three others, sub-accounts unknown", THREE, null, "the exchange may refuse another", true],
  ["three others and a sub-account", THREE, 1, null, false],
  ["five others and a sub-account", [...THREE, named("d"), named("e")], 1, "All 5 places", true],
  ["an exchange that cannot be asked", null, null, "could not be asked", true],
])("%s", (_what, listed, ...rest) => {
  const [subAccounts, says, isWarning] = rest;
  const notice = noticeOf({ listed, subAccounts }, WANTED, OWN);
  if (says === null) expect(notice).toBeNull();
  else expect(notice).toMatchObject({ isWarning, words: expect.stringContaining(says) });
});

test("a key that is not made yet takes over whatever has its name", () => {
  const slots = { listed: [named(WANTED.name)], subAccounts: null };
  expect(noticeOf(slots, { ...WANTED, address: null }, OWN)).toMatchObject({ isWarning: true });
});
