/** In what words the exchange refuses an order on perpetuals of less than 10 USD: in its answer, and in the status of its record. */
const BELOW_MINIMUM = ["minimum value", "minTradeNtlRejected"];

/** Whether the exchange refused an order with these words because it is worth too little. */
export function isTooLittle(words: string): boolean {
  return BELOW_MINIMUM.some((each) => words.includes(each));
}
