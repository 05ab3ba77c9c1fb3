/** S64: what the tools of an agent may do, and what they show it. */
import { type Break, inFile } from "./break.ts";

const MCP = "test/http/mcp.test.ts";
const ROUTE = "src/http/mcp/route.ts";
const PLACE = "src/actions/proposals/place-proposal.ts";

function broken(name: string, changes: Break["changes"], title: string): Break {
  return { row: "S64", name, changes, seenBy: { test: MCP, title } };
}

export const MCP_BREAKS: readonly Break[] = [
  broken(
    "a cancel whose answer is lost is told as done",
    inFile("src/http/mcp/call-tool.ts", "return status === 200\n", "return status < 300\n"),
    "whose answer is lost is not told as done",
  ),
  broken(
    "an intent that is placed again is another order",
    inFile(
      PLACE,
      "keyOfBot(bot, name), fingerprint: print }",
      "keyOfBot(bot, name + crypto.randomUUID()), fingerprint: print }",
    ),
    "is one order however often it is placed, at the same moment and after a restart",
  ),
  broken(
    "the same that is proposed again is another intent",
    inFile("src/actions/proposals/propose-order.ts", "isAnother ? null :", "isAnother || nowMs > 0 ? null :"),
    "is the same for an equal proposal within its minute, and another where again is said",
  ),
  broken(
    "what was proposed long ago is placed",
    [
      ...inFile(
        PLACE,
        "if (!isLive(proposal, deps.clock.nowMs())) return findEarlier",
        'if (proposal.id === "") return findEarlier',
      ),
      ...inFile(PLACE, "untilMs: placedUntilMs(proposal),", "untilMs: placedUntilMs(proposal) + 1e12,"),
    ],
    "that was never placed is not placed %s",
  ),
  broken(
    "a bot places what another has proposed",
    inFile(PLACE, "return isOwn ? proposal : null;", 'return isOwn || proposal.id !== "" ? proposal : null;'),
    "of another bot is none, and neither is what is no intent",
  ),
  broken(
    "what a tool places is taken for a request of the bot's own",
    inFile(PLACE, "{ ...caller, unattended }", "{ ...caller, ...(unattended.untilMs < 0 ? { unattended } : {}) }"),
    "nothing is added in a market while an order there is unknown; a request of its own is held to none of it",
  ),
  broken(
    "sentences of others are shown",
    inFile(
      "src/http/mcp/plain.ts",
      "return isPlain(value) ? value : NOT_SHOWN;",
      'return isPlain(value) || value !== "" ? value : NOT_SHOWN;',
    ),
    "a sentence that others wrote is not shown, and a refusal is its code",
  ),
  broken(
    "what looks like a rail is shown, whatever it says",
    inFile("src/core/rails/grammar.ts", "return FORMS[member].parse(text) !== undefined;", "return text !== member;"),
    "what a bot is held to is told as its owner has signed it, and nothing else that looks like it",
  ),
  broken(
    "the same in other letters is another intent",
    inFile(
      "src/actions/proposals/propose-order.ts",
      "    size: decimal(size),\n    price: decimal(price),\n",
      "    size,\n    price,\n",
    ),
    "is the same in whatever letters it is proposed: %j",
  ),
  broken(
    "a market that there is not is put before a person",
    inFile(
      "src/actions/proposals/propose-order.ts",
      "const market = await requireMarket(deps, asked.market, false);",
      "const market = await requireMarket(deps, asked.market, false).catch(() => ({ ...[...(deps.markets.current()?.byName.values() ?? [])][0], name: asked.market }) as Market);",
    ),
    "is none for %s, and nobody is asked about it",
  ),
  broken(
    "what its market takes not is put before a person",
    inFile(
      "src/actions/proposals/propose-order.ts",
      "if (fault !== null) return { proposal: null, fault };",
      'if (fault === "") return { proposal: null, fault };',
    ),
    "is none for %s, and nobody is asked about it",
  ),
  broken(
    "a model may name the Idempotency-Key",
    inFile("src/http/mcp/proposed-terms.ts", "if (strange !== undefined) return", 'if (strange === "") return'),
    "a proposal whose %s does not fit is no intent",
  ),
  broken(
    "what is named may be a path",
    inFile(
      "src/http/mcp/call-tool.ts",
      "return UUID.test(order) ? `/v1/orders/${order}` : null;",
      "return `/v1/orders/${order}`;",
    ),
    "what %s is given is a name and no path",
  ),
  broken(
    "a tool ends a stop",
    inFile(
      "src/http/mcp/tools.ts",
      'writing("cancel", "Cancels an order."',
      'writing("resume", "Ends a stop.", {}), writing("cancel", "Cancels an order."',
    ),
    "stop is a tool; what could loosen anything is none, and there are at most 14",
  ),
  broken(
    "a key that only reads is shown what writes",
    inFile("src/http/mcp/tools.ts", 'scopes.includes("trading:write") && scopes', "scopes"),
    "to a key that only reads no tool is listed that writes, and none is called",
  ),
  broken(
    "pages of other sites are answered",
    inFile(
      "src/http/guard.ts",
      "if (origin !== null && origin !== `http://${host}`",
      'if (origin === "" && origin !== `http://${host}`',
    ),
    "refuses %s",
  ),
  broken(
    "many messages count as one",
    inFile(
      ROUTE,
      "if (!Array.isArray(body)) return body;",
      "if (!Array.isArray(body) || body.length < 99) return body;",
    ),
    "refuses %s",
  ),
  broken(
    "a key without rails is taken where money is real",
    inFile(
      "src/actions/proposals/require-tool-key.ts",
      "if (isLimited || settings",
      'if (isLimited || key.keyHash !== "" || settings',
    ),
    "takes keys with rails alone where money is real, unless the operator says otherwise",
  ),
  broken(
    "messages draw on no bucket",
    inFile(ROUTE, 'caller.charge("reads");', "caller.charge.toString();"),
    "draws on the buckets of its key",
  ),
];
