/**
 * The websocket of the exchange, without a socket: frames come in as text and go out as text, so that a test
 * needs no port. The hub knows every connection and brings each what it has subscribed to.
 */
import type { ChannelFrame, ChannelReader, ChannelSubscription } from "./channels/channel.ts";
import { marketChannels } from "./channels/market.ts";
import { userChannels } from "./channels/user.ts";
import type { VenueEvent } from "./engine/event.ts";
import { type Decoded, MISMATCH, memberOf } from "./exchange/decode.ts";
import { type ExactJson, jsonText, parseJsonText } from "./exchange/json-text.ts";
import { type Faults, type FrameFault, frameFault, isGreeted } from "./faults.ts";
import type { ReadContext } from "./info/request.ts";

/** What the hub needs of a connection. */
export type SocketPeer = { send(text: string): void; close(code: number, reason: string): void };

export type SocketConnection = {
  readonly peer: SocketPeer;
  /** Of the client; limits are for each. */
  readonly address: string;
  readonly subscriptions: Map<string, ChannelSubscription>;
  /** The last message of each channel that tells only changes, by subscription. */
  readonly said: Map<string, string>;
  lastSentMs: number;
  silentUntilMs: number;
  /** A frame that a fault holds back until the next one has gone. */
  held: string | null;
  /** Frames that a fault makes late, in the order of their sending. */
  late: { readonly dueMs: number; readonly text: string }[];
  pendingPosts: number;
  isOpen: boolean;
};

export type Hub = {
  readonly connections: Set<SocketConnection>;
  readonly context: () => ReadContext;
  readonly faults: () => Faults;
  /** Answers the request inside a `post`: the response member of the frame. */
  readonly post: (type: "info" | "action", payload: ExactJson) => Promise<unknown>;
  ticks: number;
  /** When connections of an address were opened within the last minute. */
  readonly opened: Map<string, number[]>;
};

/** The exchange closes a connection to which it has sent nothing for so long, milliseconds. */
const IDLE_CLOSE_MS = 60_000;
const IDLE_CODE = 1_000;
/** Connections of all addresses together. */
const MAX_CONNECTIONS = 1_000;
/**
 * Of one client address, by the exchange's documentation; its server's own text has been seen to speak of 15 users. How it turns
 * away a connection too many is ours.
 */
const SOCKET_LIMITS = { connections: 10, newConnectionsPerMinute: 30, users: 10, subscriptions: 1_000 };
const MINUTE_MS = 60_000;
const MAX_PENDING_POSTS = 100;
/** Ticks between two messages of a channel that the exchange sends every few seconds, unless the fault file says else. */
const SLOW_TICKS = 3;
const UNREADABLE = "Error parsing JSON into valid websocket request";
const HELLO = "Websocket connection established.";
const OVERLOADED_CODE = 1_013;

/** Null when there are too many; then the peer has been closed. */
export function connect(hub: Hub, peer: SocketPeer, address: string): SocketConnection | null {
  if (!hasRoom(hub, address)) {
    peer.close(OVERLOADED_CODE, "Too many connections");
    return null;
  }
  const connection: SocketConnection = {
    peer,
    address,
    subscriptions: new Map(),
    said: new Map(),
    lastSentMs: hub.context().nowMs,
    silentUntilMs: 0,
    held: null,
    late: [],
    pendingPosts: 0,
    isOpen: true,
  };
  hub.connections.add(connection);
  // Plain text, not JSON: two clients of the exchange guard against it, and nobody has recorded it.
  if (isGreeted(hub.faults())) sendText(hub, connection, HELLO);
  return connection;
}

function hasRoom(hub: Hub, address: string): boolean {
  const { nowMs } = hub.context();
  const limits = limitsOf(hub);
  const recent = (hub.opened.get(address) ?? []).filter((openedMs) => openedMs > nowMs - MINUTE_MS);
  const open = [...hub.connections].filter((one) => one.address === address).length;
  const isFull = hub.connections.size >= MAX_CONNECTIONS || open >= limits.connections;
  if (isFull || recent.length >= limits.newConnectionsPerMinute) return false;
  hub.opened.delete(address);
  hub.opened.set(address, [...recent, nowMs]);
  const oldest = hub.opened.keys().next();
  if (hub.opened.size > MAX_CONNECTIONS && oldest.done !== true) hub.opened.delete(oldest.value);
  return true;
}

function limitsOf(hub: Hub): typeof SOCKET_LIMITS {
  return { ...SOCKET_LIMITS, ...hub.faults().file.socketLimits };
}

export function disconnect(hub: Hub, connection: SocketConnection): void {
  connection.isOpen = false;
  hub.connections.delete(connection);
}

/** One frame from the client. */
export async function receive(hub: Hub, connection: SocketConnection, frame: string): Promise<void> {
  const json = parseJsonText(frame) ?? null;
  const method = memberOf(json, "method");
  const wanted = memberOf(json, "subscription");
  const read = wanted === undefined ? MISMATCH : readSubscription(wanted);
  if (method === "ping") sendFrame(hub, connection, "pong", null);
  else if (method === "post") await receivePost(hub, connection, { json, frame });
  else if (method === "subscribe" && read !== MISMATCH) subscribe(hub, connection, read);
  else if (method === "unsubscribe" && read !== MISMATCH) unsubscribe(hub, connection, read);
  else sendError(hub, connection, `${UNREADABLE}: ${frame}`);
}

function sendError(hub: Hub, connection: SocketConnection, text: string): void {
  sendFrame(hub, connection, "error", text);
}

function subscribe(hub: Hub, connection: SocketConnection, subscription: ChannelSubscription): void {
  const key = jsonText(subscription.echo);
  const refusal = subscriptionRefusal(hub, connection, { key, subscription });
  if (refusal !== null) {
    sendError(hub, connection, refusal);
    return;
  }
  connection.subscriptions.set(key, subscription);
  sendFrame(hub, connection, "subscriptionResponse", { method: "subscribe", subscription: subscription.echo });
  sendNews(hub, connection, { key, frames: subscription.snapshot(hub.context()) });
}

type SubscriptionWish = { readonly key: string; readonly subscription: ChannelSubscription };

function subscriptionRefusal(
  hub: Hub,
  connection: SocketConnection,
  { key, subscription }: SubscriptionWish,
): string | null {
  if (connection.subscriptions.has(key)) return `Already subscribed: ${key}`;
  if (!subscription.isValid(hub.context())) return `Invalid subscription ${key}`;
  const own = [...hub.connections].filter(({ address }) => address === connection.address);
  const all = own.flatMap((one) => [...one.subscriptions.values()]);
  const limits = limitsOf(hub);
  if (all.length >= limits.subscriptions) return `Cannot track more than ${limits.subscriptions} total subscriptions.`;
  const users = new Set(all.flatMap(({ user }) => user ?? []));
  if (subscription.user !== null) users.add(subscription.user);
  return users.size > limits.users ? `Cannot track more than ${limits.users} total users.` : null;
}

function unsubscribe(hub: Hub, connection: SocketConnection, { echo }: ChannelSubscription): void {
  const key = jsonText(echo);
  connection.said.delete(key);
  if (!connection.subscriptions.delete(key)) sendError(hub, connection, `Already unsubscribed: ${key}`);
  else sendFrame(hub, connection, "subscriptionResponse", { method: "unsubscribe", subscription: echo });
}

type PostFrame = { readonly json: ExactJson; readonly frame: string };

async function receivePost(hub: Hub, connection: SocketConnection, { json, frame }: PostFrame): Promise<void> {
  const id = memberOf(json, "id");
  const request = memberOf(json, "request") ?? null;
  const type = memberOf(request, "type");
  const payload = memberOf(request, "payload");
  if (typeof id !== "bigint" || (type !== "info" && type !== "action") || payload === undefined) {
    sendError(hub, connection, `${UNREADABLE}: ${frame}`);
    return;
  }
  if (connection.pendingPosts >= MAX_PENDING_POSTS) {
    sendError(hub, connection, `too many pending post requests id=${id}`);
    return;
  }
  connection.pendingPosts += 1;
  try {
    sendFrame(hub, connection, "post", { id, response: await hub.post(type, payload) });
  } finally {
    connection.pendingPosts -= 1;
  }
}

/** Sends events to every connection that is subscribed to them. `isTimeAlone`: only time has passed, so no state is told again. */
export function publish(hub: Hub, events: readonly VenueEvent[], { isTimeAlone = false } = {}): void {
  if (hub.connections.size === 0) return;
  if (events.length > 0) publishEvents(hub, events);
  if (hub.faults().file.states?.onChange === true) publishStates(hub, isTimeAlone);
}

function publishEvents(hub: Hub, events: readonly VenueEvent[]): void {
  const context = hub.context();
  for (const connection of hub.connections) {
    for (const [key, subscription] of connection.subscriptions) {
      sendNews(hub, connection, { key, frames: subscription.onEvents(context, events) });
    }
  }
}

function publishStates(hub: Hub, isTimeAlone: boolean): void {
  const context = hub.context();
  for (const connection of hub.connections) {
    for (const [key, subscription] of connection.subscriptions) {
      if (isTimeAlone && connection.said.has(key)) continue;
      sendNews(hub, connection, { key, frames: subscription.onChange(context) });
    }
  }
}

/** Sends what goes out by the clock (books, mids, states), and closes connections that have had nothing for a minute. */
export function publishTick(hub: Hub): void {
  hub.ticks += 1;
  const context = hub.context();
  const isSlow = hub.ticks % (hub.faults().file.states?.everyTicks ?? SLOW_TICKS) === 0;
  for (const connection of hub.connections) {
    sendLate(hub, connection);
    for (const [key, subscription] of connection.subscriptions) {
      sendNews(hub, connection, { key, frames: subscription.onTick(context, isSlow) });
    }
    if (context.nowMs - connection.lastSentMs >= IDLE_CLOSE_MS) end(hub, connection, IDLE_CODE, "Inactive");
  }
}

type ChannelNews = { readonly key: string; readonly frames: readonly ChannelFrame[] };

function sendNews(hub: Hub, connection: SocketConnection, { key, frames }: ChannelNews): void {
  for (const { channel, data, unless } of frames) {
    if (unless !== null && connection.said.get(key) === unless) continue;
    if (unless !== null) connection.said.set(key, unless);
    sendFrame(hub, connection, channel, data);
  }
}

export function end(hub: Hub, connection: SocketConnection, code: number, reason: string): void {
  disconnect(hub, connection);
  connection.peer.close(code, reason);
}

function sendFrame(hub: Hub, connection: SocketConnection, channel: string, data: unknown): void {
  const text = jsonText(data === null ? { channel } : { channel, data });
  const fault = frameFault(hub.faults(), channel);
  if (fault === null) sendText(hub, connection, text);
  else sendFaulty(hub, connection, { text, fault });
}

type FaultyFrame = { readonly text: string; readonly fault: FrameFault };

function sendFaulty(hub: Hub, connection: SocketConnection, { text, fault }: FaultyFrame): void {
  switch (fault.kind) {
    // Greets connections, not frames.
    case "hello":
    case "drop":
      break;
    case "late":
      connection.late.push({ dueMs: hub.context().nowMs + fault.ms, text });
      break;
    case "duplicate":
      sendText(hub, connection, text);
      sendText(hub, connection, text);
      break;
    case "reorder":
      // One frame is held at a time; an older one goes out now.
      if (connection.held === null) connection.held = text;
      else sendText(hub, connection, text);
      break;
    case "silent":
      connection.silentUntilMs = hub.context().nowMs + fault.ms;
      break;
    case "close":
      end(hub, connection, fault.code, fault.reason);
      break;
  }
}

/** Sends the frames that a fault has delayed and that are due now. */
function sendLate(hub: Hub, connection: SocketConnection): void {
  const { nowMs } = hub.context();
  const due = connection.late.filter(({ dueMs }) => dueMs <= nowMs);
  connection.late = connection.late.filter(({ dueMs }) => dueMs > nowMs);
  for (const { text } of due) sendText(hub, connection, text);
}

function sendText(hub: Hub, connection: SocketConnection, text: string): void {
  const { nowMs } = hub.context();
  if (!connection.isOpen || nowMs < connection.silentUntilMs) return;
  connection.lastSentMs = nowMs;
  connection.peer.send(text);
  if (connection.held === null) return;
  const { held } = connection;
  connection.held = null;
  connection.peer.send(held);
}

/** Every channel that can be subscribed to. */

const READERS: ReadonlyMap<string, ChannelReader> = new Map(Object.entries({ ...marketChannels, ...userChannels }));

/** `MISMATCH`: no such channel, or a member is missing or wrong. */
function readSubscription(json: ExactJson): Decoded<ChannelSubscription> {
  const type = memberOf(json, "type");
  const reader = typeof type === "string" ? READERS.get(type) : undefined;
  return reader === undefined ? MISMATCH : reader(json);
}

export function channelTypes(): readonly string[] {
  return [...READERS.keys()];
}
