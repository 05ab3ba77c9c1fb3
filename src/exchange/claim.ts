/** A large question that found no room. Until it is taken, or lapses, what is smaller leaves that much free. */
export type Claims = {
  /** Weight that is kept from a question of this weight, for a larger one. */
  keptFrom(weight: number, second: number): number;
  /** It found no room. */
  unmet(weight: number, second: number): void;
  taken(weight: number): void;
};

/** What wanted it has ended by then, or has asked again: looks come every 10 s at the least. Seconds. */
const CLAIM_S = 15;

/** Small questions would otherwise eat whatever room there is, and a sweep would never find enough at once. */
export function createClaims(): Claims {
  let claim: { weight: number; untilSecond: number } | null = null;

  function keptFrom(weight: number, second: number): number {
    if (claim === null || second >= claim.untilSecond || weight >= claim.weight) return 0;
    return claim.weight;
  }

  return {
    keptFrom,
    unmet: (weight, second) => {
      if (keptFrom(weight, second) === 0) claim = { weight, untilSecond: second + CLAIM_S };
    },
    taken: (weight) => {
      if (claim !== null && weight >= claim.weight) claim = null;
    },
  };
}
