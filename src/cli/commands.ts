import type { Command } from "./command.ts";
import { versionCommand } from "./version.ts";

/** Every command that works; what does not work yet is not shown. */
export const COMMANDS: readonly Command[] = [versionCommand];
