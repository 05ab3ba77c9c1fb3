/** P22 to P26: what the clients that users take along promise, and what is handed to agents. */
import { type Break, inFile } from "./break.ts";

const TYPESCRIPT = "clients/typescript/postern.ts";
const PYTHON = "clients/python/postern.py";
const SCENES = "test/clients/typescript.test.ts";
const OF_A_WRITE = { test: SCENES, title: "a write: %s" };
const OF_A_FOLLOWER = { test: SCENES, title: "a follower: %s" };
const OF_ROUNDING = {
  test: "test/clients/rounding.test.ts",
  title: "what is rounded is what the exchange takes, on the side that was named, and as near as core/market comes",
};
const OF_PYTHON = { stage: ["bun", "scripts/client-scenes.ts"] };

export const CLIENT_BREAKS: readonly Break[] = [
  {
    row: "P22",
    name: "a retry has a new key",
    changes: inFile(
      TYPESCRIPT,
      "const answer = await this.#send(asked, key);",
      "const answer = await this.#send(asked, key === null || tries === 0 ? key : this.newKey());",
    ),
    seenBy: OF_A_WRITE,
  },
  {
    row: "P22",
    name: "a key of the caller's own is not used",
    changes: inFile(
      TYPESCRIPT,
      'return this.#ask({ method: "POST", path, body }, key, look);',
      'return this.#ask({ method: "POST", path, body }, key === path ? key : this.newKey(), look);',
    ),
    seenBy: OF_A_WRITE,
  },
  {
    row: "P22",
    name: "what may have happened is told as if nothing had been sent",
    changes: inFile(TYPESCRIPT, 'if (key !== null) about = { ...about, outcome: "unknown" };', ""),
    seenBy: OF_A_WRITE,
  },
  {
    row: "P22",
    name: "a retry has a new key, in Python",
    changes: inFile(
      PYTHON,
      "answer = self._send(method, path, body, key)",
      "answer = self._send(method, path, body, key and self.new_key())",
    ),
    seenBy: OF_PYTHON,
  },
  {
    row: "P23",
    name: "an unknown order is told as it is and not asked after",
    changes: inFile(TYPESCRIPT, "asked === first ? answer.status !== 202 : false", "asked === first"),
    seenBy: OF_A_WRITE,
  },
  {
    row: "P23",
    name: "a cancel that is not proven counts as done while the order is open",
    changes: inFile(
      TYPESCRIPT,
      "isSettled: ({ status }) => OVER.includes(status) };",
      "isSettled: ORDER_KNOWN.isSettled };",
    ),
    seenBy: OF_A_WRITE,
  },
  {
    row: "P23",
    name: "an unknown order is told as it is and not asked after, in Python",
    changes: inFile(PYTHON, "not is_looking and status != 202", "not is_looking"),
    seenBy: OF_PYTHON,
  },
  {
    row: "P24",
    name: "a price is rounded to the nearest",
    changes: inFile(
      TYPESCRIPT,
      'const units = direction === "up" && places.length > decimals ? cut + 1n : cut;',
      'const units = (places[decimals] ?? "0") >= "5" ? cut + 1n : cut;',
    ),
    seenBy: OF_ROUNDING,
  },
  {
    row: "P24",
    name: "what rounds to zero is zero",
    changes: inFile(TYPESCRIPT, "if (units > 0n) return textOf", "if (units >= 0n) return textOf"),
    seenBy: { test: OF_ROUNDING.test, title: "a float is none either, and zero rounds to nothing" },
  },
  {
    row: "P24",
    name: "leading zeros after the point count as figures",
    changes: inFile(TYPESCRIPT, 'whole === "" ? -places.search(/[1-9]|$/) : whole.length', "whole.length"),
    seenBy: { test: OF_ROUNDING.test, title: "the client makes of each golden row what core/market does" },
  },
  {
    row: "P24",
    name: "a float is sent as a price",
    changes: inFile(TYPESCRIPT, "    refuseNumbers(body);\n", "    if (key === path) refuseNumbers(body);\n"),
    seenBy: OF_A_WRITE,
  },
  {
    row: "P24",
    name: "a price is rounded to the nearest, in Python",
    changes: inFile(PYTHON, 'if direction == "up" and len(places) > decimals:', 'if places[decimals:] >= "5":'),
    seenBy: OF_PYTHON,
  },
  {
    row: "P25",
    name: "who comes back begins anew",
    changes: inFile(TYPESCRIPT, "          place = event.id;\n", ""),
    seenBy: OF_A_FOLLOWER,
  },
  {
    row: "P25",
    name: "a reset is taken for a beginning like any other",
    changes: inFile(TYPESCRIPT, 'isStateOwed ||= event.type === "reset";', 'isStateOwed ||= event.type === "";'),
    seenBy: OF_A_FOLLOWER,
  },
  {
    row: "P25",
    name: "a state that could not be read is forgotten",
    changes: inFile(
      TYPESCRIPT,
      "            yield await this.#state(place);\n            isStateOwed = false;\n",
      "            isStateOwed = false;\n            yield await this.#state(place);\n",
    ),
    seenBy: OF_A_FOLLOWER,
  },
  {
    row: "P25",
    name: "an event that was cut off counts as told",
    changes: inFile(
      TYPESCRIPT,
      'const blocks = (text + piece).replaceAll("\\r\\n", "\\n").split("\\n\\n");\n    text = blocks.pop() ?? "";',
      'const blocks = (text + piece).replaceAll("\\r\\n", "\\n").split("\\n\\n");\n    text = blocks.at(-1) ?? "";',
    ),
    seenBy: OF_A_FOLLOWER,
  },
  {
    row: "P25",
    name: "who comes back begins anew, in Python",
    changes: inFile(
      PYTHON,
      '                    place = event["id"]\n',
      '                    place = after or event["id"]\n',
    ),
    seenBy: OF_PYTHON,
  },
  {
    row: "P26",
    name: "agents are sent to a route that is not there",
    changes: inFile("skills/postern/SKILL.md", "`POST /v1/positions/close`", "`POST /v1/positions/flatten`"),
    seenBy: { test: "test/http/handouts.test.ts", title: "names only routes that answer, in %s" },
  },
  {
    row: "P26",
    name: "a file that is handed out is not linked",
    changes: inFile("src/http/handouts.ts", "handout.kind === kind", 'handout.kind === kind && kind === "guide"'),
    seenBy: {
      test: "test/http/handouts.test.ts",
      title: "links to the description, the page, the tools and every file that is handed out, and each is there",
    },
  },
];
