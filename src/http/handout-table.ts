/** The files at `/llms/…`, and where each comes from. */

type Handout = {
  /** From the root of the tree. */
  from: string;
  kind: "guide" | "client";
  contentType: string;
  summary: string;
};

const MARKDOWN = "text/markdown; charset=utf-8";
const WORDS = "text/plain; charset=utf-8";
const TYPESCRIPT_CLIENT = "clients/typescript/postern.ts";

export const HANDOUTS = {
  "SKILL.md": {
    from: "skills/postern/SKILL.md",
    kind: "guide",
    contentType: MARKDOWN,
    summary: "how an agent trades here without harm; the first to read",
  },
  "overview.md": {
    from: "src/http/guide/overview.md",
    kind: "guide",
    contentType: MARKDOWN,
    summary: "writes and their keys, quotas, ages of answers, paging, errors",
  },
  "events.md": {
    from: "src/http/guide/events.md",
    kind: "guide",
    contentType: MARKDOWN,
    summary: "how to follow what happens and leave nothing out",
  },
  "api-keys.md": {
    from: "src/http/guide/api-keys.md",
    kind: "guide",
    contentType: MARKDOWN,
    summary: "how a key is made, granted, limited and revoked",
  },
  "agents.md": {
    from: "docs/agents.md",
    kind: "guide",
    contentType: MARKDOWN,
    summary: "the tools of an agent, and orders that wait for a person",
  },
  "postern.py": {
    from: "clients/python/postern.py",
    kind: "client",
    contentType: WORDS,
    summary: "a client in one file, Python 3.10 and its standard library",
  },
  "postern.ts": {
    from: TYPESCRIPT_CLIENT,
    kind: "client",
    contentType: WORDS,
    summary: "a client in one file, TypeScript without a dependency",
  },
  "postern.js": {
    from: TYPESCRIPT_CLIENT,
    kind: "client",
    contentType: "text/javascript; charset=utf-8",
    summary: "the same without types, for Node.js 20 and browsers",
  },
} as const satisfies Record<string, Handout>;

export type HandoutName = keyof typeof HANDOUTS;
