import { expect, test } from "bun:test";
import { readTree } from "../../scripts/tidy.ts";

const SOURCES = readTree(`${import.meta.dir}/../..`).filter(({ path }) => path.startsWith("src/"));

/** Names in examples that are shown to people, of which nothing is ever asked. */
const SHOWN_ONLY = /(^|\.)example(\.[a-z]+)?$/;

test("no host but the exchange's two and this machine's own is named in the sources", () => {
  const hosts = SOURCES.flatMap(({ text }) =>
    [...text.matchAll(/\b(?:https?|wss?):\/\/([a-zA-Z0-9.-]+)/g)].map((match) => match[1] ?? ""),
  );
  const named = new Set(hosts.filter((host) => !SHOWN_ONLY.test(host)));
  // `postern` and `paper` are the names of a Unix socket and of an exchange in the same process. Telegram is told notices
  // where the owner has added a chat as a receiver.
  const known = [
    "api.hyperliquid.xyz",
    "api.hyperliquid-testnet.xyz",
    "api.telegram.org",
    "127.0.0.1",
    "localhost",
    "postern",
    "paper",
  ];
  expect([...named].filter((host) => !known.includes(host))).toEqual([]);
  expect(named.size).toBeGreaterThan(2);
});

test("no code is made of text", () => {
  // The words themselves, so that no other spelling of a call gets by; and a module that is a text.
  const isMade = /\beval\b|\bFunction\b(?!s)|["'](?:node:)?vm["']|import\(\s*["'`]data:|data:text\/javascript/;
  expect(SOURCES.filter(({ text }) => isMade.test(text)).map(({ path }) => path)).toEqual([]);
  for (const planted of ["(0, eval)('1')", "Function('return 1')()", "globalThis['eval']('1')", 'import("data:,1")']) {
    expect([planted, isMade.test(planted)]).toEqual([planted, true]);
  }
});
