import { type Static, Type } from "@sinclair/typebox";
import { parseJson, writeJson } from "../json.ts";
import { CancelAction, CancelByCloidAction } from "./cancel.ts";
import { closed } from "./fields.ts";
import { LeverageAction } from "./leverage.ts";
import { MarginAction } from "./margin.ts";
import { BatchModifyAction } from "./modify.ts";
import { OrderAction } from "./order.ts";
import { fits, inSigningOrder } from "./signing-order.ts";
import { TwapCancelAction, TwapOrderAction } from "./twap.ts";

/** Does nothing but use up its nonce, which keeps an action in flight under the same nonce from executing. */
const NoopAction = Type.Object({ type: Type.Literal("noop") }, closed);
type NoopAction = Static<typeof NoopAction>;

export const NOOP: NoopAction = { type: "noop" };

/**
 * Everything that the gateway ever signs. An agent key could also move money between the owner's own balances;
 * "keys cannot withdraw or transfer" (spec 1) is ours to keep, and this list is where it is kept.
 */
export type Action =
  | OrderAction
  | CancelAction
  | CancelByCloidAction
  | BatchModifyAction
  | LeverageAction
  | MarginAction
  | TwapOrderAction
  | TwapCancelAction
  | NoopAction;

export type ActionType = Action["type"];

const SCHEMAS = {
  order: OrderAction,
  cancel: CancelAction,
  cancelByCloid: CancelByCloidAction,
  batchModify: BatchModifyAction,
  updateLeverage: LeverageAction,
  updateIsolatedMargin: MarginAction,
  twapOrder: TwapOrderAction,
  twapCancel: TwapCancelAction,
  noop: NoopAction,
} as const satisfies Record<ActionType, unknown>;

/**
 * The action that a value spells, with its members in signing order; null for anything off the list or out of
 * shape. Whole numbers are taken for bigint members.
 */
export function parseAction(value: unknown): Action | null {
  if (typeof value !== "object" || value === null || !("type" in value)) return null;
  const { type } = value;
  if (typeof type !== "string" || !isActionType(type)) return null;
  const schema = SCHEMAS[type];
  const ordered = inSigningOrder(schema, value);
  if (!fits(schema, ordered)) return null;
  // Each schema of the table is one member of the union; the table's type does not carry that through the check.
  const action = ordered as Action;
  TEXTS.set(action, writeJson(action));
  return freeze(action);
}

function isActionType(type: string): type is ActionType {
  return Object.hasOwn(SCHEMAS, type);
}

/**
 * The text of each action that has been arranged and checked. They are frozen, so that each still is what was checked; the text is made
 * before that, because the runtime takes four times as long to write out what is frozen.
 */
const TEXTS = new WeakMap<object, string>();

function freeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === "object" && member !== null) freeze(member);
  return Object.freeze(value);
}

/** The plain object that is hashed and sent. Throws `bug:` on an action that we do not sign. */
export function canonicalAction(action: Action): Action {
  if (TEXTS.has(action)) return action;
  const canonical = parseAction(action);
  if (canonical === null) throw new Error("bug: not an action that we sign");
  return canonical;
}

/** JSON text in signing order; native ids are written as integers. */
export function actionJson(action: Action): string {
  const text = TEXTS.get(canonicalAction(action));
  if (text === undefined) throw new Error("bug: an action that was checked and has no text");
  return text;
}

/** Reads back what `actionJson` wrote, 64-bit ids intact; null when the text is something else. */
export function parseActionJson(text: string): Action | null {
  return parseAction(parseJson(text));
}
