/** What living gateways were shown of orders, by answers and by the frames of a feed. */
export type HeardOrders = {
  /** Client order ids that anything has shown. */
  shownCloids: ReadonlySet<string>;
  /** Those of a record, or of a row in a list of orders: fills and answers to actions have no time of placing. */
  recordedCloids: ReadonlySet<string>;
  /** Native ids of the same: another's order may bear the client order id. */
  recordedOids: ReadonlySet<string>;
};

export type OrdersHeard = HeardOrders & {
  noteAnswer(question: string, answer: string): void;
  noteFrame(frame: string): void;
};

/** Questions that are answered with orders. */
const ASKS_FOR_ORDERS = /"type":"(?:orderStatus|frontendOpenOrders|historicalOrders)"/;
/** Channels that tell them. */
const TELLS_ORDERS = /^\{"channel":"(?:orderUpdates|openOrders)"/;

export function listenForOrders(): OrdersHeard {
  const shownCloids = new Set<string>();
  const recordedCloids = new Set<string>();
  const recordedOids = new Set<string>();
  const note = (text: string, isOfOrders: boolean) => {
    for (const [, cloid = ""] of text.matchAll(/"cloid":"(0x[0-9a-f]{32})"/g)) {
      shownCloids.add(cloid);
      if (isOfOrders) recordedCloids.add(cloid);
    }
    if (!isOfOrders) return;
    for (const [, oid = ""] of text.matchAll(/"oid":(\d+)/g)) recordedOids.add(oid);
  };
  return {
    shownCloids,
    recordedCloids,
    recordedOids,
    noteAnswer: (question, answer) => note(answer, ASKS_FOR_ORDERS.test(question)),
    noteFrame: (frame) => note(frame, TELLS_ORDERS.test(frame)),
  };
}
