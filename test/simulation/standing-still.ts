/** Stores of the exchange that stand still: from then on their answers are of the moment at which they were stopped. */
import type { Scene } from "./scene.ts";
import type { Snapshot } from "./venue.ts";

export type Stores = {
  /** Answers to this type of read stand still. */
  stop(type: string): void;
  /** All go on. */
  go(): void;
};

/** @param edit what becomes of an answer's text, for stores that show something else than there is */
export function holdStores(
  { venue }: Pick<Scene, "venue">,
  edit: (type: string, text: string) => string = (_type, text) => text,
): Stores {
  const stopped = new Map<string, Snapshot>();
  const read = venue.read.bind(venue);
  venue.read = (body, past) => {
    const type = /"type":"([A-Za-z]+)"/.exec(body)?.[1] ?? "";
    const answer = read(body, stopped.get(type) ?? past);
    return { ...answer, body: edit(type, answer.body) };
  };
  return {
    stop: (type) => void stopped.set(type, venue.snapshot()),
    go: () => stopped.clear(),
  };
}
