import { asOf } from "./as-of.mjs";
import { books } from "./books.mjs";
import { forgotten } from "./forgotten.mjs";
import { hooks } from "./hooks.mjs";
import { hour } from "./hour.mjs";
import { loss, unlimited } from "./loss.mjs";
import { rails } from "./rails.mjs";
import { stops } from "./stops.mjs";
import { twice } from "./twice.mjs";

export const SCENES = { books, rails, stops, loss, unlimited, forgotten, twice, hour, hooks, "as-of": asOf };
