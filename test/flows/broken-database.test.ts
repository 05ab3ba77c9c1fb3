/** A database that fails for good: nothing more is sent, everybody is told, and reads go on. */
import { expect, test } from "bun:test";
import { whyBroken } from "../../src/store/broken.ts";
import { FIRST, openPaperRig, type PaperRig } from "../support/paper-rig.ts";
import { after, modify, opened } from "./modified-order.ts";

function order(price: string): object {
  const { id: account } = FIRST.account;
  return { account, market: "BTC", side: "buy", size: "0.01", price, time_in_force: "gtc", reduce_only: false };
}

/** From now on no commit reaches the disk, until `heal`. */
function breakDisk({ store }: PaperRig, code: string): { heal(): void } {
  const { $client: client } = store;
  const run = client.run.bind(client);
  client.run = ((sql: string, ...rest: never[]) => {
    if (sql === "COMMIT") throw Object.assign(new Error("disk I/O error"), { code });
    return run(sql, ...rest);
  }) as typeof client.run;
  return {
    heal: () => {
      client.run = run;
    },
  };
}

function place(rig: PaperRig, key: string, price = "90000") {
  return rig.answer(FIRST, { route: "POST /v1/orders", key, body: order(price) });
}

test("after a failed wait for the disk nothing is sent until the next start, cancels included", async () => {
  const rig = await openPaperRig();
  const known = await place(rig, "before-it");
  const sent = rig.sent.length;
  const disk = breakDisk(rig, "SQLITE_IOERR_FSYNC");
  expect(await place(rig, "during-it")).toMatchObject({
    status: 503,
    body: { error: { code: "storage_unavailable" } },
  });
  disk.heal();
  expect(await place(rig, "during-it")).toMatchObject({
    status: 503,
    body: { error: { code: "storage_unavailable" } },
  });
  const cancel = { route: `POST /v1/orders/${String(known.body["id"])}/cancel`, body: {} };
  expect(await rig.answer(FIRST, cancel)).toMatchObject({
    status: 503,
    body: { error: { code: "storage_unavailable" } },
  });
  expect(rig.sent).toHaveLength(sent);
  const ready = await rig.answer(FIRST, { route: "GET /readyz" });
  expect(ready).toMatchObject({ status: 503, body: { error: { code: "not_ready" } } });
  expect(ready.text).toContain("SQLITE_IOERR_FSYNC");
  const status = await rig.answer(FIRST, { route: "GET /v1/status" });
  expect(status.body["writes_stopped_because"]).toContain("SQLITE_IOERR_FSYNC");
  expect(await rig.answer(FIRST, { route: `GET /v1/orders/${String(known.body["id"])}` })).toMatchObject({
    status: 200,
  });
  expect(rig.log.filter(({ message }) => message === "writes are stopped until the next start")).toHaveLength(1);
});

test("an outcome that cannot be written any more is told as the exchange told it, and nothing is sent twice", async () => {
  const rig = await openPaperRig();
  rig.deliveries.push(async (arrive) => {
    const response = await arrive();
    breakDisk(rig, "SQLITE_IOERR_FSYNC");
    return response;
  });
  const answer = await place(rig, "in-between");
  // The next start looks it up, as after a process that was killed.
  expect(answer).toMatchObject({ status: 201, body: { status: "open" } });
  expect(rig.sent.filter((type) => type === "order")).toHaveLength(1);
  expect(await place(rig, "in-between")).toMatchObject({ status: 201, text: answer.text });
  expect(await place(rig, "another-one")).toMatchObject({ status: 503 });
  expect(rig.sent.filter((type) => type === "order")).toHaveLength(1);
});

test("that a replacement's removal was answered is no word of a disk that takes nothing", async () => {
  const { rig, id } = await opened();
  const beyondWhatIsLeft = async () => {
    await rig.trade("sell", "0.03", "90000");
    // The modify as if it had been meant for no more than was filled by then.
    rig.store.$client.run("UPDATE attempts SET intended_total = '0.03' WHERE kind = 'modify'");
  };
  rig.deliveries.push(after(beyondWhatIsLeft), async (arrive) => {
    const response = await arrive();
    breakDisk(rig, "SQLITE_IOERR_FSYNC");
    return response;
  });
  await modify(rig, id, { price: "89000" });
  expect(rig.sent).toEqual(["batchModify", "cancel"]);
  expect(whyBroken(rig.store)).toContain("SQLITE_IOERR_FSYNC");
  const removal = rig.store.$client.query("SELECT state FROM attempts WHERE kind = 'cancel'").get();
  expect(removal).toEqual({ state: "prepared" });
});

test("a full disk refuses, and goes on by itself when there is room again", async () => {
  const rig = await openPaperRig();
  const disk = breakDisk(rig, "SQLITE_FULL");
  expect(await place(rig, "no-room-1")).toMatchObject({
    status: 503,
    body: { error: { code: "storage_unavailable" } },
  });
  expect(rig.sent).toEqual([]);
  disk.heal();
  expect(await place(rig, "no-room-1")).toMatchObject({ status: 201, body: { status: "open" } });
});
