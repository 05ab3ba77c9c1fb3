/** The record from the command line: files of what the gateway keeps, and the audit log in words. */
import { expect, test } from "bun:test";
import { EXPORTED_LISTS } from "../../src/actions/export-list.ts";
import { exportCommand } from "../../src/cli/export.ts";
import { filtersOf } from "../../src/http/exports.ts";
import { placesIn } from "../../src/ops/data-directory.ts";
import { listAccounts } from "../../src/store/accounts.ts";
import { appendAudit } from "../../src/store/audit.ts";
import { closeStore, openStore } from "../../src/store/open.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { orderRow } from "../support/rows.ts";
import { makeWorkplace, runHere } from "./outside.ts";

const NOON_MS = Date.parse("2026-11-21T12:00:00Z");

test("orders are exported and the audit log is told, each within the times that are asked for", async () => {
  const { dataDirectory, passphraseFile, remove } = makeWorkplace();
  const at = ["--data-dir", dataDirectory];
  try {
    const owner = `0x${"ab".repeat(20)}`;
    await runHere(["init", "--network", "paper", "--owner", owner, "--passphrase-file", passphraseFile, ...at]);
    const store = openStore(placesIn(dataDirectory).database);
    const accountId = listAccounts(store)[0]?.id ?? "";
    for (const [id, hours] of [
      ["early", -24],
      ["noon", 0],
      ["late", 24],
    ] as const) {
      insertOrder(store, orderRow({ id, accountId, market: "@107", createdAtMs: NOON_MS + hours * 3_600_000 }));
      const atMs = NOON_MS + hours * 3_600_000;
      appendAudit(store, { atMs, actor: "e5".repeat(32), event: "rail_refused", reference: id, detail: { rail: "x" } });
    }
    closeStore(store);
    const time = ["--since", "2026-11-21", "--until", "2026-11-22T00:00:00Z"];
    const csv = await runHere(["export", "orders", ...time, ...at]);
    expect(csv.out.split("\r\n")).toEqual([
      expect.stringMatching(/^id,account,market,/),
      expect.stringMatching(/^noon,.*,'@107,/),
      "",
    ]);
    const lines = (await runHere(["export", "orders", "--format", "jsonl", ...at])).out.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(["late", "noon", "early"]);
    const ids = async (...words: string[]) => {
      const { out } = await runHere(["export", ...words, "--format", "jsonl", ...at]);
      return out.trim() === ""
        ? []
        : out
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line).id);
    };
    expect(await ids("orders", "--status", "filled")).toEqual([]);
    expect(await ids("orders", "--status", orderRow().status, "--market", "@107")).toEqual(["late", "noon", "early"]);
    expect(await ids("history", "--kind", "order", "--text", "NOON")).toEqual(["noon"]);
    expect(await ids("history", "--kind", "order", "--status", "nothing")).toEqual([]);
    for (const list of ["equity", "performance"]) {
      const { out } = await runHere(["export", list, ...time, ...at]);
      expect(out).toMatch(/^account,(from|day),[a-z_,]*\r\n$/);
    }
    const log = await runHere(["log", ...time, ...at]);
    expect(log.out).toBe("2026-11-21T12:00:00.000Z  key e5e5e5e5: rail refused noon (rail x)\n");
    const json = await runHere(["log", "--json", "--until", "2026-11-21", ...at]);
    expect(JSON.parse(json.out)).toMatchObject({ event: "rail_refused", reference: "early", detail: { rail: "x" } });
    for (const wrong of [
      ["export", "trades"],
      ["export", "orders", "--format", "xlsx"],
      ["export", "equity", "--resolution", "2h"],
      ["export", "orders", "--status", "done"],
      ["export", "history", "--kind", "trade"],
      ["export", "transfers", "--market", "BTC"],
      ["export", "fills", "--status", "filled"],
      ["log", "--since", "noon"],
    ]) {
      expect([wrong, (await runHere([...wrong, ...at])).exitCode]).toEqual([wrong, 2]);
    }
  } finally {
    remove();
  }
});

test.each([...EXPORTED_LISTS])(
  "%s are narrowed from the command line by all that the interface narrows them by",
  (list) => {
    const options = Object.keys(exportCommand.options).map((name) => name.replace("-", "_"));
    expect(filtersOf(list).filter((name) => !options.includes(name))).toEqual([]);
  },
);
