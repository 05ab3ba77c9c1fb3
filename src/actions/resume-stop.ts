import { ApiError } from "../core/errors.ts";
import type { With } from "../deps.ts";
import { inTransaction } from "../store/commit.ts";
import { listStandingStops, resumeStops } from "../store/stops.ts";
import { resumptionDigest, signerOf } from "../wire/grant.ts";
import { signedAccount } from "./find-account.ts";
import { requireStop, stopShown } from "./stop-trading.ts";

/** What the owner signed; ids lower case. */
export type SignedResumption = { accountId: string; stopId: string; signature: string };

type ToResume = With<"clock" | "flattener" | "settings" | "stopper" | "store">;

/**
 * `POST /v1/stops/{id}/resume`: one stop is ended by its owner's signature, which names it, so that it ends no later one. No
 * API key may: whoever is stopped must not be able to end that.
 */
export function resumeStop(deps: ToResume, { accountId, stopId, signature }: SignedResumption): string {
  const account = signedAccount(deps, accountId);
  const { audience } = deps.settings;
  if (signerOf(resumptionDigest({ audience, accountId, stopId }), signature) !== account.ownerAddress) {
    throw new ApiError(
      "invalid_signature",
      "signature is not the account owner's signature of this resumption for this gateway (65 bytes, or 64 as EIP-2098 has it; low s).",
    );
  }
  // Who has signed is told what there is; before that nobody is.
  requireStop(deps, accountId, stopId);
  const atMs = deps.clock.nowMs();
  inTransaction(deps.store, (store) => {
    const isStanding = listStandingStops(store, accountId).some(({ id }) => id === stopId);
    if (isStanding) resumeStops(store, [stopId], { actor: "owner", atMs });
  });
  return JSON.stringify(stopShown(deps, requireStop(deps, accountId, stopId)));
}
