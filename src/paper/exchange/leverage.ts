import { boolean, literal, MISMATCH, required, struct, u32 } from "./decode.ts";
import type { L1Reader } from "./reader.ts";

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
