/** Words for the operator, who may know what a restored gateway does not. */
import { isoTime } from "./output.ts";

/** Beside what was released; none where there was no restore. */
export function afterRelease(account: string, knownUntilMs: number | null): string[] {
  if (knownUntilMs === null) return [];
  return [
    `The gateway was restored and knows what was until ${isoTime(knownUntilMs)}: a stop, a narrowing, a pause, a block or a`,
    "revocation of after that it does not know, and does not keep to. Where there was one, or you are not sure:",
    `  postern stop --account ${account}`,
  ];
}
