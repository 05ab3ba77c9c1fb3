import { decimal } from "../../core/decimal.ts";
import { boolean, decimalText, literal, MISMATCH, nullable, optional, required, struct, u32, u64 } from "./decode.ts";
import { engineId, type L1Reader } from "./reader.ts";

const Terms = struct(
  {
    a: required(u32),
    b: required(boolean),
    s: required(decimalText),
    r: required(boolean),
    m: required(u32),
    t: required(boolean),
  },
  "ignore",
);
const Start = struct({ p: required(decimalText), a: required(boolean) }, "ignore");

const Order = struct(
  {
    type: required(literal("twapOrder")),
    twap: required(Terms),
    details: optional(struct({ t: nullable(Start), s: nullable(decimalText) }, "ignore")),
  },
  "refuse",
);
const Cancel = struct({ type: required(literal("twapCancel")), a: required(u32), t: required(u64) }, "refuse");

export const twapOrder: L1Reader = {
  kind: "l1",
  read: (json) => {
    const canonical = Order(json);
    if (canonical === MISMATCH) return MISMATCH;
    const { twap, details } = canonical;
    const start = details?.t ?? null;
    const stop = details?.s ?? null;
    return {
      canonical,
      action: {
        type: "twapOrder",
        twap: { ...twap, s: decimal(twap.s) },
        details:
          details === undefined
            ? null
            : {
                t: start === null ? null : { p: decimal(start.p), a: start.a },
                s: stop === null ? null : decimal(stop),
              },
      },
    };
  },
};

export const twapCancel: L1Reader = {
  kind: "l1",
  read: (json) => {
    const canonical = Cancel(json);
    if (canonical === MISMATCH) return MISMATCH;
    return { canonical, action: { type: "twapCancel", a: canonical.a, t: engineId(canonical.t) } };
  },
};
