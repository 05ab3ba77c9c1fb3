/** The generators with their ordinary settings, as whoever tries one first would run it. */
import { join } from "node:path";
import { mustRun, TOOLS } from "./tools.ts";

export type Generator = {
  name: string;
  /** Of its package. */
  program: string;
  words(baseUrl: string): readonly string[];
  /** The program that uses what it makes. */
  use: string;
};

const CONFIG = "orval.config.mjs";

export const GENERATORS: readonly Generator[] = [
  {
    name: "openapi-typescript",
    program: "openapi-typescript/bin/cli.js",
    words: () => ["openapi.json", "--output", "openapi-typescript.ts"],
    use: "openapi-fetch.ts",
  },
  {
    name: "orval",
    program: "orval/dist/bin/orval.mjs",
    words: () => ["--config", CONFIG],
    use: "orval.ts",
  },
  {
    name: "swagger-typescript-api",
    program: "swagger-typescript-api/dist/cli.mjs",
    words: () => ["generate", "--path", "openapi.json", "--output", ".", "--name", "client-of-swagger.ts"],
    use: "swagger-typescript-api.ts",
  },
];

/** Makes the client from `openapi.json` in `place`. */
export async function generate({ name, program, words }: Generator, place: string, baseUrl: string): Promise<void> {
  if (name === "orval") await Bun.write(join(place, CONFIG), orvalConfig(baseUrl));
  const command = [process.execPath, join(TOOLS, "node_modules", program), ...words(baseUrl)];
  await mustRun({ name, command, cwd: place });
}

/** Its command line has no word for where the gateway is, nor for headers as arguments. */
function orvalConfig(baseUrl: string): string {
  const output = { target: "client-of-orval.ts", client: "fetch", headers: true, baseUrl };
  return `export default ${JSON.stringify({ postern: { input: "openapi.json", output } })};\n`;
}
