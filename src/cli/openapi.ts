import { openApiDocument } from "../http/openapi.ts";
import { allRoutes } from "../http/routes.ts";
import type { Command } from "./command.ts";

export const openApiCommand: Command = {
  name: "openapi",
  summary: "print the OpenAPI document of the gateway's interface",
  options: {},
  positionals: [],
  printsData: true,
  async run(_input, outside) {
    outside.print(`${JSON.stringify(openApiDocument(allRoutes()), null, 2)}\n`);
  },
};
