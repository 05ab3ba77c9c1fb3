/** A notice as each kind of receiver takes it. */
import { createHmac } from "node:crypto";
import { type Notice, type NoticeTarget, type ReceiverKind, wordsOf } from "../../core/notice/notice.ts";
import { isoTime } from "../../core/resource.ts";
import type { OutsidePost } from "../../exchange/outside-post.ts";

/** @param nowMs when it is sent: a receiver refuses what was signed long ago */
export function requestOf(kind: ReceiverKind, target: NoticeTarget, notice: Notice, nowMs: number): OutsidePost {
  const { url, isPrivateAllowed } = target;
  switch (kind) {
    case "webhook":
      return { url, isPrivateAllowed, ...signed(target, notice, nowMs) };
    case "ntfy": {
      const authorization = target.secret === null ? {} : { Authorization: `Bearer ${target.secret}` };
      const headers = { "Content-Type": "text/plain; charset=utf-8", Title: "Postern", ...authorization };
      return { url, isPrivateAllowed, headers, body: wordsOf(notice) };
    }
    case "telegram":
      return { url, isPrivateAllowed, ...json({ chat_id: target.chat, text: wordsOf(notice) }) };
  }
}

function json(value: object): Pick<OutsidePost, "headers" | "body"> {
  return { headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) };
}

/** By the Standard Webhooks specification: id, time and body under HMAC-SHA256. */
function signed(
  { secret }: NoticeTarget,
  { id, type, atMs, title, data }: Notice,
  nowMs: number,
): Pick<OutsidePost, "headers" | "body"> {
  const body = JSON.stringify({ type, timestamp: isoTime(atMs), data: { title, ...data } });
  const timestamp = String(Math.floor(nowMs / 1_000));
  const key = Buffer.from((secret ?? "").replace(WEBHOOK_SECRET, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    body,
    headers: {
      "Content-Type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    },
  };
}

/** What such a secret begins with. */
export const WEBHOOK_SECRET = "whsec_";
