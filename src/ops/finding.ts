/** One thing that the doctor looked at. */
export type Finding = {
  /** A word for it that never changes. */
  check: string;
  /** `fault`: orders fail, or will within the day. `warning`: worth doing this week. */
  level: "ok" | "warning" | "fault";
  /** What was found, in plain words. */
  found: string;
  /** The one thing to do; null where there is none. */
  todo: string | null;
};

export function ok(check: string, found: string): Finding {
  return { check, level: "ok", found, todo: null };
}

export function warning(check: string, found: string, todo: string): Finding {
  return { check, level: "warning", found, todo };
}

export function fault(check: string, found: string, todo: string): Finding {
  return { check, level: "fault", found, todo };
}
