import { afterEach, expect } from "bun:test";
import { openScene, type Scene, type SceneOptions } from "./scene.ts";

/** Opens scenes of the file that calls this: each is closed after its test, in which its gateways may log no error. */
export function scenesOfThisFile(): (options?: SceneOptions) => Promise<Scene> {
  let open: Scene[] = [];
  afterEach(() => {
    const errors = open.flatMap((each) => each.errors);
    for (const each of open) each.close();
    open = [];
    expect(errors).toEqual([]);
  });
  return async (options = {}) => {
    const made = await openScene(options);
    open.push(made);
    return made;
  };
}
