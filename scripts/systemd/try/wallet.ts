/** The owner's wallet in the container: `wallet address FILE`, and `wallet sign FILE < what postern printed`. */

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { walletOf } from "../../../test/cli/wallet.ts";

const [verb, file] = process.argv.slice(2);
if (file === undefined) throw new Error("wallet address FILE | wallet sign FILE");
if (!existsSync(file)) writeFileSync(file, randomBytes(32), { mode: 0o600 });
const wallet = walletOf(new Uint8Array(readFileSync(file)));
if (verb === "sign") {
  const { typed_data } = JSON.parse(await Bun.stdin.text());
  console.log(wallet.sign(typed_data));
} else {
  console.log(wallet.address);
}
