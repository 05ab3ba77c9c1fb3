import { odd } from "./odd.mjs";
import { own } from "./own.mjs";
import { seen } from "./seen.mjs";

export const scenes = [...seen, ...own, ...odd];
