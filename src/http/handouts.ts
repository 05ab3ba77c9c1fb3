/** What the gateway hands to programs that are to use it: `/llms.txt`, and the files that it leads to. */

import { routeNotFound } from "./guard.ts";
import overview from "./guide/overview.md" with { type: "text" };
import { HANDOUTS, type HandoutName } from "./handout-table.ts";
import { readHandout } from "./handout-texts.ts";
import { readQuery } from "./query.ts";
import type { Answer, Route } from "./route.ts";

const WORDS = "text/plain; charset=utf-8";
const REVALIDATED = { "Cache-Control": "no-cache" };
const HANDOUT = "/llms/";

/** Part of the release that answers, and of no interface: so they are not in its description. */
export function handoutRoutes(): Route[] {
  return [
    {
      contract: {
        name: "get_handout",
        method: "GET",
        access: "anybody",
        path: `${HANDOUT}{id}`,
        tag: "Description",
        summary: "A file for whoever writes a client",
        answers: [],
        errors: [],
      },
      async answer(_deps, visit, name) {
        if (visit.url === null) throw routeNotFound();
        readQuery(visit.url, {});
        if (!isHandout(name)) throw routeNotFound();
        return { status: 200, body: readHandout(name), contentType: HANDOUTS[name].contentType, headers: REVALIDATED };
      },
    },
  ];
}

function isHandout(name: string): name is HandoutName {
  return Object.hasOwn(HANDOUTS, name);
}

/** As llmstxt.org has it: a title, what it is in a sentence, what has to be known, and links with a word on each. */
export function llmsAnswer(described: readonly Route[]): Answer {
  return { status: 200, body: llmsText(described), contentType: WORDS, headers: REVALIDATED };
}

function llmsText(described: readonly Route[]): string {
  const [what = "", known = ""] = overview.split(/\n\n|\n## /, 2);
  const pages = ["/openapi.json", "/docs"].map((path) => {
    const route = described.find(({ contract }) => contract.path === path);
    if (route === undefined) throw new Error(`bug: ${path} is no route`);
    return `- [${path.slice(1)}](${path}): ${route.contract.summary.replace("This description", "Every route")}`;
  });
  const linked = (kind: "guide" | "client") =>
    Object.entries(HANDOUTS)
      .filter(([, handout]) => handout.kind === kind)
      .map(([name, { summary }]) => `- [${name}](${HANDOUT}${name}): ${summary}`);
  const parts = [
    `# Postern\n\n> ${what}`,
    known,
    AUTHENTICATION,
    ["## Read", "", ...linked("guide"), ...pages].join("\n"),
    ["## Use", "", ...linked("client"), TOOLS].join("\n"),
  ];
  return `${parts.join("\n\n")}\n`;
}

const AUTHENTICATION = `## Authentication

Every request but those that the owner signs carries \`Authorization: Bearer api_trade_…\`. A key belongs to one account, with the scopes \`trading:read\` and \`trading:write\`, and perhaps with limits of its own; the owner's wallet signs for it. \`GET /v1/whoami\` tells them, and as \`network\` whether it is real money (\`mainnet\`).`;

const TOOLS =
  "- [/mcp](/mcp): the tools of an agent, Model Context Protocol over HTTP (`POST`, the same key); `postern mcp` over standard streams";
