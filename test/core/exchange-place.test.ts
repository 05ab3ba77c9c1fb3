import { describe, expect, test } from "bun:test";
import type { Network } from "../../src/core/account.ts";
import { chooseExchange, EXCHANGE_URLS, exchangePlaceOf } from "../../src/core/exchange-place.ts";

/** The place that is taken, or null, without and with the word that another one is meant. */
function choices(network: Network, url: string): (string | null)[] {
  return [false, true].map((isUnofficialAllowed) => {
    const chosen = chooseExchange({ network, url, isUnofficialAllowed });
    return chosen.kind === "taken" ? chosen.exchangeUrl : null;
  });
}

const OWN = EXCHANGE_URLS.mainnet;

describe("mainnet means the exchange's own host", () => {
  test.each([
    ["https://api.hyperliquid.xyz", OWN],
    ["https://api.hyperliquid.xyz/", OWN],
    ["https://api.hyperliquid.xyz:443", OWN],
    ["HTTPS://API.Hyperliquid.XYZ", OWN],
  ])("%s is it", (url, taken) => {
    expect(choices("mainnet", url)).toEqual([taken, taken]);
  });

  test.each([
    ["https://api.hyperliquid.xyz.evil.example", "https://api.hyperliquid.xyz.evil.example"],
    ["https://api.hyperliquid.xyz.", "https://api.hyperliquid.xyz."],
    ["https://api.hyperliquid.xyz:444", "https://api.hyperliquid.xyz:444"],
    ["https://api-hyperliquid.xyz", "https://api-hyperliquid.xyz"],
    ["https://hyperliquid.xyz", "https://hyperliquid.xyz"],
    ["https://api.hyperliquid.xyz%2eevil.example", "https://api.hyperliquid.xyz.evil.example"],
    // A Cyrillic і: what it truly is stands in what is kept and shown.
    ["https://api.hyperl\u0456quid.xyz", "https://api.xn--hyperlquid-22i.xyz"],
    ["https://10.0.0.9:1234", "https://10.0.0.9:1234"],
    ["http://127.0.0.1:9797", "http://127.0.0.1:9797"],
    ["http://127.1:9797", "http://127.0.0.1:9797"],
    ["http://[::1]:9797", "http://[::1]:9797"],
    ["http://localhost:9797", "http://localhost:9797"],
  ])("%s is taken only on the word that it is meant", (url, taken) => {
    expect(choices("mainnet", url)).toEqual([null, taken]);
  });

  test.each([
    ["http://10.0.0.9:1234"],
    ["http://api.hyperliquid.xyz"],
    ["http://api.hyperliquid.xyz:443"],
    ["http://localhost.evil.example"],
    ["http://127.0.0.1.evil.example"],
    ["http://[::ffff:10.0.0.9]"],
    ["https://api.hyperliquid-testnet.xyz"],
    ["https://api.hyperliquid-testnet.xyz:444"],
    ["https://user@api.hyperliquid.xyz"],
    ["https://api.hyperliquid.xyz@evil.example"],
    ["https://user:word@127.0.0.1"],
    ["https://api.hyperliquid.xyz/info"],
    ["https://api.hyperliquid.xyz/?a=b"],
    ["https://api.hyperliquid.xyz/#a"],
    ["wss://api.hyperliquid.xyz"],
    ["file:///etc/passwd"],
    ["api.hyperliquid.xyz"],
    ["127.0.0.1:9797"],
    [""],
  ])("%s is refused on any word", (url) => {
    expect(choices("mainnet", url)).toEqual([null, null]);
  });
});

test("a network is never asked for at the hosts of another, and a simulator at neither", () => {
  expect(choices("testnet", EXCHANGE_URLS.testnet)).toEqual([EXCHANGE_URLS.testnet, EXCHANGE_URLS.testnet]);
  for (const [network, url] of [
    ["testnet", EXCHANGE_URLS.mainnet],
    ["paper", EXCHANGE_URLS.mainnet],
    ["paper", EXCHANGE_URLS.testnet],
    ["paper", "http://api.hyperliquid.xyz"],
    ["paper", "https://127.0.0.1:9797"],
  ] as const) {
    expect([url, ...choices(network, url)]).toEqual([url, null, null]);
  }
  expect(choices("paper", "http://127.0.0.1:1")).toEqual(["http://127.0.0.1:1", "http://127.0.0.1:1"]);
});

test("a refusal names the place as it truly is, the one that is meant, and the word", () => {
  const url = "https://api.hyperliquid.xyz.evil.example/";
  const chosen = chooseExchange({ network: "mainnet", url, isUnofficialAllowed: false });
  const reason = chosen.kind === "refused" ? chosen.reason : "";
  for (const part of ["https://api.hyperliquid.xyz.evil.example is", OWN, "--unofficial-exchange"]) {
    expect(reason).toContain(part);
  }
});

test("a directory of any age is told by what it keeps", () => {
  const place = (network: Network, exchangeUrl: string) => exchangePlaceOf({ network, exchangeUrl });
  expect(place("mainnet", OWN)).toBe("official");
  expect(place("testnet", EXCHANGE_URLS.testnet)).toBe("official");
  expect(place("paper", "http://127.0.0.1:1")).toBe("simulated");
  for (const url of ["http://10.0.0.9:1234", `${OWN}.`, EXCHANGE_URLS.testnet, OWN.replace("https", "http")]) {
    expect(place("mainnet", url)).toBe("unofficial");
  }
});
