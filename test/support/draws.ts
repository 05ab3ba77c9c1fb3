/**
 * Before every test. What a test starts with `process.env` runs as it does elsewhere: what `bun run test` sets for this process alone is
 * not handed on. Where a test names no environment the runtime hands on the one that it has begun with.
 *
 * Properties draw the same cases in each run, so that what fails is what was changed. `POSTERN_TEST_SEED=<number>`
 * draws others; what they find becomes an example of its property.
 */
import fc from "fast-check";
import { KEPT_MEMORY } from "../../scripts/kept-memory.ts";

const SEED = 20_261_123;

fc.configureGlobal({ seed: Number(process.env["POSTERN_TEST_SEED"] ?? SEED) });

for (const name of Object.keys(KEPT_MEMORY)) delete process.env[name];
