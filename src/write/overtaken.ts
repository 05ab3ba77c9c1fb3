import { ApiError } from "../core/errors.ts";

/** What a write was planned by has changed before its intent: nothing is stored, and it is planned again. `because`: a sentence. */
export class PlanOvertaken extends ApiError {
  constructor(because: string) {
    super("exchange_unreachable", `${because} Nothing was sent.`, 1);
  }
}
