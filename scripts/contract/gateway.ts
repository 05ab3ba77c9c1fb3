/** A paper gateway in a directory of its own, with all limits off. */
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
/** Milliseconds from start to the first line. */
const START_DEADLINE_MS = 20_000;

export type Gateway = { baseUrl: string; accountId: string; apiKey: string; stop(): Promise<void> };

/** The program as its own source says it, where no other is given. */
const FROM_SOURCE: readonly string[] = [process.execPath, join(ROOT, "src/main.ts")];

export async function startGateway(directory: string, program = FROM_SOURCE): Promise<Gateway> {
  const ports = ["--listen", "127.0.0.1:0", "--paper-listen", "127.0.0.1:0"];
  const child = Bun.spawn([...program, "serve", "--paper", "--json", "--data-dir", directory, ...ports], {
    cwd: ROOT,
    env: environment(),
    stdin: "ignore",
    stdout: "pipe",
    stderr: Bun.file(`${directory}.log`),
  });
  const late = setTimeout(() => child.kill("SIGKILL"), START_DEADLINE_MS);
  const { value } = await child.stdout.getReader().read();
  clearTimeout(late);
  const line = new TextDecoder().decode(value);
  if (!line.startsWith("{")) {
    child.kill("SIGKILL");
    throw new Error(`contract: the gateway did not start: ${line}${await Bun.file(`${directory}.log`).text()}`);
  }
  // The documented first line of --json.
  const facts = JSON.parse(line) as { base_url: string; account: string; api_key: string };
  return {
    baseUrl: facts.base_url,
    accountId: facts.account,
    apiKey: facts.api_key,
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

function environment(): Record<string, string> {
  const buckets = ["ORDERS", "CANCELS", "WRITES", "READS"];
  const failures = ["FAILED_AUTHENTICATIONS", "FAILED_REGISTRATIONS", "FAILED_REVOCATIONS"];
  const limits = [...buckets, ...failures].map((name) => [`POSTERN_LIMIT_${name}`, "0"]);
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("POSTERN_"));
  return Object.fromEntries([...own, ...limits, ["POSTERN_EXCHANGE_WEIGHT", "0"]]);
}

export async function ask({ baseUrl, apiKey }: Gateway, path: string, body?: object): Promise<unknown> {
  const response = await fetch(baseUrl + path, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      Authorization: `Bearer ${apiKey}`,
      "Content-Type": "application/json",
      // Not of the shape that the proxy gives.
      "Idempotency-Key": `seed${path}${JSON.stringify(body)}`.replaceAll(/[^!-~]/g, "").slice(0, 128),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`contract: ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}
