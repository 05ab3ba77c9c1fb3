/** Lines of the log that come close together leave in one write: a system call for each would be a fifth of what a read costs. */
import type { Clock } from "../core/clock.ts";

export type LogLines = {
  write(line: string): void;
  /** Hands over what waits. */
  flush(): void;
};

/** So long a line may wait that tells nothing bad; a process that is killed takes those of its last moment along, milliseconds. */
const WAITS_MS = 5;
/** And this much at most, characters. */
const MAX_WAITING = 65_536;
/** How a line begins that is only worth reading some day: pino's levels below a warning. */
const UNURGENT = /^(?:<[0-9]>)?\{"level":[123]0,/;

export function openLogLines(clock: Pick<Clock, "timer">, write: (text: string) => void): LogLines {
  let waiting = "";

  function flush(): void {
    const text = waiting;
    waiting = "";
    if (text !== "") write(text);
  }

  return {
    write(line) {
      if (waiting === "") void clock.timer(WAITS_MS).up.then(flush);
      waiting += line;
      if (waiting.length >= MAX_WAITING || !UNURGENT.test(line)) flush();
    },
    flush,
  };
}
