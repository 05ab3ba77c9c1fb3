import { cloid, flag, list, literal, MISMATCH, required, struct, u32, u64 } from "./decode.ts";
import { engineId, type L1Reader } from "./reader.ts";

const Cancel = struct(
  {
    type: required(literal("cancel")),
    cancels: required(list(struct({ a: required(u32), o: required(u64) }, "ignore"))),
    f: flag(),
  },
  "refuse",
);

const CancelByCloid = struct(
  {
    type: required(literal("cancelByCloid")),
    cancels: required(list(struct({ asset: required(u32), cloid: required(cloid) }, "ignore"))),
    f: flag(),
  },
  "refuse",
);

export const cancel: L1Reader = {
  kind: "l1",
  read: (json) => {
    const canonical = Cancel(json);
    if (canonical === MISMATCH) return MISMATCH;
    const cancels = canonical.cancels.map(({ a, o }) => ({ a, o: engineId(o) }));
    return { canonical, action: { type: "cancel", cancels, f: canonical.f ?? false } };
  },
};

export const cancelByCloid: L1Reader = {
  kind: "l1",
  read: (json) => {
    const canonical = CancelByCloid(json);
    if (canonical === MISMATCH) return MISMATCH;
    return { canonical, action: { type: "cancelByCloid", cancels: [...canonical.cancels], f: canonical.f ?? false } };
  },
};
