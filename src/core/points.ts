/** The named steps at which a test may stop, delay or kill us, in the order in which an action passes them. */
export type Point =
  | "before_intent"
  | "after_intent"
  | "before_send"
  | "after_answer"
  | "before_outcome"
  | "after_outcome"
  | "before_reply"
  | "settle_before_look"
  | "settle_before_noop"
  | "settle_before_conclude"
  | "start_up_marked";
