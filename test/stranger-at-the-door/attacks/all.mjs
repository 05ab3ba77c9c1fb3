import { bodies, idempotency } from "./bodies.mjs";
import { costs } from "./costs.mjs";
import { floods, streams } from "./floods.mjs";
import { grants } from "./grants.mjs";
import { files, leaks } from "./inside.mjs";
import { keys } from "./keys.mjs";
import { messages } from "./messages.mjs";
import { hosts, paths } from "./names.mjs";
import { tls } from "./tls.mjs";

const groups = { messages, hosts, paths, keys, bodies, idempotency, grants, tls, files, costs, streams, floods, leaks };

export const attacks = Object.entries(groups).flatMap(([group, rows]) =>
  rows.map(([name, run]) => ({ group, name, run })),
);
