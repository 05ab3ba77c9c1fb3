import { books } from "./books.mjs";
import { rails } from "./rails.mjs";

import { stops } from "./stops.mjs";

import { loss } from "./loss.mjs";

import { forgotten } from "./forgotten.mjs";

export const SCENES = { books, rails, stops, loss, forgotten };
