/**
 * `bun run examples`: the client of Python goes through the scenes and golden rows by which that of TypeScript is tested.
 */
import { tryPython } from "./examples/python-scenes.ts";

const { tried, failed } = await tryPython();
console.log(`clients/python/postern.py: ${tried} scenes and golden rows, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
