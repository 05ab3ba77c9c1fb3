import { describe, expect, test } from "bun:test";
import { revokeApiKey, setKeyState } from "../../src/store/api-keys.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { ACCOUNTS, KEYS, openRig, type Rig, START_MS } from "./rig.ts";

type Listed = { key_hash: string; state: string; created_at: string; last_used_at: string | null };

async function list(rig: Rig, query = ""): Promise<Listed[]> {
  const response = await rig.ask({ path: `/v1/api-keys${query}`, apiKey: KEYS.both });
  return JSON.parse(await response.text()).data;
}

function hashes(keys: readonly Listed[]): string[] {
  return keys.map(({ key_hash }) => key_hash).sort();
}

describe("the list of keys", () => {
  test("shows each state on request, and those that open something without one", async () => {
    const rig = openRig();
    const { store } = rig.deps;
    revokeApiKey(store, { accountId: ACCOUNTS.main, keyHash: keyHash(KEYS.readOnly), revokedAtMs: START_MS });
    setKeyState(store, keyHash(KEYS.writeOnly), "held", START_MS);
    expect(hashes(await list(rig))).toEqual([keyHash(KEYS.both)]);
    expect(await list(rig, "?state=revoked")).toMatchObject([{ key_hash: keyHash(KEYS.readOnly), state: "revoked" }]);
    expect(await list(rig, "?state=held")).toMatchObject([{ key_hash: keyHash(KEYS.writeOnly), state: "held" }]);
    expect(await list(rig, "?state=blocked")).toEqual([]);
    expect(hashes(await list(rig, "?state=all"))).toEqual(
      [KEYS.both, KEYS.readOnly, KEYS.writeOnly].map(keyHash).sort(),
    );
    const refused = await rig.ask({ path: "/v1/api-keys?state=dead", apiKey: KEYS.both });
    expect(refused.status).toBe(400);
  });

  test("says to the minute when a key was last used, whatever it was refused for", async () => {
    const rig = openRig();
    const lastUsed = async () => {
      const keys = await list(rig);
      return [KEYS.both, KEYS.readOnly, KEYS.writeOnly].map(
        (key) => keys.find(({ key_hash }) => key_hash === keyHash(key))?.last_used_at ?? null,
      );
    };
    const minute = (ms: number) => new Date(ms - (ms % 60_000)).toISOString();
    expect(await lastUsed()).toEqual([minute(START_MS), null, null]);
    await rig.ask({ path: "/v1/whoami", apiKey: KEYS.writeOnly });
    await rig.clock.advance(61_000);
    expect(await lastUsed()).toEqual([minute(START_MS + 61_000), null, minute(START_MS)]);
  });

  test("is written down at most once a minute, and a database that cannot be written refuses nobody", async () => {
    const rig = openRig();
    const { $client } = rig.deps.store;
    const changes = () => $client.query<{ n: number }, []>("SELECT total_changes() AS n").get()?.n ?? 0;
    await list(rig);
    const before = changes();
    for (let step = 0; step < 5; step += 1) await list(rig);
    expect(changes()).toBe(before);
    $client.run("CREATE TRIGGER full_disk BEFORE UPDATE ON api_keys BEGIN SELECT RAISE(ABORT, 'disk full'); END");
    await rig.clock.advance(120_000);
    expect(await list(rig)).toHaveLength(3);
  });

  test("is not written down while an upgrade is tried", async () => {
    const rig = openRig();
    rig.deps.state.phase = "trial";
    expect((await list(rig)).every(({ last_used_at }) => last_used_at === null)).toBe(true);
  });
});

describe("prices", () => {
  function withMids(): Rig {
    const rig = openRig();
    rig.answers.set("allMids", ({ dex }) =>
      dex === "xyz" ? { "xyz:TSLA": "401.50" } : { BTC: "64250.5", "PURR/USDC": "0.067", "#10": "0.5", GONE: "1" },
    );
    return rig;
  }
  const ask = async (rig: Rig, query = "") => {
    const response = await rig.ask({ path: `/v1/prices${query}`, apiKey: KEYS.readOnly });
    return { status: response.status, ...JSON.parse(await response.text()) };
  };

  test("are of every market that orders are taken for, or of one dex", async () => {
    const rig = withMids();
    const markets = (answer: { data: { market: string; mid_price: string }[] }) =>
      answer.data.map(({ market, mid_price }) => [market, mid_price]);
    const native = [
      ["BTC", "64250.5"],
      ["PURR/USDC", "0.067"],
    ];
    expect(markets(await ask(rig))).toEqual([...native, ["xyz:TSLA", "401.5"]]);
    expect(markets(await ask(rig, "?dex="))).toEqual(native);
    expect(markets(await ask(rig, "?dex=xyz"))).toEqual([["xyz:TSLA", "401.5"]]);
  });

  test("of a dex that is not supported, and without the exchange, are refused", async () => {
    expect(await ask(withMids(), "?dex=abc")).toMatchObject({ status: 400, error: { code: "unknown_dex" } });
    expect(await ask(openRig())).toMatchObject({ status: 503, error: { code: "exchange_unreachable" } });
    const odd = openRig();
    odd.answers.set("allMids", () => ["BTC"]);
    expect(await ask(odd)).toMatchObject({ status: 503, error: { code: "exchange_unreachable" } });
  });
});
