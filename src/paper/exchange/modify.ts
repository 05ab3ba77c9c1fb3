import { cloid, either, flag, list, literal, MISMATCH, required, struct, u64 } from "./decode.ts";
import { OrderWire, orderRequest } from "./order.ts";
import { engineId, type L1Reader } from "./reader.ts";

const OrderId = either(u64, cloid);

const Modify = struct(
  { type: required(literal("modify")), oid: required(OrderId), order: required(OrderWire), a: flag() },
  "refuse",
);

const BatchModify = struct(
  {
    type: required(literal("batchModify")),
    modifies: required(list(struct({ oid: required(OrderId), order: required(OrderWire) }, "ignore"))),
    a: flag(),
  },
  "refuse",
);

export const modify: L1Reader = {
  kind: "l1",
  read: (json) => {
    const canonical = Modify(json);
    if (canonical === MISMATCH) return MISMATCH;
    const { oid, order, a } = canonical;
    return { canonical, action: { type: "modify", oid: engineOid(oid), order: orderRequest(order), a: a ?? false } };
  },
};

export const batchModify: L1Reader = {
  kind: "l1",
  read: (json) => {
    const canonical = BatchModify(json);
    if (canonical === MISMATCH) return MISMATCH;
    const modifies = canonical.modifies.map(({ oid, order }) => ({ oid: engineOid(oid), order: orderRequest(order) }));
    return { canonical, action: { type: "batchModify", modifies, a: canonical.a ?? false } };
  },
};

function engineOid(oid: bigint | string): number | string {
  return typeof oid === "bigint" ? engineId(oid) : oid;
}
