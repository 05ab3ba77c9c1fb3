/** Holds the lock of a data directory until it is killed. Argument: the directory. */
import { takeLock } from "../../src/store/lock.ts";

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error("which directory?");
takeLock(directory, process.pid);
process.stdout.write("held\n");
setInterval(() => undefined, 60_000);
