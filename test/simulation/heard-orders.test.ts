/** What the auditor takes a gateway to have been shown. */
import { expect, test } from "bun:test";
import { listenForOrders, type OrdersHeard } from "./heard-orders.ts";

const CLOID = "0x01a1fd7135e9700787fdd10c6e61d491";
const ROW = JSON.stringify({ oid: 7, cloid: CLOID });

function frame(channel: string): (heard: OrdersHeard) => void {
  return (heard) => heard.noteFrame(`{"channel":"${channel}","data":[${ROW}]}`);
}

function answerTo(type: string): (heard: OrdersHeard) => void {
  return (heard) => heard.noteAnswer(JSON.stringify({ type }), ROW);
}

// Of a part that a feed tells the record of, a gateway knows whose it is (simulated seed 890097: of one that no frame told it does not).
test.each<[what: string, hear: (heard: OrdersHeard) => void, isRecorded: boolean]>([
  ["a record by id", answerTo("orderStatus"), true],
  ["a list of open orders", answerTo("frontendOpenOrders"), true],
  ["the history", answerTo("historicalOrders"), true],
  ["a list of fills", answerTo("userFillsByTime"), false],
  ["a feed's order", frame("orderUpdates"), true],
  ["a feed's list of open orders", frame("openOrders"), true],
  ["a feed's fills", frame("userFills"), false],
])("%s shows an order", (_what, hear, isRecorded) => {
  const heard = listenForOrders();
  hear(heard);
  expect([heard.shownCloids.has(CLOID), heard.recordedCloids.has(CLOID), heard.recordedOids.has("7")]).toEqual([
    true,
    isRecorded,
    isRecorded,
  ]);
});
