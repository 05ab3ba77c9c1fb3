import type { Clock } from "../core/clock.ts";
import type { Reads } from "./reads.ts";

/** How much our builder may take from whom, as the exchange last told us. */
export type BuilderApproval = {
  /** Tenths of a basis point; null while the exchange has not been asked. */
  approvedTenthsBps(ownerAddress: string): number | null;
  /** The exchange has refused an order for want of an approval: none until it is asked again, which is done now. */
  refused(ownerAddress: string): void;
  /** Asks the exchange; what is known stays where it cannot be asked. Never throws. */
  refresh(ownerAddress: string): Promise<void>;
};

/** Shortest time between two questions that refusals lead to, for one owner, milliseconds. */
const REFUSED_SPACING_MS = 10_000;

export type ApprovalOptions = {
  /** Null = no builder is configured, and nothing is asked. */
  builderAddress: string | null;
  reads: Pick<Reads, "maxBuilderFee">;
  clock: Clock;
};

export function openBuilderApproval({ builderAddress, reads, clock }: ApprovalOptions): BuilderApproval {
  const approved = new Map<string, number>();
  const refusedAtMs = new Map<string, number>();

  async function refresh(ownerAddress: string): Promise<void> {
    if (builderAddress === null) return;
    const read = await reads.maxBuilderFee(ownerAddress, builderAddress, "order");
    if (read.kind === "ok") approved.set(ownerAddress, read.value);
  }

  return {
    approvedTenthsBps: (ownerAddress) => approved.get(ownerAddress) ?? null,
    refused: (ownerAddress) => {
      approved.set(ownerAddress, 0);
      const nowMs = clock.elapsedMs();
      const lastMs = refusedAtMs.get(ownerAddress);
      if (lastMs !== undefined && nowMs - lastMs < REFUSED_SPACING_MS) return;
      refusedAtMs.set(ownerAddress, nowMs);
      void refresh(ownerAddress);
    },
    refresh,
  };
}
