/** The page's stop: asked for until it stands, across a lost answer and a reload, and never said to stand before. */
import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";

/** The page's own code is checked against a browser's types, which are not this project's: taken in by its path. */
const CONSOLE = join(import.meta.dir, "../../src/console");
type Form = { keepsProtection: boolean; isBusy: boolean; failure: string | null };
type State = Record<string, unknown> & { forms: { stop: Form | null }; stops: { value: { id: string }[] | null } };
type Steps = {
  emptyState: (nowMs: number, storage: object) => State;
  openStop: (app: object) => void;
  closeStop: (app: object) => void;
  resumeStop: (app: object) => void;
  stopNow: (app: object, own: Form | null) => Promise<void>;
};
const modules = ["state/state.ts", "state/stopping.ts"].map((path) => import(join(CONSOLE, path)));
// Their own types are a browser's; each name is exported by one of them.
const { emptyState, openStop, closeStop, resumeStop, stopNow } = Object.assign(
  {},
  ...(await Promise.all(modules)),
) as Steps;

const realFetch = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = realFetch;
});

const STOP = { id: "s", object: "stop", status: "stopping" };
const WISH = "postern.stop";

type Answer = { status: number; body: object } | "lost";
const REFUSED = { status: 403, body: { error: { code: "insufficient_scope", message: "May only read." } } };
const STARTING = { status: 503, body: { error: { code: "not_ready", message: "Starting." } } };
const STANDS = { status: 202, body: STOP };

type Page = { app: { state: State; nowMs: () => number }; posted: string[]; kept: Map<string, string> };

/** A page that is signed in; the gateway answers the stop with these in turn, and the last of them for ever. */
function openPage(
  answers: readonly Answer[],
  { kept = new Map<string, string>(), limits = null as object | null } = {},
): Page {
  const posted: string[] = [];
  const fake = async (path: string, { method, body }: { method: string; body?: string }) => {
    if (method === "GET") return Response.json({ data: path === "/v1/stops" ? [STOP] : [] });
    posted.push(`${path} ${body}`);
    const answer = answers[Math.min(posted.length, answers.length) - 1] ?? "lost";
    if (answer === "lost") throw new TypeError("no connection");
    return Response.json(answer.body, { status: answer.status });
  };
  // The page asks with a path and options, and nothing else.
  globalThis.fetch = fake as unknown as typeof fetch;
  const storage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
  };
  const app = {
    state: emptyState(0, storage),
    sessionStorage: storage,
    localStorage: storage,
    nowMs: () => 1_000_000,
    sleep: () => Promise.resolve(),
    changed: () => undefined,
  };
  app.state["session"] = { apiKey: "k", me: { account: "a", scopes: ["trading:write"], limits } };
  return { app, posted, kept };
}

const ASKED = '/v1/stop {"scope":"account","keep_protection":true}';

describe("a stop", () => {
  test("whose answer is lost is asked for again until it stands, and is shown then", async () => {
    const { app, posted, kept } = openPage(["lost", STARTING, "lost", STANDS]);
    openStop(app);
    await stopNow(app, app.state.forms.stop);
    expect(posted).toEqual([ASKED, ASKED, ASKED, ASKED]);
    expect(app.state.stops.value).toEqual([STOP]);
    expect([app.state.forms.stop, kept.has(WISH)]).toEqual([null, false]);
  });

  test("that is refused is said not to stand, and is not asked for again", async () => {
    const { app, posted, kept } = openPage([REFUSED]);
    openStop(app);
    await stopNow(app, app.state.forms.stop);
    expect(posted).toEqual([ASKED]);
    expect(app.state.forms.stop).toMatchObject({ isBusy: false, failure: "Not stopped: May only read." });
    expect([app.state.stops.value, kept.has(WISH)]).toEqual([null, false]);
  });

  test("takes stop-losses along where that was chosen, and is the bot's alone for a key with rails", async () => {
    const { app, posted } = openPage([STANDS], { limits: { bot: "grid-1" } });
    openStop(app);
    await stopNow(app, Object.assign(app.state.forms.stop ?? {}, { keepsProtection: false }) as Form);
    expect(posted).toEqual(['/v1/stop {"scope":"bot","keep_protection":false}']);
  });

  test("that is closed while nobody answers is asked for no more, and may stand all the same", async () => {
    const { app, posted } = openPage(["lost"]);
    openStop(app);
    const asking = stopNow(app, app.state.forms.stop);
    closeStop(app);
    await asking;
    await Bun.sleep(1);
    expect(posted).toEqual([ASKED]);
    expect(JSON.stringify(app.state["notices"])).toContain("It may stand all the same");
    expect(app.state.stops.value).toEqual([STOP]);
  });

  test.each([
    ["a moment ago goes on by itself", 990_000, true],
    ["an hour ago waits for the person", 0, false],
  ])("that a reload interrupted %s", async (_when, askedAtMs, goesOn) => {
    const kept = new Map([[WISH, JSON.stringify({ keepsProtection: false, askedAtMs })]]);
    const { app, posted } = openPage([STANDS], { kept });
    resumeStop(app);
    await Bun.sleep(1);
    expect(posted).toEqual(goesOn ? ['/v1/stop {"scope":"account","keep_protection":false}'] : []);
    if (!goesOn) expect(app.state.forms.stop?.failure).toContain("Nothing is known to be stopped by it");
  });
});
