import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: [
    "./src/store/schema.ts",
    "./src/store/schema-audit.ts",
    "./src/store/schema-bots.ts",
    "./src/store/schema-hooks.ts",
    "./src/store/schema-lists.ts",
    "./src/store/schema-notices.ts",
    "./src/store/schema-proposals.ts",
    "./src/store/schema-record.ts",
    "./src/store/schema-setup.ts",
    "./src/store/schema-stops.ts",
    "./src/store/schema-trades.ts",
    "./src/store/schema-views.ts",
    "./src/store/schema-whole-trades.ts",
  ],
  out: "./drizzle",
  casing: "snake_case",
});
