/** Run by a test: protects this process as a gateway does, and prints what the system says of it afterwards. */
import { dlopen } from "bun:ffi";
import { readFileSync } from "node:fs";
import { protectMemory } from "../../src/cli/memory.ts";

/** Of <sys/prctl.h>. */
const PR_GET_DUMPABLE = 3;

const isProtected = protectMemory();
const { prctl } = dlopen("libc.so.6", {
  prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
}).symbols;
const limits = readFileSync("/proc/self/limits", "utf8");
const [, coreBytes] = /^Max core file size\s+(\S+\s+\S+)/m.exec(limits) ?? [];
console.log(JSON.stringify({ isProtected, dumpable: prctl(PR_GET_DUMPABLE, 0n, 0n, 0n, 0n), coreBytes }));
