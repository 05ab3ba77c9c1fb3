import { Type } from "@sinclair/typebox";

export const ExportedFile = Type.String({
  title: "ExportedFile",
  description: "A line for each row, with the members of the list as columns.",
});
