import { Type } from "@sinclair/typebox";
import { ERROR_TYPE } from "../../core/errors.ts";
import { closed, words } from "./common.ts";

/** Spec 2.9. */
export const ErrorBody = closed(
  {
    error: closed({
      type: words(Object.values(ERROR_TYPE), { description: "Kind of failure; one for each HTTP status." }),
      code: Type.String({ description: "What a program decides on. The codes of each route are listed there." }),
      message: Type.String({ description: "The same in words for a person; names the field and the rule." }),
    }),
  },
  {
    title: "Error",
    description: "The body of every failure. A failure means that this request sent nothing to the exchange.",
  },
);
