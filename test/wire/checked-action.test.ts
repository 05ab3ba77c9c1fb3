import { expect, test } from "bun:test";
import { canonicalAction, parseAction } from "../../src/wire/action/index.ts";

const NOOP = { type: "noop" } as const;
const CANCEL = { type: "cancel", cancels: [{ a: 1, o: 77n }] } as const;

test("an action that was checked cannot be changed any more, nor anything in it", () => {
  const action = canonicalAction({ ...CANCEL, cancels: [{ a: 1, o: 77n }] });
  if (action.type !== "cancel") throw new Error("another action");
  const [first] = action.cancels;
  if (first === undefined) throw new Error("nothing to cancel");
  expect(() => {
    first.a = 2;
  }).toThrow();
  expect(() => action.cancels.push({ a: 2, o: 78n })).toThrow();
  expect(() => Object.assign(action, { type: "usdSend" })).toThrow();
  expect(canonicalAction(action)).toBe(action);
});

test("a look-alike of a checked action is checked again", () => {
  const action = canonicalAction(NOOP);
  const stretched = { ...action, amount: "1" };
  expect(() => canonicalAction(stretched)).toThrow("bug:");
  expect(parseAction(Object.create(action))).toBeNull();
});
