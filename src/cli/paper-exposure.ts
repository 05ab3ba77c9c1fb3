import { type ListenAddress, paperExposureOf } from "../config.ts";
import type { Outside } from "./outside.ts";

/** A paper exchange asks nobody who they are: that is what it is for, and nothing for a network of strangers. */
export function warnOfPaper(listen: ListenAddress, url: string, { warn }: Outside): void {
  if (paperExposureOf(listen) === "this_machine") return;
  warn(`postern: the paper exchange at ${url} can be reached from other machines: anybody there may trade on it\n`);
}
