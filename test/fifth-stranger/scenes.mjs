// All that is played by hand, by name.
import { deathScenes } from "./scenes-deaths.mjs";
import { marketScenes } from "./scenes-markets.mjs";
import { operationScenes } from "./scenes-operations.mjs";
import { restoreScenes } from "./scenes-restore.mjs";
import { worldScenes } from "./scenes-world.mjs";

export const scenes = { ...operationScenes, ...restoreScenes, ...marketScenes, ...worldScenes, ...deathScenes };
