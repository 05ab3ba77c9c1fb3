/** Money that left the accounts, so that the sum over everything stays what was paid in. */
export type Pools = {
  /** Fees by token index; perp fees under the collateral token of their dex. */
  fees: Map<number, bigint>;
  /** What hourly funding did not balance to zero, by collateral token. */
  fundingResidue: Map<number, bigint>;
  /** Everything ever paid in minus paid out, by token. */
  netDeposits: Map<number, bigint>;
};
