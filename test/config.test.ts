import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { audienceOf, exposureOf, metricsExposureOf, ownUrlOf } from "../src/cli/exposure.ts";
import { hooksExposureOf } from "../src/cli/hooks-door.ts";
import { settingsOf } from "../src/cli/settings.ts";
import { ConfigError, DEFAULTS, parseListenAddress, readConfig } from "../src/config.ts";

test("the defaults are those that are documented", () => {
  expect(readConfig({}, {})).toMatchObject({
    listen: { hostname: "127.0.0.1", port: 8787 },
    paperListen: { hostname: "127.0.0.1", port: 9797 },
    publicUrl: null,
    dexes: ["xyz"],
    builder: null,
    limits: { orders: { perSecond: 10, burst: 40 }, cancels: { perSecond: 20, burst: 40 } },
    timings: { answerDeadlineMs: 8_000, actionLifeMs: 12_000, startUpDeadlineMs: 15_000, maxReadAgeMs: 10_000 },
    areSpotTriggersSent: false,
    areCancelsFast: true,
    areRailsRequired: false,
    hasPlainToolKeys: false,
    openOrderReserve: 50,
    exchangeWeightPerMinute: 1_200,
    logLevel: "info",
  });
});

test("an option of the command line wins over the variable, which wins over the default", () => {
  const environment = { POSTERN_LISTEN: "0.0.0.0:1" };
  expect(readConfig(environment, {}).listen).toEqual({ hostname: "0.0.0.0", port: 1 });
  expect(readConfig(environment, { POSTERN_LISTEN: "[::1]:2" }).listen).toEqual({ hostname: "::1", port: 2 });
});

test("a builder has a fee in tenths of a basis point and overrides by account", () => {
  const accountId = "00000000-0000-4000-8000-000000000001";
  const environment = {
    POSTERN_BUILDER_ADDRESS: `0x${"AB".repeat(20)}`,
    POSTERN_BUILDER_FEE_BPS: "2.5",
    POSTERN_BUILDER_OVERRIDES: `${accountId}=1, ${accountId.replace("1", "2")}=none`,
  };
  expect(readConfig(environment, {}).builder).toMatchObject({
    address: `0x${"ab".repeat(20)}`,
    feeTenthsBps: 25,
    overrides: { [accountId]: 10, [accountId.replace("1", "2")]: null },
  });
});

test("nothing can be changed afterwards", () => {
  const config = readConfig({}, {});
  expect(() => Object.assign(config.limits.orders, { perSecond: 0 })).toThrow(TypeError);
});

const REFUSED: readonly [name: string, value: string][] = [
  ["POSTERN_LISTNE", "127.0.0.1:1"],
  ["POSTERN_LISTEN", "8787"],
  ["POSTERN_LISTEN", "127.0.0.1:65536"],
  ["POSTERN_AUDIENCE", "postern.example.org"],
  ["POSTERN_AUDIENCE", "https://postern.example.org/"],
  ["POSTERN_AUDIENCE", "https://postern.example.org/v1"],
  ["POSTERN_AUDIENCE", "ftp://postern.example.org"],
  ["POSTERN_BUILDER_ADDRESS", "0x12"],
  ["POSTERN_LIMIT_ORDERS", "ten"],
  ["POSTERN_LIMIT_ORDERS", "-1"],
  ["POSTERN_EXCHANGE_WEIGHT", "1e3"],
  ["POSTERN_SPOT_TRIGGERS", "yes"],
  ["POSTERN_FAST_CANCELS", "2"],
  ["POSTERN_REQUIRE_RAILS", "yes"],
  ["POSTERN_MCP_PLAIN_KEYS", "yes"],
  ["POSTERN_OPEN_ORDER_RESERVE", "1001"],
  ["POSTERN_LOG_LEVEL", "verbose"],
  ["POSTERN_ACTION_LIFE_MS", "4999"],
  ["POSTERN_ACTION_LIFE_MS", "60001"],
];

test.each(REFUSED)("%s=%s is refused by name", (name, value) => {
  expect(() => readConfig({ [name]: value }, {})).toThrow(ConfigError);
  expect(() => readConfig({ [name]: value }, {})).toThrow(name);
});

test.each(["10.1", "0.25", "-1", "free"])("a builder fee of %s basis points is refused", (fee) => {
  const environment = { POSTERN_BUILDER_ADDRESS: `0x${"ab".repeat(20)}`, POSTERN_BUILDER_FEE_BPS: fee };
  expect(() => readConfig(environment, {})).toThrow("POSTERN_BUILDER_FEE_BPS");
});

test.each(["", ":1", "host", "host:", "host:1:2", "[::1:2", "a b:1"])("%p is no listen address", (text) => {
  expect(parseListenAddress(text)).toBeNull();
});

test.each([
  ["mainnet", {}, "http://127.0.0.1:8787"],
  ["testnet", {}, "testnet+http://127.0.0.1:8787"],
  ["paper", { POSTERN_LISTEN: "[::1]:1" }, "paper+http://[::1]:1"],
  ["paper", { POSTERN_AUDIENCE: "https://a.example" }, "paper+https://a.example"],
] as const)("a %s directory with %j signs for %s", (network, environment, audience) => {
  expect(audienceOf(readConfig(environment, {}), network)).toBe(audience);
});

test("the hosts that are answered are the listen address, localhost, the public one and the allowed ones", () => {
  const environment = { POSTERN_AUDIENCE: "https://a.example:8443", POSTERN_HOSTS: "B.example, c.example:1" };
  const { allowedHosts } = settingsOf(readConfig(environment, {}), { network: "testnet", version: "1" });
  expect(allowedHosts).toEqual(["127.0.0.1:8787", "localhost:8787", "a.example:8443", "b.example", "c.example:1"]);
});

test("docs/settings.md lists every setting with its default, and no other", () => {
  const document = readFileSync(join(import.meta.dir, "../docs/settings.md"), "utf8");
  const rows = [...document.matchAll(/^\| `(POSTERN_[A-Z_]+)` \| (?:`([^`]*)`)?/gm)].map(([, name, value]) => [
    name,
    value ?? "",
  ]);
  expect(Object.fromEntries(rows)).toEqual({ ...DEFAULTS });
});

const TLS = { POSTERN_TLS_CERTIFICATE: "/etc/postern/fullchain.pem", POSTERN_TLS_KEY: "/etc/postern/key.pem" };

const EXPOSURES: readonly [listen: string, environment: Record<string, string>, exposure: string | null][] = [
  ["127.0.0.1:8787", {}, "this_machine"],
  ["127.8.0.1:8787", {}, "this_machine"],
  ["[::1]:8787", {}, "this_machine"],
  ["localhost:8787", {}, "this_machine"],
  ["0.0.0.0:8787", {}, null],
  ["[::]:8787", {}, null],
  ["203.0.113.5:8787", {}, null],
  ["postern.example.org:8787", {}, null],
  ["127.0.0.1.example.org:8787", {}, null],
  ["[::ffff:127.0.0.1]:8787", {}, null],
  ["0.0.0.0:8787", TLS, "network_with_tls"],
  ["10.0.0.2:8787", { POSTERN_BEHIND_PROXY: "1" }, "network_behind_proxy"],
  ["127.0.0.1:8787", { POSTERN_BEHIND_PROXY: "1" }, "this_machine"],
];

test.each(EXPOSURES)("%s with %p is reached by %p", (listen, environment, exposure) => {
  const config = readConfig({ ...environment, POSTERN_LISTEN: listen }, {});
  if (exposure === null)
    expect(() => exposureOf(config)).toThrow(/--tls-certificate and --tls-key, or say --behind-proxy/);
  else expect(exposureOf(config)).toBe(exposure as ReturnType<typeof exposureOf>);
});

test("with a certificate the gateway's own address, names and grants are those of https", () => {
  const config = readConfig({ ...TLS, POSTERN_LISTEN: "203.0.113.5:443" }, {});
  expect(ownUrlOf(config)).toBe("https://203.0.113.5:443");
  expect(audienceOf(config, "paper")).toBe("paper+https://203.0.113.5:443");
  const { allowedHosts } = settingsOf(config, { network: "mainnet", version: "0" });
  // Clients leave the port that the scheme implies out, or write it.
  expect(allowedHosts).toEqual(["203.0.113.5", "203.0.113.5:443", "localhost", "localhost:443"]);
});

test("a certificate without its key is refused, and a key without its certificate", () => {
  for (const [name, value] of Object.entries(TLS)) {
    expect(() => readConfig({ [name]: value }, {})).toThrow("come together");
  }
});

test.each([
  ["127.0.0.1:9788", {}, "this_machine"],
  ["127.0.0.1:9788", { POSTERN_METRICS_TOKEN_FILE: "/etc/postern/token" }, "this_machine"],
  ["0.0.0.0:9788", { POSTERN_METRICS_TOKEN_FILE: "/etc/postern/token" }, "network_with_token"],
  ["0.0.0.0:9788", {}, null],
  ["[::]:9788", { ...TLS, POSTERN_BEHIND_PROXY: "1" }, null],
  ["10.0.0.2:9788", {}, null],
] as const)("metrics at %s with %p are reached by %p", (listen, environment, exposure) => {
  const config = readConfig({ ...environment, POSTERN_METRICS_LISTEN: listen }, {});
  if (exposure === null) expect(() => metricsExposureOf(config)).toThrow("--metrics-token-file");
  else expect(metricsExposureOf(config)).toBe(exposure);
  expect(metricsExposureOf(readConfig(environment, {}))).toBeNull();
});

test.each([
  ["127.0.0.1:8790", {}, "this_machine"],
  ["0.0.0.0:443", TLS, "network_with_tls"],
  ["0.0.0.0:8790", { POSTERN_BEHIND_PROXY: "1" }, "network_behind_proxy"],
  ["0.0.0.0:8790", {}, null],
] as const)("alerts at %s with %p come from %p", (hooksListen, environment, exposure) => {
  const config = readConfig({ ...environment, POSTERN_HOOKS_LISTEN: hooksListen }, {});
  if (exposure === null) expect(() => hooksExposureOf(config)).toThrow("can be reached from other machines");
  else expect(hooksExposureOf(config)).toBe(exposure);
  expect(hooksExposureOf(readConfig({}, {}))).toBeNull();
});
