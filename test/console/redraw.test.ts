/** The page is drawn again and again; what it asks the gateway for, it asks because of time or of a person. */
import { afterEach, expect, test } from "bun:test";
import {
  answering,
  asked,
  beginRenewal,
  forget,
  KEY,
  look,
  newSigning,
  notify,
  OWNER,
  openStage,
  page,
  proofStep,
  refresh,
  SETUP,
  settled,
  signedIn,
  signOut,
} from "./stage.ts";

afterEach(forget);

test("a price that cannot be read is asked for again with longer pauses, however often the page is drawn", async () => {
  answering({ "/v1/setup": SETUP, "/v1/whoami": { account: "a" }, "/v1/markets": { data: [] } });
  const { app, state, pauses, pass } = openStage();
  const draw = async () => {
    for (let frame = 0; frame < 60; frame += 1) proofStep(app, state, { setup: SETUP, key: KEY });
    await settled();
    return look(proofStep(app, state, { setup: SETUP, key: KEY }));
  };
  const prices = () => asked.filter((path) => path === "/v1/prices").length;
  app.state["session"] = { apiKey: KEY.apiKey, me: { account: "a" } };
  state["key"] = KEY;
  await draw();
  expect(prices()).toBe(0);
  await refresh(app);
  const first = await draw();
  expect(first.text).toContain("The price and your orders could not be read: No exchange.");
  expect(prices()).toBe(1);
  await draw();
  expect(prices()).toBe(1);
  for (const [asks, pauseMs] of [
    [2, 4_000],
    [3, 8_000],
    [4, 16_000],
    [5, 30_000],
    [6, 30_000],
  ] as const) {
    await pass();
    await draw();
    expect([prices(), pauses.at(-1)]).toEqual([asks, pauseMs]);
  }
  (await draw()).buttons.get("Try again now")?.();
  await settled();
  expect(prices()).toBe(7);
  expect(pauses.at(-1)).toBe(2_000);
  expect((await draw()).buttons.has("Finish without it")).toBe(true);
});

const LOOKED_UP = [
  ["owner", "a window that knows it from before a reload", OWNER],
  ["agent", "the account", ""],
] as const;

test.each(LOOKED_UP)(
  "at the step %s the address of %s is looked up once, however often the page is drawn",
  async (step, _whose, address) => {
    answering({ "/v1/setup": { ...SETUP, step } });
    const { app, state } = openStage();
    state["address"] = address;
    await refresh(app);
    for (let round = 0; round < 3; round += 1) {
      for (let frame = 0; frame < 60; frame += 1) page(app);
      await settled();
    }
    expect(asked.filter((path) => path !== "/v1/setup")).toEqual([`/v1/setup/exchange-view?address=${OWNER}`]);
    expect(state["failure"]).toContain("No exchange.");
  },
);

test("an agent that ends soon is asked about once, on the screen that shows it, and again with the next session", async () => {
  answering({});
  const app = signedIn("trade");
  beginRenewal(app);
  expect(asked).toEqual([]);
  app.state["route"] = { screen: "health", argument: "" };
  for (let turn = 0; turn < 5; turn += 1) beginRenewal(app);
  expect(asked).toEqual(["/v1/agent-renewal"]);
  await settled();
  expect(look(page(app)).text).toContain("Renew the agent");
  signOut(app);
  expect(app.state["forms"]).toMatchObject({ renewal: null });
});

test("what a person was in the middle of is gone when they have signed out: a key that is shown, a dialog, a draft", () => {
  const app = signedIn("bots");
  const made = { apiKey: "api_trade_shown", grant: KEY.grant, signing: newSigning(), isRegistered: true };
  const forms = app.state["forms"] as Record<string, object>;
  Object.assign(forms["newKey"] ?? {}, { made });
  Object.assign(forms["twap"] ?? {}, { size: "7" });
  Object.assign(forms, { modification: { order: {} }, revocation: { key: {} } });
  signOut(app);
  const begun = { newKey: { made: null }, twap: { size: "" }, modification: null, revocation: null };
  expect(app.state["forms"]).toMatchObject(begun);
});

test("good news that go by themselves take no other message along", async () => {
  const { app, pass } = openStage();
  notify(app, "good", "one");
  for (const text of ["two", "three", "four", "five", "six", "seven"]) notify(app, "bad", text);
  await pass();
  expect(app.state["notices"]).toEqual(
    ["three", "four", "five", "six", "seven"].map((text) => ({ tone: "bad", text, isOver: null })),
  );
});
