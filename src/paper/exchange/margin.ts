import { decimal } from "../../core/decimal.ts";
import { boolean, decimalText, i64, literal, MISMATCH, required, struct, u32 } from "./decode.ts";
import type { L1Reader } from "./reader.ts";

const Update = struct(
  {
    type: required(literal("updateIsolatedMargin")),
    asset: required(u32),
    isBuy: required(boolean),
    ntli: required(i64),
  },
  "refuse",
);

const TopUp = struct(
  { type: required(literal("topUpIsolatedOnlyMargin")), asset: required(u32), leverage: required(decimalText) },
  "refuse",
);

export const updateIsolatedMargin: L1Reader = {
  kind: "l1",
  read: (json) => {
    const canonical = Update(json);
    return canonical === MISMATCH ? MISMATCH : { canonical, action: { ...canonical } };
  },
};

export const topUpIsolatedOnlyMargin: L1Reader = {
  kind: "l1",
  read: (json) => {
    const canonical = TopUp(json);
    if (canonical === MISMATCH) return MISMATCH;
    return { canonical, action: { ...canonical, leverage: decimal(canonical.leverage) } };
  },
};

const decode = struct(
  {
    type: required(literal("updateLeverage")),
    asset: required(u32),
    isCross: required(boolean),
    leverage: required(u32),
  },
  "refuse",
);

export const updateLeverage: L1Reader = {
  kind: "l1",
  read: (json) => {
    const canonical = decode(json);
    return canonical === MISMATCH ? MISMATCH : { canonical, action: { ...canonical } };
  },
};
