/** Scenarios of the suite, or single checks of one, that ask for what an agent's tools here do not have, and why not. */
const NO_PROMPTS = "there are no prompts: a model's words are its client's";
const NO_RESOURCES = "there are no resources: what there is to read, tools read";
const NO_FIXTURE = "asks for a tool of the suite's own server, which gives back what this is about";
const NO_QUESTIONS = "the gateway asks a model and its client nothing";
const NO_TASKS = "an extension: an order that goes on is asked for by its intent";
const NO_STREAM = "lists of tools do not change while they are told, so there is nothing to subscribe to";

export const NOT_OFFERED: readonly { what: string; because: string }[] = [
  { what: "prompts-*", because: NO_PROMPTS },
  { what: "resources-*", because: NO_RESOURCES },
  { what: "completion-complete", because: "there is nothing to complete: no prompts, no resources" },
  { what: "logging-set-level", because: "no log is sent to a client" },
  { what: "tools-call-*", because: NO_FIXTURE },
  { what: "json-schema-2020-12", because: NO_FIXTURE },
  { what: "elicitation-*", because: NO_QUESTIONS },
  { what: "input-required-result-*", because: NO_QUESTIONS },
  { what: "tasks-*", because: NO_TASKS },
  {
    what: "http-custom-header-server-validation",
    because: "an extension: no tool takes a part of what it is given from a header",
  },
  { what: "caching sep-2549-prompts-list-caching-hints", because: NO_PROMPTS },
  { what: "caching sep-2549-resources-list-caching-hints", because: NO_RESOURCES },
  { what: "caching sep-2549-resources-templates-list-caching-hints", because: NO_RESOURCES },
  { what: "server-stateless sep-2575-server-rejects-undeclared-capability", because: NO_FIXTURE },
  { what: "server-stateless sep-2575-missing-capability-http-400", because: NO_FIXTURE },
  { what: "server-stateless sep-2575-http-server-no-independent-requests-on-stream", because: NO_FIXTURE },
  { what: "server-stateless sep-2575-server-no-log-without-loglevel", because: NO_FIXTURE },
  { what: "server-stateless sep-2575-server-sends-subscription-ack", because: NO_STREAM },
  { what: "server-stateless sep-2575-server-tags-subscription-id", because: NO_STREAM },
];
