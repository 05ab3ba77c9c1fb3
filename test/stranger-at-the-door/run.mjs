#!/usr/bin/env node
// 108 attacks on the door of the executable by somebody who read only the documents; needs openssl.
//   node test/stranger-at-the-door/run.mjs [--binary dist/postern] [--only TEXT[,TEXT…]] [--list] [--json] [--log]
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { standAlone } from "../stranger/stand-alone.mjs";

const { values } = parseArgs({
  options: {
    help: { type: "boolean" },
    binary: { type: "string", default: "dist/postern" },
    only: { type: "string" },
    list: { type: "boolean" },
    json: { type: "boolean" },
    log: { type: "boolean" },
  },
});
standAlone({
  path: fileURLToPath(import.meta.url),
  binary: values.list ? null : values.binary,
  programs: ["openssl"],
});
const { attacks } = await import("./attacks/all.mjs");
const { Door } = await import("./door.mjs");

const chosen = values.only
  ? attacks.filter(({ name, group }) => values.only.split(",").some((text) => `${group}/${name}`.includes(text)))
  : attacks;
if (values.list) {
  for (const { name, group } of chosen) console.log(`${group}/${name}`);
  process.exit(0);
}

const binary = resolve(values.binary);
// The limits of keys are in the way of attacks that need more than a few requests; those of failures stay as they are.
const free = {
  POSTERN_LIMIT_ORDERS: "0",
  POSTERN_LIMIT_CANCELS: "0",
  POSTERN_LIMIT_WRITES: "0",
  POSTERN_LIMIT_READS: "0",
  POSTERN_EXCHANGE_WEIGHT: "0",
};
const plain = new Door({ binary, settings: free });
const tls = new Door({ binary, isTls: true });
const doors = [plain, tls];

const stopAll = async () => {
  await Promise.all(doors.map((door) => door.stop()));
};
process.on("SIGINT", () => {
  void stopAll().then(() => process.exit(130));
});

const perform = async ({ name, group, run }) => {
  const seen = [];
  const figures = [];
  const context = {
    plain,
    tls,
    binary,
    broken: (text) => seen.push(text),
    figure: (text) => figures.push(text),
    another: async (options) => {
      const door = new Door({ binary, ...options });
      doors.push(door);
      return door;
    },
  };
  const startedAt = Date.now();
  try {
    await run(context);
  } catch (error) {
    seen.push(`the attack itself failed: ${error.stack}`);
  }
  for (const door of [plain, tls])
    if (!door.isAlive) seen.push(`the gateway ${door.isTls ? "with TLS " : ""}is dead: ${door.log.slice(-400)}`);
  const seconds = (Date.now() - startedAt) / 1000;
  const verdict = seen.length === 0 ? "held" : "BROKEN";
  if (values.json) console.log(JSON.stringify({ group, name, verdict, seen, figures, seconds }));
  else {
    const figure = figures.length > 0 ? ` (${figures.join("; ")})` : "";
    console.log(`${verdict.padEnd(7)}${group}/${name}${figure} ${seconds.toFixed(1)} s`);
    for (const text of seen.slice(0, 8)) console.log(`         ${text}`);
    if (seen.length > 8) console.log(`         and ${seen.length - 8} more`);
  }
  return verdict === "held";
};

let brokenCount = 0;
const startedAt = Date.now();
try {
  await Promise.all(doors.map((door) => door.start()));
  for (const attack of chosen) if (!(await perform(attack))) brokenCount += 1;
  if (values.log) console.log(plain.log);
} finally {
  await stopAll();
}
if (!values.json)
  console.log(
    `${chosen.length} attacks, ${chosen.length - brokenCount} held, ${brokenCount} broken, ${((Date.now() - startedAt) / 1000).toFixed(0)} s`,
  );
process.exit(brokenCount === 0 ? 0 : 1);
