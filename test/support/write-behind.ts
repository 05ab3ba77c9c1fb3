import type { Store } from "../../src/store/open.ts";
import { forget } from "../../src/store/remembered.ts";

/** Changes rows as another process would: past the functions of the store, which learns only that something has changed. */
export function writeBehind(store: Store, sql: string): void {
  store.$client.run(sql);
  forget(store);
}
