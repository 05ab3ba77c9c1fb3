/**
 * Set for a process that computes and then ends: what it frees is kept for what it needs next. By default the runtime's allocator
 * gives memory back to the system within moments and soon asks for it again, which takes a quarter of such a process's time. Never for
 * a program that is under test: that is to run as it does elsewhere.
 */
export const KEPT_MEMORY = { MIMALLOC_PURGE_DELAY: "-1" } as const;
