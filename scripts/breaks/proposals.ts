/** S65: whose word it takes before an order of an agent that may only propose is placed. */
import { type Break, inFile } from "./break.ts";

const PROPOSALS = "test/http/proposals.test.ts";
const DECIDE = "src/actions/proposals/decide-proposal.ts";
const CORE = "src/core/proposal.ts";
const GATE = "src/write/gate.ts";

function broken(name: string, changes: Break["changes"], title: string): Break {
  return { row: "S65", name, changes, seenBy: { test: PROPOSALS, title } };
}

export const PROPOSAL_BREAKS: readonly Break[] = [
  broken(
    "what was approved is another order each time that it is placed",
    inFile(
      "src/actions/proposals/place-proposal.ts",
      "const name = keyOfProposal(proposal);",
      "const name = `${keyOfProposal(proposal)}-${Math.random()}`;",
    ),
    "over a death %s",
  ),
  broken(
    "a person is asked about what no approval can place",
    inFile("src/actions/proposals/place-proposal.ts", "if (rail !== null) return", "if (rail === undefined) return"),
    "nobody is asked about %s, which no approval could have placed",
  ),
  broken(
    "who may propose may place",
    inFile(
      GATE,
      'if (isApproved !== true || !rails.may.includes("propose"))',
      'if (isApproved === undefined && !rails.may.includes("propose"))',
    ),
    "a key that may only propose places nothing by itself, by whatever door",
  ),
  broken(
    "an approval stands in for the rails",
    inFile(
      GATE,
      'return { ...rails, may: [...rails.may, "increase", "reduce"] };',
      'return { ...rails, maxOrder: null, may: [...rails.may, "increase", "reduce"] };',
    ),
    "and judged by the rails of then: what is beyond them is refused, nothing is sent",
  ),
  broken(
    "an approval holds for ever",
    [
      ...inFile(
        CORE,
        "return isWithin(decidedAtMs ?? proposedAtMs, PROPOSAL_LIFE_MS, nowMs);",
        "return decidedAtMs !== null || isWithin(proposedAtMs, PROPOSAL_LIFE_MS, nowMs);",
      ),
      ...inFile(CORE, "+ PROPOSAL_LIFE_MS - 1;", "+ PROPOSAL_LIFE_MS * 99;"),
    ],
    "not long after: a minute on it places nothing",
  ),
  broken(
    "silence may become an approval",
    inFile(
      CORE,
      "return isWithin(askedAtMs, APPROVAL_LIFE_MS, nowMs)",
      "return isWithin(askedAtMs, APPROVAL_LIFE_MS * 99, nowMs)",
    ),
    "who says nothing has refused: ten minutes on nobody can approve it",
  ),
  broken(
    "what was refused may be approved",
    inFile(DECIDE, 'if (status !== "waiting") {', 'if (status !== "waiting" && status !== "refused") {'),
    "what was refused is never placed",
  ),
  broken(
    "any key that writes approves",
    inFile(DECIDE, '?.may.includes("approve") !== true) {', '?.may.includes("approve") === false) {'),
    "a key without rails",
  ),
  broken(
    "any signature approves",
    inFile(DECIDE, "if (signer === account.ownerAddress && isOwn)", 'if (signer !== "" && isOwn)'),
    "an owner's signature of another order or word is none of this",
  ),
  broken(
    "an approval is believed of the row",
    inFile(
      "src/store/proposals.ts",
      'if (findSealed(store, "proposal", row.id) === contentOf(proposal))',
      'if (findSealed(store, "proposal", row.id) !== "")',
    ),
    "who writes into the database: what was approved here is believed, and nothing that was planted",
  ),
  broken(
    "a key may trade and approve",
    inFile("src/core/rails/grammar.ts", "|| named.length === 1", "|| named.length > 0"),
    "who approves does nothing else: no grant names another verb beside it",
  ),
  broken(
    "any number may wait",
    inFile("src/actions/proposals/place-proposal.ts", "const MAX_WAITING = 20;", "const MAX_WAITING = 20_000;"),
    "at most twenty of a bot wait at one time",
  ),
];
