import { expect, test } from "bun:test";
import { controlServer } from "../../src/http/control.ts";
import { withOperator } from "../ops/operator.ts";

function ask(path: string, body: string, method = "POST"): Request {
  return new Request(`http://postern/${path}`, method === "POST" ? { method, body } : { method });
}

test.each([
  ["an unknown verb", ask("withdraw", "{}"), "does not know the verb"],
  ["a name that every object has", ask("constructor", "{}"), "does not know the verb"],
  ["a read", ask("add_account", "", "GET"), "unreadable"],
  ["a body that is no object", ask("add_account", "7"), "unreadable"],
  ["a body without its facts", ask("add_account", "{}"), "label is missing"],
  ["a body that is too long", ask("add_account", JSON.stringify({ label: "a".repeat(20_000) })), "unreadable"],
  ["a kind that is none", ask("add_account", '{"label":"a","kind":"purse","address":"0x1"}'), "kind is one of"],
])("the control socket refuses %s", async (_what, request, words) => {
  await withOperator({}, async ({ operator }) => {
    const answer = await controlServer(operator)(request);
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain(words);
  });
});

test("the control socket does what it is asked and answers with what was made", async () => {
  await withOperator({}, async ({ operator, account }) => {
    const facts = { label: "grid", kind: "subaccount", address: `0x${"CD".repeat(20)}`, parentId: account.id };
    const answer = await controlServer(operator)(ask("add_account", JSON.stringify(facts)));
    expect(answer.status).toBe(200);
    expect(JSON.parse(await answer.text())).toMatchObject({
      kind: "subaccount",
      ownerAddress: account.ownerAddress,
      tradingAddress: `0x${"cd".repeat(20)}`,
    });
  });
});

test("a bug is no refusal: 503", async () => {
  await withOperator({}, async ({ operator }) => {
    const answer = await controlServer(operator)(ask("block_key", "{not json"));
    expect(answer.status).toBe(503);
  });
});
