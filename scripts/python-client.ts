/**
 * `bun run python-client`: clients/python/postern.py through the scenes and golden rows by which the client of TypeScript is tested.
 */
import { tryPython } from "./examples/python-scenes.ts";

const { tried, failed } = await tryPython();
console.log(`clients/python/postern.py: ${tried} scenes and golden rows, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
