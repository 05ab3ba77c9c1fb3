import { books } from "./books.mjs";
import { rails } from "./rails.mjs";

import { stops } from "./stops.mjs";

import { loss } from "./loss.mjs";

import { forgotten } from "./forgotten.mjs";

import { twice } from "./twice.mjs";

import { hour } from "./hour.mjs";

import { asOf } from "./as-of.mjs";

export const SCENES = { books, rails, stops, loss, forgotten, twice, hour, "as-of": asOf };
