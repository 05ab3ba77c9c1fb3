/** How an alarm begins, in an order's or operation's `error`: the exchange shows something else than was asked for. */
export const ALARM = "ALARM";

/** The alarm among the reasons of a leg or an order, which stand one after the other; null where there is none. */
export function alarmIn(reason: string | null): string | null {
  const at = reason?.indexOf(`${ALARM}: `) ?? -1;
  return reason === null || at < 0 ? null : reason.slice(at);
}
