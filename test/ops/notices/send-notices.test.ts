/** Notices as their receiver meets them: in order, none left out, signed, and to no address that is not meant. */
import { afterEach, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import type { Network } from "../../../src/core/account.ts";
import { isParkedAfter, NOTICE_TYPE, noticeOf, pauseAfter } from "../../../src/core/notice/notice.ts";
import { isMetadataAddress, isPublicAddress } from "../../../src/core/notice/public-address.ts";
import { postOutside } from "../../../src/exchange/outside-post.ts";
import { openTarget, testReceiver } from "../../../src/ops/notices/receivers.ts";
import { requestOf } from "../../../src/ops/notices/request-of.ts";
import { stopByOperator } from "../../../src/ops/stop-trading.ts";
import { insertAccount } from "../../../src/store/accounts.ts";
import { inTransaction } from "../../../src/store/commit.ts";
import { listReceivers, updateReceiver } from "../../../src/store/notice-receivers.ts";
import { accountRow } from "../../support/rows.ts";
import { type Answers, type NoticeRig, openNoticeRig, until } from "./rig.ts";

let open: NoticeRig | null = null;

function rigOf(answers: Answers = []): NoticeRig {
  open = openNoticeRig(answers);
  return open;
}

afterEach(async () => {
  await open?.close();
  open = null;
});

function reasons({ heard }: NoticeRig): string[] {
  return heard.map(({ body }) => (JSON.parse(body) as { data: { reason: string } }).data.reason);
}

test("each is told once where it is taken, in order, from when the receiver was added", async () => {
  const rig = rigOf();
  rig.raise("before");
  rig.add();
  for (const reason of ["a", "b", "c"]) rig.raise(reason);
  await until(rig, () => rig.heard.length >= 3);
  await until(rig, () => rig.heard.length > 3, 5_000);
  expect(reasons(rig)).toEqual(["a", "b", "c"]);
});

test("the library of Standard Webhooks takes what is signed, and nothing that was changed", async () => {
  const rig = rigOf();
  const { secret } = rig.add();
  rig.raise("a");
  await until(rig, () => rig.heard.length > 0);
  const [{ body, headers } = { body: "", headers: new Headers() }] = rig.heard;
  const webhook = new Webhook(secret ?? "");
  // The library compares with its own clock.
  const sent = { ...Object.fromEntries(headers), "webhook-id": headers.get("webhook-id") ?? "" };
  const realNow = Date.now;
  Date.now = () => rig.clock.nowMs();
  try {
    expect(webhook.verify(body, sent)).toMatchObject({ type: "gateway.disk", data: { reason: "a" } });
    expect(() => webhook.verify(`${body} `, sent)).toThrow();
    expect(() => webhook.verify(body, { ...sent, "webhook-id": "999" })).toThrow();
  } finally {
    Date.now = realNow;
  }
});

const FAILURES: [string, () => Response | "silence", RegExp][] = [
  ["a 500", () => new Response("no", { status: 500 }), /HTTP 500/],
  ["a redirect", () => Response.redirect("http://receiver.test/else", 302), /HTTP 302/],
  ["silence", () => "silence", /no answer within 10 s/],
];

test.each(FAILURES)("after %s the same is told again, before what comes after it", async (_what, answer, reason) => {
  const rig = rigOf([answer(), answer()]);
  rig.add();
  rig.raise("a");
  rig.raise("b");
  await until(rig, () => rig.heard.length >= 4, 6_000);
  expect(reasons(rig)).toEqual(["a", "a", "a", "b"]);
  expect(rig.log.some(({ fields }) => reason.test(String(fields["reason"])))).toBe(true);
  expect(new Set(rig.heard.slice(0, 3).map(({ headers }) => headers.get("webhook-id"))).size).toBe(1);
});

test("what was not taken does not wait for a clock that is set back", async () => {
  const rig = rigOf([new Response("no", { status: 500 })]);
  rig.add();
  rig.raise("a");
  await until(rig, () => rig.log.length >= 1);
  rig.clock.stepWall(-3_600_000);
  await until(rig, () => rig.heard.length >= 2, 6_000);
  expect(reasons(rig)).toEqual(["a", "a"]);
});

test("what a process that died was telling is told again by the next, and nothing is left out", async () => {
  const rig = rigOf(["silence"]);
  rig.add();
  for (const reason of ["a", "b"]) rig.raise(reason);
  await until(rig, () => rig.heard.length === 1);
  rig.restart();
  await until(rig, () => rig.heard.length >= 3);
  expect(reasons(rig)).toEqual(["a", "a", "b"]);
});

test.each([0, 1, 2, 3])("a death while number %p is told: in order, that one again and no other", async (nth) => {
  const before = Array.from({ length: nth }, () => new Response(null, { status: 204 }));
  const rig = rigOf([...before, "silence"]);
  rig.add();
  const all = ["a", "b", "c", "d"];
  for (const reason of all) rig.raise(reason);
  await until(rig, () => rig.heard.length === nth + 1);
  rig.restart();
  await until(rig, () => rig.heard.length >= all.length + 1);
  expect(reasons(rig)).toEqual([...all.slice(0, nth + 1), ...all.slice(nth)]);
  expect(new Set(rig.heard.map(({ headers }) => headers.get("webhook-id"))).size).toBe(all.length);
});

/** Five seconds, ten and so on up to an hour, and then each hour. */
const FAILURES_OF_THREE_DAYS = 82;

test("pauses of three days go before the try after which a receiver is told nothing more", () => {
  const pausesMs = (failures: number) => Array.from({ length: failures - 1 }, (_, nth) => pauseAfter(nth + 1));
  const waitedMs = pausesMs(FAILURES_OF_THREE_DAYS).reduce((sum, pauseMs) => sum + pauseMs, 0);
  expect(waitedMs).toBeGreaterThanOrEqual(3 * 86_400_000);
  expect(waitedMs).toBeLessThan(3 * 86_400_000 + 3_600_000);
  expect([FAILURES_OF_THREE_DAYS - 1, FAILURES_OF_THREE_DAYS].map(isParkedAfter)).toEqual([false, true]);
});

test.each([3, -3])("a clock that is off by %p days for a moment gives no receiver up", async (days) => {
  const rig = rigOf(Array.from({ length: 3 }, () => new Response("no", { status: 500 })));
  rig.add();
  rig.raise("a");
  await until(rig, () => rig.log.length >= 1);
  rig.clock.stepWall(days * 86_400_000);
  await until(rig, () => rig.log.length >= 2);
  rig.clock.stepWall(-days * 86_400_000);
  await until(rig, () => rig.heard.length >= 4, 6_000);
  expect(rig.heard.map(({ body }) => body).filter((body) => body.includes("receiver_parked"))).toEqual([]);
  expect(listReceivers(rig.store)[0]).toMatchObject({ parkedAtMs: null, failures: 0 });
});

test("one that is never reached is given up after three days, the others are told, and a test brings it back", async () => {
  const rig = rigOf();
  rig.add({ name: "gone", url: "http://receiver.test:1/told" });
  rig.add();
  rig.raise("a");
  await until(rig, () => rig.heard.length >= 1);
  const [gone] = listReceivers(rig.store);
  updateReceiver(rig.store, gone?.id ?? "", { failures: FAILURES_OF_THREE_DAYS - 1, nextAtMs: 0 });
  await until(rig, () => rig.heard.length >= 2, 6_000);
  expect(rig.heard.at(-1)?.body).toContain("gateway.receiver_parked");
  expect(listReceivers(rig.store)[0]?.parkedAtMs).not.toBeNull();
  expect(await testReceiver(rig.world, { name: "desk" })).toMatchObject({ taken: true });
  updateReceiver(rig.store, listReceivers(rig.store)[1]?.id ?? "", { parkedAtMs: 1 });
  await testReceiver(rig.world, { name: "desk" });
  expect(listReceivers(rig.store)[1]?.parkedAtMs).toBeNull();
});

test("pauses double, up to an hour", () => {
  expect([1, 2, 3, 30].map(pauseAfter)).toEqual([5_000, 10_000, 20_000, 3_600_000]);
});

const ADDRESSES: [string, boolean][] = [
  ["8.8.8.8", true],
  ["2606:4700::1111", true],
  ["127.0.0.1", false],
  ["10.1.2.3", false],
  ["172.31.0.1", false],
  ["192.168.1.1", false],
  ["169.254.169.254", false],
  ["100.64.0.1", false],
  ["0.0.0.0", false],
  ["255.255.255.255", false],
  ["::1", false],
  ["fd00:ec2::254", false],
  ["fe80::1", false],
  ["::ffff:127.0.0.1", false],
  ["64:ff9b::7f00:1", false],
  ["2002:7f00:1::", false],
  ["receiver.test", false],
];

test.each(ADDRESSES)("%s is public: %p", (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});

const NEVER: [string, boolean][] = [
  ["169.254.169.254", true],
  ["169.254.170.2", true],
  ["100.100.100.200", true],
  ["168.63.129.16", true],
  ["192.0.0.192", true],
  ["fd00:ec2::254", true],
  ["fd20:ce::254", true],
  ["FD00:42:0:0::42", true],
  ["fe80::a9fe:a9fe", true],
  ["::ffff:169.254.169.254", true],
  ["::ffff:a9fe:a9fe", true],
  ["0:0:0:0:0:ffff:a9fe:a9fe", true],
  ["::ffff:0:a9fe:a9fe", true],
  ["::a9fe:a9fe", true],
  ["64:ff9b::a9fe:a9fe", true],
  ["64:ff9b:1::a9fe:a9fe", true],
  ["2002:a9fe:a9fe::", true],
  ["2001:0:1::5601:5601", true],
  ["fe80::1%eth0", true],
  ["receiver.test", true],
  ["127.0.0.1", false],
  ["::1", false],
  ["10.1.2.3", false],
  ["100.64.0.1", false],
  ["fd00::1", false],
  ["8.8.8.8", false],
  ["2606:4700::1111", false],
];

test.each(NEVER)("%s is never told anything, private ones allowed: %p", (address, isNever) => {
  expect(isMetadataAddress(address)).toBe(isNever);
});

const NOT_THERE = "to which no notice is sent";

const REFUSED: [string, string, [addresses: string[], isPrivateAllowed: boolean], string][] = [
  ["a private address", "https://receiver.test/", [["10.0.0.5"], false], NOT_THERE],
  ["a private one among public ones", "https://receiver.test/", [["8.8.8.8", "127.0.0.1"], false], NOT_THERE],
  [
    "what keeps a cloud's secrets, private ones allowed",
    "http://receiver.test/",
    [["169.254.169.254"], true],
    NOT_THERE,
  ],
  ["the same behind a translator", "https://receiver.test/", [["64:ff9b::a9fe:a9fe"], true], NOT_THERE],
  ["plain HTTP to a public address", "http://receiver.test/", [["8.8.8.8"], true], NOT_THERE],
  ["plain HTTP where nothing private is allowed", "http://receiver.test/", [["127.0.0.1"], false], "https://"],
  ["a name with a password", "https://a:b@receiver.test/", [["8.8.8.8"], false], "name or password"],
  ["a name that is not found", "https://receiver.test/", [[], false], "was not found"],
];

test.each(REFUSED)("nothing is sent to %s", async (_what, url, [addresses, isPrivateAllowed], reason) => {
  const rig = rigOf();
  const at = url.replace("receiver.test/", `receiver.test:${new URL(rig.url).port}/`);
  const post = { url: at, headers: {}, body: "x", isPrivateAllowed };
  const answer = await postOutside({ clock: rig.clock, resolve: async () => addresses }, post);
  expect(answer).toMatchObject({ kind: "failed", reason: expect.stringContaining(reason) });
  expect(rig.heard).toEqual([]);
});

test.each<[url: string, isPrivateAllowed: boolean]>([
  ["https://127.0.0.1/x", false],
  ["https://127.1/", false],
  ["https://2130706433/", false],
  ["https://0x7f000001/", false],
  ["https://0177.0.0.1:8443/", false],
  ["https://127.0.0.1./", false],
  ["https://\uff11\uff12\uff17.0.0.1/", false],
  ["https://localhost/", false],
  ["https://LOCALHOST./", false],
  ["https://desk.localhost/", false],
  ["https://[::1]/", false],
  ["https://[::ffff:127.0.0.1]/", true],
  ["https://10.1.2.3/", false],
  ["https://[fd00::1]/", false],
  ["https://169.254.1.1/", false],
  ["http://169.254.169.254/", true],
  ["https://2852039166/", true],
  ["https://[fe80::1]/", true],
  ["http://8.8.8.8/", true],
])("%s is not taken for a receiver (private ones allowed: %p)", (url, isPrivateAllowed) => {
  const rig = rigOf();
  expect(() => rig.add({ url, isPrivateAllowed })).toThrow(
    "is refused, so no notice would reach it: addresses of this machine",
  );
  expect(listReceivers(rig.store)).toEqual([]);
});

test.each<[url: string, isPrivateAllowed: boolean]>([
  ["https://8.8.8.8/", false],
  ["https://[2606:4700::1111]/", false],
  ["https://localhost.example/", false],
  ["http://127.0.0.1:8080/", true],
  ["http://localhost/", true],
  ["https://10.1.2.3/", true],
])("%s may be a receiver (private ones allowed: %p)", (url, isPrivateAllowed) => {
  const rig = rigOf();
  rig.add({ url, isPrivateAllowed });
  expect(listReceivers(rig.store).length).toBe(1);
});

test("a name that leads elsewhere when it is asked again is not asked again", async () => {
  const rig = rigOf();
  const told = ["127.0.0.1", "10.0.0.1"];
  let asked = 0;
  const resolve = async () => [told[asked++] ?? ""];
  const post = { url: rig.url, headers: {}, body: "x", isPrivateAllowed: true };
  expect(await postOutside({ clock: rig.clock, resolve }, post)).toMatchObject({ kind: "answered", httpStatus: 204 });
  expect([asked, rig.heard[0]?.headers.get("host")]).toEqual([1, new URL(rig.url).host]);
});

const TELEGRAM_TOKEN = `123456:${"A".repeat(35)}`;

test("ntfy is sent words for a person with its token, and Telegram is asked by its own form", async () => {
  const rig = rigOf();
  rig.add({ name: "phone", kind: "ntfy", token: "tk_0123456789abcdef" });
  rig.raise("full <b>");
  await until(rig, () => rig.heard.length > 0);
  expect(rig.heard[0]?.body).toBe("The disk is full, or takes no writes\nnetwork: paper\nreason: full ?b?");
  expect(rig.heard[0]?.headers.get("authorization")).toBe("Bearer tk_0123456789abcdef");
  expect(() => rig.add({ name: "chat", kind: "telegram", token: "no", chat: "1" })).toThrow("a token of Telegram's");
  rig.add({ name: "chat", kind: "telegram", token: TELEGRAM_TOKEN, chat: "-42" });
  const chat = listReceivers(rig.store).find(({ kind }) => kind === "telegram");
  const target = chat === undefined ? null : openTarget(rig.world, chat);
  const notice = noticeOf({ id: 7, type: NOTICE_TYPE, atMs: 1, resourceId: "disk", payload: '{"reason":"full <b>"}' });
  if (target === null || notice === null) throw new Error("bug: nothing to ask of Telegram");
  const { url, headers, body } = requestOf("telegram", target, notice, 2);
  expect(url).toBe(`https://api.telegram.org/bot${TELEGRAM_TOKEN}/sendMessage`);
  expect(headers).toEqual({ "Content-Type": "application/json" });
  expect(JSON.parse(body)).toEqual({
    chat_id: "-42",
    text: "The disk is full, or takes no writes\nreason: full ?b?",
  });
});

test.each<[kind: "webhook" | "ntfy", network: Network, told: (text: string) => unknown]>([
  ["webhook", "paper", (text) => JSON.parse(text)],
  ["webhook", "mainnet", (text) => JSON.parse(text)],
  ["ntfy", "testnet", wordsAsNotice],
])("a notice of a stop says to %s which network it truly is, and which account", async (kind, network, told) => {
  const rig = rigOf();
  Object.assign(rig.world, { network });
  inTransaction(rig.store, (store) => insertAccount(store, { ...accountRow(), label: "desk" }));
  rig.add({ kind });
  const { id: accountId } = accountRow();
  const stop = stopByOperator(rig.world, { accountId, keyHash: null, keepsProtection: true });
  await until(rig, () => rig.heard.length > 0);
  const words = { title: "Trading was stopped", network, id: stop.id };
  const [body = ""] = rig.heard.map((each) => each.body);
  expect(told(body)).toMatchObject({
    data: kind === "ntfy" ? { ...words, account: "desk" } : { ...words, account_label: "desk" },
  });
  expect(body).not.toContain("exchange_mainnet");
  if (kind === "ntfy") expect([body.includes("object"), body.includes(accountId)]).toEqual([false, false]);
});

function wordsAsNotice(text: string): unknown {
  const [title, ...lines] = text.split("\n");
  return { data: { title, ...Object.fromEntries(lines.map((line) => line.split(": "))) } };
}

test("address and secrets are in no row as they are, in no log, and open in no other row", async () => {
  const rig = rigOf([new Response("no", { status: 500 })]);
  const { secret } = rig.add({ url: `${rig.url}/T0/very-secret-path` });
  rig.add({ name: "phone", kind: "ntfy", token: "tk_0123456789abcdef" });
  rig.raise("a");
  await until(rig, () => rig.heard.length > 2, 6_000);
  const kept = `${JSON.stringify(rig.log)}${Buffer.from(rig.store.$client.serialize()).toString("latin1")}`;
  for (const text of ["very-secret-path", "tk_0123456789abcdef", secret ?? ""]) expect(kept).not.toContain(text);
  const [desk, phone] = listReceivers(rig.store);
  expect(rig.keyring.openText(`notice receiver ${desk?.id}`, desk?.sealed ?? "")).toContain("very-secret-path");
  expect(rig.keyring.openText(`notice receiver ${desk?.id}`, phone?.sealed ?? "")).toBeNull();
});
