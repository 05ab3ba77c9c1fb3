import { dlopen, ptr } from "bun:ffi";

const C_LIBRARY = "libc.so.6";
/** Of <sys/resource.h> and <sys/prctl.h> of Linux, the same on x64 and arm64. */
const RLIMIT_CORE = 4;
const PR_SET_DUMPABLE = 4;

/**
 * No core dump of this process, whatever the machine's settings, and no other process of the same user reads its memory.
 * False where the system is another one.
 */
export function protectMemory(): boolean {
  try {
    const library = dlopen(C_LIBRARY, {
      setrlimit: { args: ["i32", "ptr"], returns: "i32" },
      prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
    });
    const none = new BigUint64Array([0n, 0n]);
    // A second lock on the same door: a sandbox may forbid the call, and has set the limit itself.
    library.symbols.setrlimit(RLIMIT_CORE, ptr(none));
    const isClosed = library.symbols.prctl(PR_SET_DUMPABLE, 0n, 0n, 0n, 0n) === 0;
    library.close();
    return isClosed;
  } catch {
    return false;
  }
}
