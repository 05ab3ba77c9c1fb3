/** The exchange's answer on perpetuals to an order of less than 10 USD, and the status word of its record where that answer is lost. */
const BELOW_MINIMUM = ["minimum value", "minTradeNtlRejected"];

/** Whether the exchange refused an order with these words because it is worth too little. */
export function isTooLittle(words: string): boolean {
  return BELOW_MINIMUM.some((each) => words.includes(each));
}
