import { expect, test } from "bun:test";
import { recoverTypedDataAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { normalSignature } from "../../src/console/wallet/signature.ts";

const account = privateKeyToAccount(`0x${"4c".repeat(32)}`);
const data = {
  domain: { name: "Postern", version: "1" },
  types: { Note: [{ name: "text", type: "string" }] },
  primaryType: "Note",
  message: { text: "hello" },
} as const;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

async function spellings(): Promise<[string, string][]> {
  const plain = await account.signTypedData(data);
  const [r, s, v] = [plain.slice(2, 66), plain.slice(66, 130), Number.parseInt(plain.slice(130), 16)];
  const mirrored = (ORDER - BigInt(`0x${s}`)).toString(16).padStart(64, "0");
  const packed = (BigInt(`0x${s}`) | (BigInt(v - 27) << 255n)).toString(16).padStart(64, "0");
  return [
    ["as it should be", plain],
    ["upper case, no prefix", plain.slice(2).toUpperCase()],
    ["v as 0 or 1", `0x${r}${s}0${v - 27}`],
    ["high s", `0x${r}${mirrored}${(55 - v).toString(16)}`],
    ["compact (EIP-2098)", `0x${r}${packed}`],
    ["with spaces around", ` ${plain}\n`],
  ];
}

test("every spelling of one signature becomes the one that the gateway takes", async () => {
  const plain = await account.signTypedData(data);
  for (const [name, spelling] of await spellings()) {
    expect([name, normalSignature(spelling)]).toEqual([name, plain]);
  }
  expect(await recoverTypedDataAddress({ ...data, signature: plain })).toBe(account.address);
});

test.each([
  ["nothing", ""],
  ["a private key", `0x${"4c".repeat(32)}`],
  ["a contract wallet's", `0x${"4c".repeat(96)}`],
  ["an impossible v", `0x${"4c".repeat(64)}25`],
  ["words", "abandon abandon ability"],
])("%s is no signature", (_name, text) => {
  expect(normalSignature(text)).toBeNull();
});
