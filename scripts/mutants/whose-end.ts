import { type Mutant, one } from "./mutant.ts";

const EVIDENCE = "src/core/modify-evidence.ts";
const ORIGINAL = "src/settle/modify/original.ts";
const WHOSE_END = "src/settle/modify/whose-end.ts";

/** Bugs of one line in whose end an original had, and in what bears that out. */
export const WHOSE: readonly Mutant[] = [
  one(
    "what one store tells of an original's end is its own end",
    ORIGINAL,
    'gone === "yes" && shown.kind === "order" ? weighOwnEnd',
    'gone === "no" && shown.kind === "order" ? weighOwnEnd',
  ),
  one(
    "a modify placed nothing where one record says that its original was over",
    ORIGINAL,
    'return (await weighOwnEnd(tools, question, { from: "record", shown: answer })) === "yes";',
    "return question !== null;",
  ),
  one(
    "what one store had told of whose end it was is forgotten with its record",
    ORIGINAL,
    "return weighKeptWord(tools, question) ?? gone;",
    "return gone;",
  ),
  one(
    "of an original without a record its feed tells nothing",
    ORIGINAL,
    "return { answer: toldEnd(tools.world, sought) ?? answer,",
    "return { answer,",
  ),
  one(
    "the silence of the others bears out whose end it was, however soon",
    EVIDENCE,
    "own === words.length && sinceSignedMs >= SHOWN_WITHIN_MS",
    "own === words.length",
  ),
  one(
    "whose end it was is told by one store against another, once it is late enough",
    EVIDENCE,
    "return own === words.length &&",
    "return own > 0 &&",
  ),
  one(
    "an end in the block of the placing is outweighed by another word",
    EVIDENCE,
    '  if (words.includes("no")) return "no";\n',
    "",
  ),
  one("the history says nothing of whose end it was", WHOSE_END, 'record: ["feed", "history"],', 'record: ["feed"],'),
  one("a feed says nothing of whose end it was", WHOSE_END, 'record: ["feed", "history"],', 'record: ["history"],'),
  one("a history that cannot be read is silent", WHOSE_END, '    if (shown === "unread") sinceSignedMs = 0;\n', ""),
  {
    name: "what a modify was to place is asked for before its original",
    changes: [
      {
        file: ORIGINAL,
        find: "    ...(told === null ? [statusRequest(sought)] : []),\n    ...(isPlacingAsked ? [statusRequest(placing)] : []),\n",
        put: "    ...(isPlacingAsked ? [statusRequest(placing)] : []),\n    ...(told === null ? [statusRequest(sought)] : []),\n",
      },
      { file: ORIGINAL, find: "pursuit }, outcome.json.at(-1)) : null;", put: "pursuit }, outcome.json[0]) : null;" },
      { file: ORIGINAL, find: "parseOrderStatus(outcome.json[0])", put: "parseOrderStatus(outcome.json.at(-1))" },
    ],
  },
  one(
    "when a modify placed in any case is forgotten with its record",
    WHOSE_END,
    "inTransaction(store, () => appendNote(store, kept));",
    "",
  ),
];
