/** Who is told outside: made, tried and removed. Address and secrets are sealed, which takes the passphrase. */
import {
  CONDITIONS,
  NOTICE_TYPE,
  type Notice,
  type NoticeTarget,
  noticeOf,
  RECEIVER_KINDS,
  type Receiver,
  type ReceiverKind,
} from "../../core/notice/notice.ts";
import { newUuid } from "../../core/uuid.ts";
import { isNeverSentTo, type OutsideAnswer, postOutside, type Resolve } from "../../exchange/outside-post.ts";
import { findAccount } from "../../store/accounts.ts";
import { inTransaction } from "../../store/commit.ts";
import { latestEventId } from "../../store/events.ts";
import { deleteReceiver, insertReceiver, listReceivers, updateReceiver } from "../../store/notice-receivers.ts";
import type { Store } from "../../store/open.ts";
import type { Keyring } from "../keyring.ts";
import { type Operator, OperatorError } from "../operator.ts";
import { requestOf, WEBHOOK_SECRET } from "./request-of.ts";

export type ToTell = Operator & { keyring: Pick<Keyring, "openText" | "sealText">; resolve?: Resolve };

export type WantedReceiver = {
  name: string;
  kind: ReceiverKind;
  /** Of webhook and ntfy; null for Telegram. */
  url: string | null;
  /** Of ntfy and Telegram; of a webhook it is made here. */
  token: string | null;
  /** Of Telegram. */
  chat: string | null;
  isPrivateAllowed: boolean;
  /** Of Telegram: see `hear-chats`. */
  takesCommands: boolean;
};

const MAX_RECEIVERS = 16;
const SECRET_BYTES = 32;
const ID_BYTES = 16;
const TELEGRAM = "https://api.telegram.org";

/** The secret of a webhook is in what this returns, and nowhere else ever after. It is told what happens from now on. */
export function addReceiver(operator: ToTell, wanted: WantedReceiver) {
  const target = targetOf(operator, wanted);
  const host = requireHost(target);
  const id = newUuid(operator.randomBytes(ID_BYTES));
  const createdAtMs = operator.clock.nowMs();
  return inTransaction(operator.store, (store) => {
    const all = listReceivers(store);
    if (all.length >= MAX_RECEIVERS) throw new OperatorError(`there are ${MAX_RECEIVERS} receivers: remove one`);
    if (all.some(({ name }) => name === wanted.name))
      throw new OperatorError(`there is a receiver ${wanted.name} already`);
    const { name, kind } = wanted;
    const sealed = operator.keyring.sealText(purposeOf(id), JSON.stringify(target));
    const begin = { cursor: latestEventId(store), failures: 0, failingSinceMs: null, nextAtMs: 0, parkedAtMs: null };
    insertReceiver(store, { id, name, kind, host, sealed, ...begin, createdAtMs }, "operator");
    return { id, name, kind, host, secret: kind === "webhook" ? target.secret : null };
  });
}

function targetOf(operator: Operator, wanted: WantedReceiver): NoticeTarget {
  const { name, kind, url, token, chat, isPrivateAllowed, takesCommands } = wanted;
  if (!/^[a-z0-9-]{1,40}$/.test(name)) throw new OperatorError("the name is 1 to 40 of a-z, 0-9 and -");
  if (!RECEIVER_KINDS.includes(kind)) throw new OperatorError(`the kind is one of ${RECEIVER_KINDS.join(", ")}`);
  if (takesCommands && kind !== "telegram") throw new OperatorError("a Telegram chat alone may ask for anything");
  if (kind === "telegram") {
    if (token === null || !/^[0-9]{1,20}:[A-Za-z0-9_-]{20,80}$/.test(token))
      throw new OperatorError("a token of Telegram's is digits, a colon and 35 characters");
    if (chat === null || !/^-?[0-9]{1,20}$/.test(chat)) throw new OperatorError("the chat is its number");
    return { url: `${TELEGRAM}/bot${token}/sendMessage`, secret: token, chat, isPrivateAllowed: false, takesCommands };
  }
  if (url === null) throw new OperatorError("the address is missing");
  if (kind === "ntfy") return { url, secret: token, chat: null, isPrivateAllowed };
  const secret = `${WEBHOOK_SECRET}${Buffer.from(operator.randomBytes(SECRET_BYTES)).toString("base64")}`;
  return { url, secret, chat: null, isPrivateAllowed };
}

function requireHost({ url: text, isPrivateAllowed }: NoticeTarget): string {
  const url = URL.parse(text);
  const isForm = url !== null && (url.protocol === "https:" || (url.protocol === "http:" && isPrivateAllowed));
  if (!isForm || url.username !== "" || url.password !== "" || text.length > MAX_URL)
    throw new OperatorError(
      "the address begins with https:// and holds no name and password; http:// goes to private networks, where they are allowed",
    );
  if (isNeverSentTo(url, isPrivateAllowed))
    throw new OperatorError(
      `${url.hostname} is refused, so no notice would reach it: addresses of this machine, of private networks and of clouds' metadata are; ` +
        "--allow-private allows private ones, and plain HTTP to them alone, and never those of metadata",
    );
  return url.host;
}

const MAX_URL = 2_000;

export function purposeOf(id: string): string {
  return `notice receiver ${id}`;
}

/** Null where what is sealed does not open: another passphrase, or a row that somebody else wrote. */
export function openTarget({ keyring }: Pick<ToTell, "keyring">, { id, sealed }: Receiver): NoticeTarget | null {
  const text = keyring.openText(purposeOf(id), sealed);
  // What opens only we have sealed.
  return text === null ? null : (JSON.parse(text) as NoticeTarget);
}

function requireReceiver(store: Store, named: string): Receiver {
  const found = listReceivers(store).find(({ id, name }) => id === named || name === named);
  if (found === undefined) throw new OperatorError(`there is no receiver ${named}`);
  return found;
}

export function removeReceiver(operator: Operator, { name }: { name: string }) {
  return inTransaction(operator.store, (store) => {
    const receiver = requireReceiver(store, name);
    deleteReceiver(store, receiver, { actor: "operator", atMs: operator.clock.nowMs() });
    return { id: receiver.id, name: receiver.name };
  });
}

/** Sends one at once. Where it is taken, a receiver that was given up is told again what it has missed. */
export async function testReceiver(operator: ToTell, { name }: { name: string }) {
  const { store, clock } = operator;
  const receiver = requireReceiver(store, name);
  const nowMs = clock.nowMs();
  const logged = { id: nowMs, type: NOTICE_TYPE, atMs: nowMs, resourceId: "test", payload: null };
  const notice = noticeOf(logged) ?? { id: "test", type: "test", atMs: nowMs, title: CONDITIONS.test, data: {} };
  const answer = await tell(operator, receiver, { ...placeNotice(operator, notice, null), id: `test-${nowMs}` });
  const isTaken = isAccepted(answer);
  const again = { failures: 0, failingSinceMs: null, nextAtMs: 0, parkedAtMs: null };
  if (isTaken) inTransaction(store, () => updateReceiver(store, receiver.id, again));
  return { name: receiver.name, host: receiver.host, taken: isTaken, said: saidBy(answer) };
}

/**
 * With what a person tells it by from the same of another gateway: the network that this truly is, which objects of the interface never say,
 * and the account's label.
 */
export function placeNotice(
  { store, network }: Pick<ToTell, "network" | "store">,
  notice: Notice,
  accountId: string | null,
): Notice {
  const { network: _ofInterface, ...data } = notice.data;
  const named = typeof data["account"] === "string" ? data["account"] : accountId;
  const label = named === null ? null : (findAccount(store, named)?.label ?? null);
  return { ...notice, data: { network, ...(label === null ? {} : { account_label: label }), ...data } };
}

/** One try. */
export async function tell(
  world: Pick<ToTell, "clock" | "keyring" | "resolve">,
  receiver: Receiver,
  notice: Parameters<typeof requestOf>[2],
): Promise<OutsideAnswer> {
  const target = openTarget(world, receiver);
  if (target === null) return { kind: "failed", reason: "its address cannot be opened: add it again" };
  return postOutside(world, requestOf(receiver.kind, target, notice, world.clock.nowMs()));
}

/** A redirect is none: where it leads nobody has looked at. */
export function isAccepted(answer: OutsideAnswer): boolean {
  return answer.kind === "answered" && answer.httpStatus >= 200 && answer.httpStatus < 300;
}

/** Never its own words. */
export function saidBy(answer: OutsideAnswer): string {
  return answer.kind === "answered" ? `HTTP ${answer.httpStatus}` : answer.reason;
}
