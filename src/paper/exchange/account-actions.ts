/** Small L1 actions about the account as a whole. */
import { decimal } from "../../core/decimal.ts";
import { address, boolean, decimalText, literal, MISMATCH, optional, required, struct, text, u64 } from "./decode.ts";
import type { L1Reader } from "./reader.ts";

const Noop = struct({ type: required(literal("noop")) }, "refuse");
const ScheduleCancel = struct({ type: required(literal("scheduleCancel")), time: optional(u64) }, "refuse");
const ReserveRequestWeight = struct(
  { type: required(literal("reserveRequestWeight")), weight: required(u64), destination: optional(address) },
  "refuse",
);
const SetReferrer = struct({ type: required(literal("setReferrer")), code: required(text) }, "refuse");
const AgentSetAbstraction = struct(
  { type: required(literal("agentSetAbstraction")), abstraction: required(literal("i", "u", "p")) },
  "refuse",
);
const CreateSubAccount = struct({ type: required(literal("createSubAccount")), name: required(text) }, "refuse");
const SubAccountTransfer = struct(
  {
    type: required(literal("subAccountTransfer")),
    subAccountUser: required(address),
    isDeposit: required(boolean),
    usd: required(u64),
  },
  "refuse",
);
const SubAccountSpotTransfer = struct(
  {
    type: required(literal("subAccountSpotTransfer")),
    subAccountUser: required(address),
    isDeposit: required(boolean),
    token: required(text),
    amount: required(decimalText),
  },
  "refuse",
);

export const noop: L1Reader = {
  kind: "l1",
  read: (json) => {
    const canonical = Noop(json);
    return canonical === MISMATCH ? MISMATCH : { canonical, action: { type: "noop" } };
  },
};

export const scheduleCancel: L1Reader = {
  kind: "l1",
  read: (json) => {
    const canonical = ScheduleCancel(json);
    if (canonical === MISMATCH) return MISMATCH;
    // Rounded above 2^53: a time in the far future either way.
    const time = canonical.time === undefined ? null : Number(canonical.time);
    return { canonical, action: { type: "scheduleCancel", time } };
  },
};

export const reserveRequestWeight: L1Reader = {
  kind: "l1",
  read: (json) => {
    const canonical = ReserveRequestWeight(json);
    if (canonical === MISMATCH) return MISMATCH;
    const { weight, destination } = canonical;
    // Rounded above 2^53: nobody can pay for it either way.
    const action = { type: "reserveRequestWeight", weight: Number(weight), destination: destination ?? null } as const;
    return { canonical, action };
  },
};

export const setReferrer: L1Reader = {
  kind: "l1",
  read: (json) => {
    const canonical = SetReferrer(json);
    return canonical === MISMATCH ? MISMATCH : { canonical, action: { ...canonical } };
  },
};

export const agentSetAbstraction: L1Reader = {
  kind: "l1",
  read: (json) => {
    const canonical = AgentSetAbstraction(json);
    return canonical === MISMATCH ? MISMATCH : { canonical, action: { ...canonical } };
  },
};

export const createSubAccount: L1Reader = {
  kind: "l1",
  read: (json) => {
    const canonical = CreateSubAccount(json);
    return canonical === MISMATCH ? MISMATCH : { canonical, action: { ...canonical } };
  },
};

export const subAccountTransfer: L1Reader = {
  kind: "l1",
  read: (json) => {
    const canonical = SubAccountTransfer(json);
    return canonical === MISMATCH ? MISMATCH : { canonical, action: { ...canonical } };
  },
};

export const subAccountSpotTransfer: L1Reader = {
  kind: "l1",
  read: (json) => {
    const canonical = SubAccountSpotTransfer(json);
    if (canonical === MISMATCH) return MISMATCH;
    return { canonical, action: { ...canonical, amount: decimal(canonical.amount) } };
  },
};
