import { own } from "./own.mjs";
import { seen } from "./seen.mjs";

export const scenes = [...seen, ...own];
