/**
 * Before every test: properties draw the same cases in each run, so that what fails is what was changed. `POSTERN_TEST_SEED=<number>`
 * draws others; what they find becomes an example of its property.
 */
import fc from "fast-check";

const SEED = 20_261_123;

fc.configureGlobal({ seed: Number(process.env["POSTERN_TEST_SEED"] ?? SEED) });
