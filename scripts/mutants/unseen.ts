import { type Mutant, one } from "./mutant.ts";

const SEND = "src/settle/send/send.ts";
const SEAL = "src/settle/send/seal.ts";
const CANCELER = "src/settle/cancel-all/canceler.ts";

/** Bugs of one line that were planted by hand and that no row had seen. */
export const UNSEEN: readonly Mutant[] = [
  one(
    "a cancel-all is done before the orders of elsewhere were read",
    CANCELER,
    "row === null || isOutsideDue(row) ||",
    "row === null ||",
  ),
  one(
    "a cancel-all is done before what a lost machine had signed is known",
    CANCELER,
    " || awaitsTakeUp(store, account.id)) return false;",
    ") return false;",
  ),
  one(
    "an empty action is signed on a number that is known to be taken",
    SEAL,
    "if (now === null || now.seal !== null) return null;",
    "if (now === null) return null;",
  ),
  one(
    "empty actions take the actions that orders could have",
    SEAL,
    " || !hasActionsLeft(world, attempt)) return attempt;",
    ") return attempt;",
  ),
  one(
    "an empty action is weighed by the row of before it was counted",
    SEAL,
    "sealByNoop(now, answer",
    "sealByNoop(attempt, answer",
  ),
  one(
    "a number is free after a server's error",
    SEND,
    'result.reply.reason === "no_answer" || result.reply.reason === "server_error"',
    'result.reply.reason === "no_answer"',
  ),
  one("one word too many is believed", SEND, "reply.statuses.length > count;", "reply.statuses.length > count + 1;"),
  one(
    "an action leaves that can only arrive to be refused",
    SEND,
    ">= world.settings.timings.actionLifeMs / 2;",
    ">= 0;",
  ),
];
