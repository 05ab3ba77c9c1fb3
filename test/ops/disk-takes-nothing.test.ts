import { expect, test } from "bun:test";
import { OperatorError } from "../../src/ops/operator.ts";
import { perform } from "../../src/ops/operator-verbs.ts";
import { withOperator } from "./operator.ts";

test("what the disk does not take is told as not done, and the same command does it once there is room", async () => {
  await withOperator({}, async ({ operator, account }) => {
    const stop = () => perform(operator, "stop_trading", { accountId: account.id, keyHash: null });
    operator.store.$client.run("PRAGMA query_only = 1");
    const refused = await stop().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OperatorError);
    expect(String(refused)).toContain("was not written down, and does not hold");
    expect(String(refused)).toContain("give the same command again");
    operator.store.$client.run("PRAGMA query_only = 0");
    expect(await stop()).toMatchObject({ account: account.id, resumed_at: null });
  });
});

test("what fails for another reason is told as it is", async () => {
  await withOperator({}, async ({ operator, account }) => {
    const asked = perform(operator, "stop_trading", { accountId: account.id, keyHash: "00".repeat(32) });
    await expect(asked).rejects.toThrow(/^no key with this hash is registered for the account$/);
  });
});
