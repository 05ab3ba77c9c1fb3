/** What another process has committed holds for every request that is sent afterwards. */
import { expect, test } from "bun:test";
import { setKeyState } from "../../src/store/api-keys.ts";
import { closeStore, openStore } from "../../src/store/open.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { API_KEY, openMachine, openWorld } from "../support/machine.ts";
import { testRequest } from "../support/request.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

test("a key that another process blocks is refused in the same turn of the event loop", async () => {
  await inTemporaryDirectory(async (directory) => {
    const machine = await openMachine(openWorld(), directory);
    const elsewhere = openStore(machine.places.database);
    const { server } = machine.gateway;
    // No turn of the loop ends between them: nothing here waits for anything outside.
    const ask = async () => (await server.handle(testRequest({ path: "/v1/orders", apiKey: API_KEY }))).status;
    expect(await ask()).toBe(200);
    let hasTurned = false;
    setImmediate(() => {
      hasTurned = true;
    });
    expect(await ask()).toBe(200);
    setKeyState(elsewhere, keyHash(API_KEY), "blocked", 1);
    const refused = await ask();
    expect([refused, hasTurned]).toEqual([401, false]);
    closeStore(elsewhere);
    await machine.lose();
  });
});
