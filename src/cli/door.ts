/** The public port: plain HTTP, or TLS with a certificate that can be exchanged while it is open. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Config, ListenAddress, TlsFiles } from "../config.ts";
import type { Gateway } from "../gateway.ts";
import { BUN_SERVE_OPTIONS } from "../http/server.ts";
import { Failure } from "./command.ts";
import { type Guests, openGuests } from "./guests.ts";

export type Door = {
  port: number;
  /** What is known of its connections. */
  guests: Guests;
  open(gateway: Answering): void;
  /** Until then `answer` is asked first; a request for which it has none waits. */
  meanwhile(answer: (request: Request) => Response | null): void;
  /** Requests that have not been answered. */
  pending(): number;
  /** Reads certificate and key again, for new connections; when they cannot be used, throws and goes on with the old. */
  reload(): CertificateFacts | null;
  stop(now: boolean): Promise<void>;
};

export type CertificateFacts = { subject: string; validTo: string };

/** Who answers its requests. */
type Answering = { server: Pick<Gateway["server"], "handle"> };

type Server = ReturnType<typeof Bun.serve>;

/** A request that has arrived may take this much longer than the deadline of an answer, seconds; or a beat of a stream. */
const ANSWERING_MARGIN_S = 22;
/** The runtime's own most, seconds. */
const MAX_TIMEOUT_S = 255;

/**
 * Of TLS 1.2: forward secrecy and authenticated encryption, no CBC. Those of 1.3 are all of that kind and
 * need no list; anything older than 1.2 the runtime does not speak.
 */
const TLS_1_2_CIPHERS = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

/** Of an answer that has no end. */
const STREAM = "text/event-stream";
/** A connection that was gone before its request was looked at. */
const NOBODY = { address: "", port: 0 };

/**
 * A browser that came over TLS comes over TLS for the next year. Not said under `localhost`: that name is shared by
 * everything else that runs on the visitor's own machine.
 */
const STRICT_TRANSPORT = "max-age=31536000";

/** Takes connections at once; their requests wait until it is opened. */
export function openDoor(
  { listen: { hostname, port }, tls, timings }: Pick<Config, "listen" | "tls" | "timings">,
  { option, guests }: { option: WantedDoor["option"]; guests: Guests } = { option: "listen", guests: openGuests() },
): Door {
  const answeringS = Math.min(MAX_TIMEOUT_S, Math.ceil(timings.answerDeadlineMs / 1_000) + ANSWERING_MARGIN_S);
  const answering = openAnswering(guests, answeringS);

  function serve(at: number, isShared: boolean): Server {
    const secured = tls === null ? {} : { tls: { ...readTls(tls).pem, ciphers: TLS_1_2_CIPHERS }, reusePort: isShared };
    return Bun.serve({
      ...BUN_SERVE_OPTIONS,
      ...secured,
      hostname,
      port: at,
      async fetch(request, self) {
        const response = await answering.answer(request, self);
        if (tls !== null) sayStrictTransport(request, response);
        return response;
      },
    });
  }

  /**
   * Where a certificate may change, a second server takes over the port: the runtime cannot change it in a running one.
   * So the port has to be one that can be shared, once it is shown that nobody else has it.
   */
  function first(): Server {
    const alone = serve(port, false);
    if (tls === null) return alone;
    const { port: found } = alone;
    void alone.stop(true);
    return serve(found ?? port, true);
  }

  let server = bind(first, { option, hostname, port });
  const leaving = new Set<Server>();
  return {
    port: server.port ?? port,
    guests,
    open: answering.open,
    meanwhile: answering.meanwhile,
    pending: () => [server, ...leaving].reduce((sum, each) => sum + each.pendingRequests, 0),
    reload() {
      if (tls === null) return null;
      const { facts } = readTls(tls);
      const old = server;
      server = serve(old.port ?? port, true);
      leaving.add(old);
      void old.stop(false).then(() => leaving.delete(old));
      return facts;
    },
    async stop(now) {
      await Promise.all([server, ...leaving].map((each) => each.stop(now)));
    },
  };
}

/** Who answers: whoever does so meanwhile, then the gateway; requests for which there is nobody yet wait. */
function openAnswering(guests: Guests, answeringS: number) {
  const { promise: gateway, resolve } = Promise.withResolvers<Answering>();
  let answerEarly: (request: Request) => Response | null = () => null;

  async function answer(request: Request, self: Server): Promise<Response> {
    const early = answerEarly(request);
    if (early !== null) return early;
    const peer = self.requestIP(request) ?? NOBODY;
    const visitor = guests.enter(peer);
    const { hasKey } = visitor;
    const hasArrived = () => {
      self.timeout(request, answeringS);
      visitor.hasArrived();
    };
    let isStream = false;
    try {
      const response = await (await gateway).server.handle(request, peer.address, { hasArrived, hasKey });
      isStream = response.headers.get("content-type") === STREAM;
      return response;
    } finally {
      visitor.leave(isStream);
    }
  }

  return {
    answer,
    open(opened: Answering): void {
      answerEarly = () => null;
      resolve(opened);
    },
    meanwhile(answerOf: (request: Request) => Response | null): void {
      answerEarly = answerOf;
    },
  };
}

function sayStrictTransport(request: Request, { headers }: Response): void {
  const isLocalhost = /^localhost(?::|$)/i.test(request.headers.get("host") ?? "");
  if (!isLocalhost) headers.set("Strict-Transport-Security", STRICT_TRANSPORT);
}

/** What is listened at, and the option that says so. */
export type WantedDoor = ListenAddress & { option: "listen" | "paper-listen" | "metrics-listen" | "hooks-listen" };

/** Where it cannot be listened at, the failure names the option with which another place is chosen. */
export function bind<Served>(serve: () => Served, wanted: WantedDoor | null): Served {
  try {
    return serve();
  } catch (error) {
    // A certificate that cannot be used says so itself.
    if (error instanceof Failure) throw error;
    const reason = error instanceof Error ? error.message : "cannot listen";
    throw new Failure(wanted === null ? reason : cannotListen(wanted, error instanceof Error ? error : null));
  }
}

function cannotListen({ option, hostname, port }: WantedDoor, error: Error | null): string {
  const code = error !== null && "code" in error ? String(error.code) : "";
  const where = `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `${where} is in use by another program`,
    EADDRNOTAVAIL: `${hostname} is no address of this machine`,
    EACCES: `this user may not listen at ${where}`,
  };
  return `${reasons[code] ?? `cannot listen at ${where}: ${error?.message ?? code}`}; choose another with --${option} HOST:PORT`;
}

/** Both files, when they belong together. */
function readTls({ certificateFile, keyFile }: TlsFiles): {
  pem: { cert: string; key: string };
  facts: CertificateFacts;
} {
  const cert = readPem(certificateFile);
  const key = readPem(keyFile);
  const certificate = parsing(certificateFile, () => new X509Certificate(cert));
  const privateKey = parsing(keyFile, () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Failure(`the key in ${keyFile} is not the one of the certificate in ${certificateFile}`);
  }
  return { pem: { cert, key }, facts: { subject: certificate.subject, validTo: certificate.validTo } };
}

function readPem(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Failure(error instanceof Error ? error.message : `${path} cannot be read`);
  }
}

/** What a library says of a key may hold some of it. */
function parsing<T>(path: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new Failure(`${path} is not usable PEM`);
  }
}
