/** Holds the lock of a data directory until it is killed. Argument: the directory. */
import { takeLock } from "../../src/store/lock.ts";

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error("which directory?");
takeLock(directory, process.pid);
// Nobody refers to the lock from here on: it has to hold all the same.
Bun.gc(true);
process.stdout.write("held\n");
setInterval(() => undefined, 60_000);
