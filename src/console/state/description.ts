/** What this gateway calls itself in everything that its owner signs: read before anything is shown that is to be signed. */
import { request } from "../api/request.ts";
import type { TypedDataDescription } from "../api/resources.ts";
import type { App } from "./app.ts";

export async function readDescription(app: App): Promise<void> {
  const { description } = app.state;
  const answer = await request<TypedDataDescription>({ method: "GET", path: "/v1/api-keys/typed-data", bearer: null });
  if (answer.kind === "ok") Object.assign(description, { value: answer.body, readAtMs: app.nowMs(), failure: null });
  else description.failure = answer.message;
  app.changed();
}
