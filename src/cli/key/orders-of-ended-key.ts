/**
 * What becomes of what a key has placed once it has ended, in lines: whoever holds a position has to know what still protects it.
 *
 * @param stopId the stop that withdraws what could increase; null where that was not asked for
 */
export function ordersOfEndedKey(stopId: string | null): string[] {
  const held = "Nothing that is held is closed.";
  if (stopId === null)
    return [
      `Orders stay as they are, those too that could make a position larger: --cancel-orders takes those along. ${held}`,
    ];
  return [
    `What it has placed and could make a position larger is being withdrawn. What only reduces stays, stops and take-profits among it. ${held}`,
    `How far that is, and what was kept: GET /v1/stops/${stopId}, by another key of the account.`,
  ];
}
