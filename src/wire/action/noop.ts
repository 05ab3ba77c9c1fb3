import { type Static, Type } from "@sinclair/typebox";
import { closed } from "./fields.ts";

/** Does nothing but use up its nonce, which keeps an action in flight under the same nonce from executing. */
export const NoopAction = Type.Object({ type: Type.Literal("noop") }, closed);
export type NoopAction = Static<typeof NoopAction>;

export const NOOP: NoopAction = { type: "noop" };
