/** S34 and S35: the page, and what every answer says. */
import { type Break, inFile } from "./break.ts";

const EVERY_ANSWER = {
  test: "test/http/guard.test.ts",
  title: "every answer has the security headers, nothing under /v1 may be kept, and no two share an id",
};
const POLICY = {
  test: "test/http/console.test.ts",
  title: "the page is answered at %s with its own policy and the headers that every answer has",
};
const NOTHING_ELSE = {
  test: "test/http/console.test.ts",
  title: "the page needs nothing from anywhere else and has no script or style in its text",
};
const ASSETS = { test: "test/http/console.test.ts", title: "everything that %s names is answered" };
const INSIDE = {
  test: "test/http/guard.test.ts",
  title: "is 503 internal_error without a word about the inside, and is logged",
};

export const ANSWER_BREAKS: readonly Break[] = [
  {
    row: "S34",
    name: "scripts in the page's text run",
    changes: inFile("src/http/console.ts", "script-src 'self';", "script-src 'self' 'unsafe-inline';"),
    seenBy: POLICY,
  },
  {
    row: "S34",
    name: "the page may speak to any host",
    changes: inFile("src/http/console.ts", "connect-src 'self';", "connect-src *;"),
    seenBy: POLICY,
  },
  {
    row: "S34",
    name: "the page may be framed",
    changes: inFile("src/http/console.ts", "frame-ancestors 'none'; base", "frame-ancestors 'self'; base"),
    seenBy: POLICY,
  },
  {
    row: "S34",
    name: "the page comes without its policy",
    changes: inFile("src/http/console.ts", '      "Content-Security-Policy": PAGE_POLICY,\n', ""),
    seenBy: POLICY,
  },
  {
    row: "S34",
    name: "the page has a script in its text",
    changes: inFile(
      "src/console/index.html",
      "  </body>",
      "    <script>document.title += location.host;</script>\n  </body>",
    ),
    seenBy: NOTHING_ELSE,
  },
  {
    row: "S34",
    name: "the page has a style in its text",
    changes: inFile("src/console/index.html", '<div id="page">', '<div id="page" style="color: red">'),
    seenBy: NOTHING_ELSE,
  },
  {
    row: "S34",
    name: "the page takes a font from elsewhere",
    changes: inFile(
      "src/console/index.html",
      '<link rel="icon" href="data:," />',
      '<link rel="icon" href="data:," />\n    <link rel="stylesheet" href="https://fonts.example/inter.css" />',
    ),
    seenBy: NOTHING_ELSE,
  },
  {
    row: "S34",
    name: "the page's style takes a picture from elsewhere",
    changes: inFile("src/console/page.css", "body {", "body {\n  background: url(https://pictures.example/a.png);"),
    seenBy: NOTHING_ELSE,
  },
  {
    row: "S34",
    name: "the page's script loads another from elsewhere",
    changes: inFile(
      "src/console/main.ts",
      "function start(root: HTMLElement): void {",
      'function start(root: HTMLElement): void {\n  if (root.id === "beacon") void import(`https://scripts.example/${root.id}.js`);',
    ),
    seenBy: NOTHING_ELSE,
  },
  {
    row: "S34",
    name: "files of the page come without its policy",
    changes: inFile(
      "src/http/console.ts",
      "return answer(visit, asset, KEPT_FOR_GOOD);",
      'const made = answer(visit, asset, KEPT_FOR_GOOD);\n      return { ...made, headers: { "Cache-Control": KEPT_FOR_GOOD, Vary: "Accept-Encoding" } };',
    ),
    seenBy: ASSETS,
  },
  {
    row: "S35",
    name: "answers may be kept",
    changes: inFile(
      "src/http/headers.ts",
      'headers.set("Cache-Control", "no-store");',
      'headers.set("Cache-Control", "private");',
    ),
    seenBy: EVERY_ANSWER,
  },
  {
    row: "S35",
    name: "errors may be kept",
    changes: inFile(
      "src/http/server.ts",
      "  if (visit.isBodyLeft) response",
      '  response.headers.set("Cache-Control", "max-age=5");\n  if (visit.isBodyLeft) response',
    ),
    seenBy: EVERY_ANSWER,
  },
  {
    row: "S35",
    name: "answers may be framed",
    changes: inFile("src/http/headers.ts", '  "X-Frame-Options": "DENY",\n', ""),
    seenBy: EVERY_ANSWER,
  },
  {
    row: "S35",
    name: "the kind of an answer may be guessed",
    changes: inFile("src/http/headers.ts", '  "X-Content-Type-Options": "nosniff",\n', ""),
    seenBy: EVERY_ANSWER,
  },
  {
    row: "S35",
    name: "a client names its request",
    changes: inFile(
      "src/http/server.ts",
      "const requestId = newRequestId((count) => deps.randomBytes(count));",
      'const requestId = about.request.headers.get("x-request-id") ?? newRequestId((count) => deps.randomBytes(count));',
    ),
    seenBy: EVERY_ANSWER,
  },
  {
    row: "S35",
    name: "an error says what was thrown",
    changes: inFile(
      "src/http/errors.ts",
      "  return new ApiError(code, message);",
      "  return new ApiError(code, `${message} ${firstLine(thrown)}`);",
    ),
    seenBy: INSIDE,
  },
  {
    row: "S35",
    name: "the log has all of a database's error, values included",
    changes: inFile("src/http/errors.ts", 'return text.split("\\n", 1)[0] ?? "";', "return text;"),
    seenBy: INSIDE,
  },
];
