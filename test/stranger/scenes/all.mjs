import { issue15 } from "./issue-15.mjs";
import { own } from "./own.mjs";

export const scenes = [...issue15, ...own];
