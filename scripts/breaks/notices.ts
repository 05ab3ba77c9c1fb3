/** S63: who is told outside, and what of it could be turned round. */
import { type Break, inFile } from "./break.ts";

const CHAT = "src/ops/notices/hear-chats.ts";
const CHATS = "test/ops/notices/hear-chats.test.ts";
const SENT = "test/ops/notices/send-notices.test.ts";
const POST = "src/exchange/outside-post.ts";
const SEND = "src/ops/notices/send-notices.ts";

function broken(name: string, changes: Break["changes"], title: string): Break {
  return { row: "S63", name, changes, seenBy: { test: SENT, title } };
}

function chat(name: string, changes: Break["changes"], title: string): Break {
  return { row: "S63", name, changes, seenBy: { test: CHATS, title } };
}

const KEYS_TOLD = { test: "test/http/key-events.test.ts", title: "%s is told" };

export const NOTICE_BREAKS: readonly Break[] = [
  {
    row: "S63",
    name: "a narrowing is told to nobody",
    changes: inFile("src/store/narrowings.ts", "  tellNarrowing(store, row);\n", ""),
    seenBy: KEYS_TOLD,
  },
  {
    row: "S63",
    name: "a bot that may increase again is told to have lost its limit",
    changes: inFile(
      "src/core/notice/notice.ts",
      'return isOver ? "A bot that had lost its limit of the day may increase again" : ',
      "return ",
    ),
    seenBy: KEYS_TOLD,
  },
  chat(
    "what is said to another bot is obeyed",
    inFile(CHAT, "if (!isForAnother(update, ownName)) await", 'if (update.addressee !== "") await'),
    "of %p a bot that is called %p makes so many stops: %p",
  ),
  broken(
    "a notice says the network of the interface",
    inFile("src/ops/notices/receivers.ts", "data: { network, ...(label", "data: { ...notice.data, ...(label"),
    "a notice of a stop says to %s which network it truly is, and which account",
  ),
  broken(
    "a notice does not say whose it is",
    inFile("src/ops/notices/receivers.ts", "...(label === null ? {} : { account_label: label })", "...{}"),
    "a notice of a stop says to %s which network it truly is, and which account",
  ),
  broken(
    "who can never be reached is taken for a receiver",
    inFile("src/ops/notices/receivers.ts", "if (isNeverSentTo(url, isPrivateAllowed))", 'if (url.host === "")'),
    "%s is not taken for a receiver (private ones allowed: %p)",
  ),
  broken(
    "the name of this machine may be a receiver's",
    inFile(POST, '? "127.0.0.1" : null', "? null : null"),
    "%s is not taken for a receiver (private ones allowed: %p)",
  ),
  broken(
    "one address of a name is judged, and not all",
    inFile(POST, "addresses.find((each)", "addresses.slice(0, 1).find((each)"),
    "nothing is sent to %s",
  ),
  broken(
    "where clouds keep their secrets may be told where private addresses are allowed",
    inFile(POST, "  if (isMetadataAddress(address)) return false;\n", ""),
    "nothing is sent to %s",
  ),
  broken(
    "the name is looked up anew when it is connected to",
    inFile(POST, "new Line({ hostname, port, isSecure, address }", "new Line({ hostname, port, isSecure }"),
    "a name that leads elsewhere when it is asked again is not asked again",
  ),
  broken(
    "a redirect counts as taken",
    inFile("src/ops/notices/receivers.ts", "answer.httpStatus < 300", "answer.httpStatus < 400"),
    "after %s the same is told again, before what comes after it",
  ),
  broken(
    "one that was not taken is passed over",
    inFile(SEND, "else noteFailed(world, receiver, saidBy(answer));", "else noteTaken(world, receiver, next.eventId);"),
    "after %s the same is told again, before what comes after it",
  ),
  broken(
    "the place in the log moves before it is told",
    inFile(
      SEND,
      "      const answer = await tell(world, receiver, next.notice);",
      "      noteTaken(world, receiver, next.eventId);\n      const answer = await tell(world, receiver, next.notice);",
    ),
    "what a process that died was telling is told again by the next, and nothing is left out",
  ),
  broken(
    "the time is not under the signature",
    inFile("src/ops/notices/request-of.ts", "`${id}.${timestamp}.${body}`", "`${id}.${body}`"),
    "the library of Standard Webhooks takes what is signed, and nothing that was changed",
  ),
  broken(
    "what was sealed for one receiver opens for another",
    [
      {
        file: "src/vault/seal-text.ts",
        find: '  cipher.setAAD(Buffer.from(`postern-text\\n1\\n${name}`, "utf8"));',
        put: "  cipher.setAAD(Buffer.from(name.slice(0, 6)));",
      },
      {
        file: "src/vault/seal-text.ts",
        find: '    decipher.setAAD(Buffer.from(`postern-text\\n1\\n${name}`, "utf8"));',
        put: "    decipher.setAAD(Buffer.from(name.slice(0, 6)));",
      },
    ],
    "address and secrets are in no row as they are, in no log, and open in no other row",
  ),
  broken(
    "a receiver that is never reached is tried for ever",
    inFile("src/core/notice/notice.ts", "3 * 86_400_000", "3_000 * 86_400_000"),
    "one that is never reached is given up after three days, the others are told, and a test brings it back",
  ),
  chat(
    "any chat may stop",
    inFile(CHAT, "chat !== target.chat ||", "chat === null ||"),
    "%s stops nothing, and is answered nothing",
  ),
  chat(
    "a stop that was ended comes back with its message",
    inFile(
      CHAT,
      "if (endedStopSince(world.store, id, since))",
      "if (endedStopSince(world.store, id, { ...since, untilMs: 0 }))",
    ),
    "a stop that is delivered again after a death is the same, and none once it was ended",
  ),
  chat(
    "a chat that may not ask is heard",
    inFile(CHAT, "target?.takesCommands === true ? target : null", "target"),
    "who was not allowed to ask is not heard, nobody is during the trial of an upgrade, and the token is in no log",
  ),
];
