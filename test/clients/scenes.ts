import { READS, STREAMS } from "./read-scenes.ts";
import type { Scene } from "./scene.ts";
import { WRITES } from "./write-scenes.ts";

export const SCENES: readonly Scene[] = [...WRITES, ...READS, ...STREAMS];
