import { Type } from "@sinclair/typebox";
import { ERROR_STATUS, ERROR_TYPE } from "../../core/errors.ts";
import { closed, words } from "./common.ts";

/** All that there are, for every route: each route lists its own beside its answers. */
const ErrorCode = words(Object.keys(ERROR_STATUS), {
  title: "ErrorCode",
  description: "What a program decides on. A later version may add words: go by `type` where one is not known.",
});

/** Spec 2.9. */
export const ErrorBody = closed(
  {
    error: closed({
      type: words(Object.values(ERROR_TYPE), { description: "Kind of failure; one for each HTTP status." }),
      code: ErrorCode,
      message: Type.String({ description: "The same in words for a person; names the field and the rule." }),
      orders: Type.Optional(
        Type.Array(
          closed({
            index: Type.Integer({ minimum: 0, maximum: 38, description: "Which order of the batch, from 0." }),
            code: ErrorCode,
            message: Type.String({ description: "What is wrong with it." }),
          }),
          { minItems: 1, maxItems: 39, description: "Of a batch: each order that cannot be sent, and why." },
        ),
      ),
    }),
  },
  {
    title: "Error",
    description: "The body of every failure. A failure means that this request sent nothing to the exchange.",
  },
);
