#!/usr/bin/env node
// 201 scenes of an exchange that shares no code with Postern, against the executable: what is told, held against its log.
//   node test/stranger/run.mjs --binary dist/postern [--scene NAME[,NAME…]] [--list] [--json] [--jobs N] [--log] [--keep]
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { standAlone } from "./stand-alone.mjs";

const path = fileURLToPath(import.meta.url);
const { values } = parseArgs({
  options: {
    help: { type: "boolean" },
    binary: { type: "string", default: "dist/postern" },
    scene: { type: "string" },
    list: { type: "boolean" },
    json: { type: "boolean" },
    jobs: { type: "string", default: "2" },
    log: { type: "boolean" },
    keep: { type: "boolean" },
    quiet: { type: "boolean" },
    "self-test": { type: "boolean" },
    "in-process": { type: "boolean" },
  },
});
const isAskedOnly = values.list || values["self-test"];
standAlone({ path, binary: isAskedOnly ? null : values.binary, isKept: values.keep });
const { connectionId } = await import("./exchange/wire.mjs");
const { scenes } = await import("./scenes/all.mjs");
const { perform } = await import("./stage.mjs");

// A name, a beginning (`modify-*`), or a kind of `scenes/seen.mjs` (`#4`).
const matches = (scene, wanted) =>
  wanted === scene.name ||
  (wanted.endsWith("*") && scene.name.startsWith(wanted.slice(0, -1))) ||
  wanted === `#${scene.point}`;
const chosen = values.scene
  ? scenes.filter((scene) => values.scene.split(",").some((wanted) => matches(scene, wanted)))
  : scenes;

const tell = (result) => {
  if (values.json) return console.log(JSON.stringify(result));
  const unknown = result.unknownMs > 0 ? `, unknown ${(result.unknownMs / 1000).toFixed(1)} s` : "";
  console.log(
    `${result.verdict === "true" ? "true    " : result.verdict.toUpperCase().padEnd(8)} ${result.scene} (${result.seconds.toFixed(0)} s${unknown}${result.isBeyond ? ", beyond the protocol" : ""})`,
  );
  if (values.quiet) return undefined;
  const shown = {};
  for (const finding of result.findings) {
    shown[finding.kind] = (shown[finding.kind] ?? 0) + 1;
    if (shown[finding.kind] > 5 && !values.log) continue;
    console.log(`    ${finding.kind}: ${finding.what}`);
    if (finding.told)
      console.log(
        `      told at +${(finding.at / 1000).toFixed(2)}s by ${finding.told}${finding.body ? `: ${finding.body}` : ""}`,
      );
    for (const line of finding.log.slice(0, 14)) console.log(`      | ${line}`);
  }
  for (const [kind, count] of Object.entries(shown))
    if (count > 5 && !values.log) console.log(`    ${kind}: and ${count - 5} more`);
  if (values.log) {
    console.log("    --- the exchange");
    for (const line of result.log) console.log(`      ${line}`);
    console.log("    --- what was told");
    for (const line of result.statements) console.log(`      ${line}`);
  }
  return undefined;
};

const children = new Set();
const stopAll = (signal) => {
  for (const child of children) child.kill(signal);
  process.exit(143);
};
if (!values["in-process"] && chosen.length > 1) {
  process.on("SIGINT", stopAll);
  process.on("SIGTERM", stopAll);
}

const inChild = (scene) =>
  new Promise((done) => {
    const args = [path, "--in-process", "--json", "--binary", values.binary, "--scene", scene.name];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    children.add(child);
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
    });
    child.on("exit", (code) => {
      children.delete(child);
      try {
        done(JSON.parse(text));
      } catch {
        done({
          scene: scene.name,
          verdict: "broken",
          findings: [{ kind: "broken", what: `the scene ended with ${code}`, log: [] }],
          unknownMs: 0,
          seconds: 0,
          log: [],
          statements: [],
        });
      }
    });
  });

if (values["self-test"]) {
  const order = (fields) => ({ type: "order", orders: [{ b: true, r: false, ...fields }], grouping: "na" });
  const vectors = [
    [
      order({ a: 4, p: "1670.1", s: "0.0147", t: { limit: { tif: "Ioc" } } }),
      1_677_777_606_040,
      "0x0fcbeda5ae3c4950a548021552a4fea2226858c4453571bf3f24ba017eac2908",
    ],
    [
      order({ a: 0, p: "30000", s: "0.1", t: { limit: { tif: "Gtc" } } }),
      1_234_567_890,
      "0x25367e0dba84351148288c2233cd6130ed6cec5967ded0c0b7334f36f957cc90",
    ],
  ];
  const wrong = vectors.filter(([action, nonce, id]) => connectionId({ action, nonce, vaultAddress: null }) !== id);
  console.log(`${vectors.length - wrong.length} of ${vectors.length} published vectors`);
  process.exit(wrong.length);
}
if (values.list) {
  for (const scene of scenes)
    console.log(`${(scene.point ? `#${scene.point}` : "").padEnd(4)} ${scene.name.padEnd(44)} ${scene.about}`);
  process.exit(0);
}
if (chosen.length === 0) {
  console.error(`no scene is called ${values.scene}; --list tells the names`);
  process.exit(2);
}

const results = [];
const queue = [...chosen];
const work = async () => {
  for (let scene = queue.shift(); scene; scene = queue.shift()) {
    const isAlone = values["in-process"] || chosen.length === 1;
    const result = isAlone
      ? await perform(scene, { binary: resolve(values.binary), keep: values.keep })
      : await inChild(scene);
    results.push(result);
    tell(result);
  }
};
await Promise.all(Array.from({ length: Math.max(1, Number(values.jobs)) }, work));
const failed = results.filter((each) => each.verdict !== "true");
if (!values.json && results.length > 1) {
  const counts = {};
  for (const each of results) counts[each.verdict] = (counts[each.verdict] ?? 0) + 1;
  console.log(
    `${results.length} scenes: ${Object.entries(counts)
      .map(([verdict, n]) => `${n} ${verdict}`)
      .join(", ")}`,
  );
}
// A pipe takes its time: leave only when everything is written.
process.stdout.write("", () => process.exit(failed.length > 0 ? 1 : 0));
