/** While a position is doubted its account's fills are read at once, and again ever less often. */
import { expect, test } from "bun:test";
import { openReadSoon } from "../../src/settle/fills/read-soon.ts";
import { ACCOUNT } from "../support/gateway-rig.ts";
import { stillClock } from "../support/still-clock.ts";

const SECOND = 1_000;

test("who asks four times a second has them read after 0, 1, 3, 7, 12 and 17 seconds, and anew after half a minute of quiet", async () => {
  const clock = stillClock(0);
  const readAtS: number[] = [];
  const readSoon = openReadSoon({ clock }, () => readAtS.push(clock.elapsedMs() / SECOND));
  async function ask(forS: number): Promise<void> {
    for (let quarter = 0; quarter < forS * 4; quarter += 1) {
      readSoon(ACCOUNT);
      await clock.advance(SECOND / 4);
    }
  }
  await ask(20);
  expect(readAtS).toEqual([0, 1, 3, 7, 12, 17]);
  await clock.advance(30 * SECOND);
  readAtS.length = 0;
  await ask(2);
  expect(readAtS).toEqual([50, 51]);
});

test("the fills of each account by themselves", () => {
  const read: string[] = [];
  const readSoon = openReadSoon({ clock: stillClock(0) }, ({ id }) => read.push(id));
  for (const id of ["a", "b", "a"]) readSoon({ ...ACCOUNT, id });
  expect(read).toEqual(["a", "b"]);
});

test("who asks about what is new is waited for no longer than three seconds, and then a second again", async () => {
  const clock = stillClock(0);
  const readAtS: number[] = [];
  const readSoon = openReadSoon({ clock }, () => readAtS.push(clock.elapsedMs() / SECOND));
  for (let quarter = 0; quarter < 48; quarter += 1) {
    readSoon(ACCOUNT, clock.elapsedMs() < 8 * SECOND ? 1 : 2);
    await clock.advance(SECOND / 4);
  }
  expect(readAtS).toEqual([0, 1, 3, 7, 10, 11]);
});
