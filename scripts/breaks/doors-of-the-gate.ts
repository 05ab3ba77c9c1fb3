import { type Break, inFile, type NamedTest } from "./break.ts";

const PASSING = "      passGate(deps, caller, known, stored);";

function leftOut(name: string, but: string, seenBy: NamedTest): Break {
  const put = `      if (${but}) passGate(deps, caller, known, stored);`;
  return { row: "S54", name, changes: inFile("src/write/commit.ts", PASSING, put), seenBy };
}

const ROUTES = [
  "POST /v1/orders",
  "POST /v1/orders/market",
  "POST /v1/orders/batch",
  "POST /v1/orders/{id}/modify",
  "POST /v1/orders/{id}/cancel",
  "POST /v1/positions/close",
  "POST /v1/leverage",
  "POST /v1/margin",
  "POST /v1/twaps",
  "POST /v1/twaps/cancel",
  "POST /v1/trades",
  "POST /v1/trades/{id}/modify",
] as const;

const BY_ROUTE = ROUTES.map((route) =>
  leftOut(`the gate is left out of ${route}`, `(route as string) !== "${route}"`, {
    test: "test/http/every-door.test.ts",
    title: "%s is judged",
  }),
);

/** The gate is left out for one way in alone. */
export const DOORS_OF_THE_GATE: readonly Break[] = [
  ...BY_ROUTE,
  leftOut("the gate is left out of hooks", "caller.unattended === undefined", {
    test: "test/http/hooks.test.ts",
    title: "the rails of its key hold, and say why nothing was placed",
  }),
  leftOut("the gate is left out of tools", "caller.unattended === undefined", {
    test: "test/http/mcp.test.ts",
    title: "that a rail refuses is told by its code, and may be placed while it lives",
  }),
  leftOut("the gate is left out of what a person has approved", "caller.isApproved !== true", {
    test: "test/http/proposals.test.ts",
    title: "and judged by the rails of then: what is beyond them is refused, nothing is sent",
  }),
];
