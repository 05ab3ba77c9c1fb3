// Files, other users of the machine, the log, and what answers tell of the inside.
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, newAddress, newKey } from "../door.mjs";
import { sleep, told } from "../raw.mjs";

const NOBODY = 65534;
const isRoot = process.getuid() === 0;

const everything = (directory) =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? [path, ...everything(path)] : [path];
  });

/** What another user of the machine gets when he tries: the words of the refusals, or what he read. */
const asAnother = (uid, expressions) => {
  const code = `const fs=require("fs"),net=require("net");const out={};const keep=(name,run)=>{try{out[name]=String(run()).slice(0,40)||"empty"}catch(error){out[name]=error.code??error.message}};${expressions};`;
  const tell = "setTimeout(()=>{console.log(JSON.stringify(out));process.exit()},200)";
  return JSON.parse(execFileSync(process.execPath, ["-e", code + tell], { uid, gid: uid, encoding: "utf8", cwd: "/" }));
};

const outcome = (binary, args, environment = {}) =>
  new Promise((resolve) => {
    const child = spawn(binary, args, {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (text += part));
    const timer = setTimeout(() => child.kill("SIGKILL"), 4000);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, text });
    });
  });

/** A directory as `init` makes it for one that is no demo, of a user of its own. */
const realDirectory = async (binary, uid) => {
  const home = mkdtempSync(join(tmpdir(), "postern-door-files-"));
  const file = join(home, "passphrase");
  writeFileSync(file, "correct horse battery staple 77 lamp", { mode: 0o600 });
  for (const path of [home, file]) chownSync(path, uid, uid);
  const identity = { uid, gid: uid, cwd: home, env: { PATH: process.env.PATH }, encoding: "utf8" };
  const more = ["--passphrase-file", file, "--data-dir"];
  const place = ["--network", "paper", "--exchange-url", "http://127.0.0.1:9", "--owner", `0x${"7".repeat(40)}`];
  execFileSync(binary, ["init", ...place, ...more, join(home, "data")], { ...identity, stdio: "pipe" });
  const port = await freePort();
  const serve = (directory) => {
    const child = spawn(binary, ["serve", "--listen", `127.0.0.1:${port}`, ...more, directory], identity);
    child.text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (child.text += part));
    child.exited = new Promise((resolve) => child.on("exit", resolve));
    return child;
  };
  return { home, serve, remove: () => rmSync(home, { recursive: true, force: true }) };
};

const swap = (database, home) => {
  renameSync(database, join(home, "moved.db"));
  symlinkSync(join(home, "moved.db"), database);
};

export const files = [
  [
    "modes: with a umask of 000 every file is 0600 and every directory 0700",
    async ({ plain, broken, figure }) => {
      const paths = [plain.directory, ...everything(plain.directory)];
      for (const path of paths) {
        const { mode } = lstatSync(path);
        if ((mode & 0o077) !== 0) broken(`${path.slice(plain.home.length)} is ${(mode & 0o777).toString(8)}`);
      }
      figure(`${paths.length} files`);
    },
  ],
  [
    "another user: directory, database, demo file, control socket, memory and environment are closed",
    async ({ plain, broken, figure }) => {
      if (!isRoot) return figure("not tried: only root can become another user");
      const tries = [
        `keep("list",()=>fs.readdirSync(${JSON.stringify(plain.directory)}))`,
        ...["postern.db", "demo.json", "postern.db-wal"].map(
          (name) => `keep("${name}",()=>fs.readFileSync(${JSON.stringify(join(plain.directory, name))}))`,
        ),
        `keep("write",()=>fs.writeFileSync(${JSON.stringify(join(plain.directory, "x"))},"x"))`,
        ...["environ", "mem", "maps", "cwd", "fd"].map(
          (name) =>
            `keep("${name}",()=>${name === "fd" || name === "cwd" ? "fs.readdirSync" : "fs.readFileSync"}("/proc/${plain.pid}/${name}"))`,
        ),
        `out.socket="nothing";net.connect(${JSON.stringify(join(plain.directory, "control.sock"))}).on("connect",()=>{out.socket="connected"}).on("error",(error)=>{out.socket=error.code})`,
      ];
      for (const [name, word] of Object.entries(asAnother(NOBODY, tries.join(";"))))
        if (word !== "EACCES" && word !== "EPERM") broken(`${name}: ${word}`);
      return undefined;
    },
  ],
  [
    "another process of the same user cannot read the memory or the environment of a gateway that holds keys",
    async ({ binary, broken, figure }) => {
      if (!isRoot) return figure("not tried: root makes the user");
      const { home, serve, remove } = await realDirectory(binary, NOBODY);
      const child = serve(join(home, "data"));
      for (let tries = 0; tries < 100 && !child.text.includes("listening"); tries += 1) await sleep(50);
      const { pid } = child;
      const tries = ["environ", "mem", "maps"].map(
        (name) => `keep("${name}",()=>fs.readFileSync("/proc/${pid}/${name}"))`,
      );
      tries.push(`keep("fd",()=>fs.readdirSync("/proc/${pid}/fd"))`);
      for (const [name, word] of Object.entries(asAnother(NOBODY, tries.join(";"))))
        if (word !== "EACCES" && word !== "EPERM") broken(`${name}: ${word}`);
      const limits = readFileSync(`/proc/${pid}/limits`, "utf8");
      if (!/Max core file size\s+0\s+0\s/.test(limits)) broken("core dumps are allowed");
      child.kill("SIGKILL");
      await child.exited;
      remove();
      return undefined;
    },
  ],
  [
    "passphrase file: readable by others, a link, a directory or somebody else's is refused",
    async ({ binary, broken }) => {
      const home = mkdtempSync(join(tmpdir(), "postern-door-files-"));
      const file = join(home, "passphrase");
      writeFileSync(file, "correct horse battery staple 77 lamp");
      const init = (path) =>
        outcome(binary, [
          "init",
          "--network",
          "paper",
          "--exchange-url",
          "http://127.0.0.1:9",
          "--owner",
          `0x${"7".repeat(40)}`,
          "--passphrase-file",
          path,
          "--data-dir",
          join(home, "data"),
        ]);
      for (const mode of [0o644, 0o640, 0o604, 0o666, 0o660]) {
        chmodSync(file, mode);
        const { code, text } = await init(file);
        if (code === 0 || code === null || !/mode|readable|0600|600|others/i.test(text))
          broken(`${mode.toString(8)}: exit ${code} ${text.slice(0, 120)}`);
      }
      chmodSync(file, 0o600);
      symlinkSync(file, join(home, "link"));
      mkdirSync(join(home, "directory"), { mode: 0o700 });
      for (const name of ["link", "directory", "missing"]) {
        const { code, text } = await init(join(home, name));
        if (code === 0 || code === null || text.includes("correct horse"))
          broken(`${name}: exit ${code} ${text.slice(0, 120)}`);
      }
      rmSync(home, { recursive: true, force: true });
    },
  ],
  [
    "data directory: one that others may open and a link to one are refused at the start; the doctor tells of bent files",
    async ({ binary, broken }) => {
      const { home, serve, remove } = await realDirectory(binary, process.getuid());
      const directory = join(home, "data");
      const link = join(home, "link");
      symlinkSync(directory, link);
      const database = join(directory, "postern.db");
      const bend = [
        ["mode 0755", directory, () => chmodSync(directory, 0o755), () => chmodSync(directory, 0o700)],
        ["mode 0710", directory, () => chmodSync(directory, 0o710), () => chmodSync(directory, 0o700)],
        ["a link", link, () => {}, () => {}],
      ];
      for (const [name, path, before, after] of bend) {
        before();
        const child = serve(path);
        await Promise.race([child.exited, sleep(3000)]);
        if (child.exitCode === null || child.exitCode === 0) broken(`${name}: it started`);
        child.kill("SIGKILL");
        await child.exited;
        after();
      }
      const files = [
        ["database 0644", () => chmodSync(database, 0o644), () => chmodSync(database, 0o600)],
        ["database a link", () => swap(database, home), () => renameSync(join(home, "moved.db"), database)],
      ];
      for (const [name, before, after] of files) {
        before();
        const told = await outcome(binary, ["doctor", "--data-dir", directory]);
        if (told.code !== 1 || !/postern\.db/.test(told.text))
          broken(`${name}: ${told.code} ${told.text.slice(0, 300)}`);
        after();
      }
      const whole = serve(directory);
      for (let tries = 0; tries < 100 && !whole.text.includes("listening"); tries += 1) await sleep(50);
      if (!whole.text.includes("listening")) broken(`put right it does not start: ${whole.text.slice(-200)}`);
      whole.kill("SIGKILL");
      await whole.exited;
      remove();
    },
  ],
  [
    "a second gateway on the same directory does not start, and the first goes on",
    async ({ plain, binary, broken }) => {
      const { code } = await outcome(binary, [
        "serve",
        "--paper",
        "--listen",
        "127.0.0.1:0",
        "--paper-listen",
        "127.0.0.1:0",
        "--data-dir",
        plain.directory,
      ]);
      if (code === 0 || code === null) broken(`exit ${code}`);
      const order = await plain.order("beside-a-second");
      if (order.status !== 201) broken(`${order.status} ${order.code}`);
    },
  ],
  [
    "control socket: garbage, huge and half messages of its own user do nothing to the gateway",
    async ({ plain, broken }) => {
      const before = plain.residentMib();
      const pieces = [
        "\n",
        "{}\n",
        "null\n",
        "[]\n",
        `{"command":"${"a".repeat(1000)}"}\n`,
        "GET /status HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n",
        "\0".repeat(3_000_000),
        `${"[".repeat(200_000)}\n`,
        "x".repeat(20_000_000),
      ];
      for (const piece of pieces)
        await new Promise((resolve) => {
          const socket = connect(join(plain.directory, "control.sock"));
          socket.on("error", resolve).on("close", resolve);
          socket.write(piece);
          setTimeout(() => socket.destroy(), 150);
        });
      const held = Array.from({ length: 300 }, () =>
        connect(join(plain.directory, "control.sock")).on("error", () => {}),
      );
      await sleep(200);
      const order = await plain.order("beside-control-garbage");
      if (order.status !== 201) broken(`an order: ${order.status} ${order.code}`);
      for (const socket of held) socket.destroy();
      await sleep(100);
      const list = await plain.command("key", "list").catch((error) => error.message);
      if (!JSON.stringify(list).includes("trading:read"))
        broken(`key list afterwards: ${JSON.stringify(list).slice(0, 100)}`);
      const grown = plain.residentMib() - before;
      if (grown > 100) broken(`the process grew by ${grown.toFixed(0)} MiB`);
    },
  ],
];

export const leaks = [
  [
    "log: control characters, line ends and JSON of others stay within their field",
    async ({ plain, broken, figure }) => {
      const nasty = '"},{"level":60,"msg":"forged';
      for (const target of [
        `/${encodeURIComponent(nasty)}`,
        "/%0a%7b%22level%22:60%7d",
        "/\x1b[31m",
        "/v1/orders/%1b%5b2J",
      ])
        await plain.speak(
          plain.head("GET", target, [
            `User-Agent: ${nasty}\x1b[2J`,
            `Authorization: Bearer ${nasty}`,
            `X-Request-Id: ${nasty}`,
          ]),
          { waitMs: 300, quietMs: 10 },
        );
      await sleep(200);
      const lines = plain.log.split("\n").slice(0, -1);
      for (const line of lines) {
        let entry = null;
        try {
          entry = JSON.parse(line);
        } catch {}
        if (entry === null || entry.level >= 60) broken(`a line: ${line.slice(0, 120)}`);
      }
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
      if (/[\x00-\x09\x0b-\x1f\x7f]/.test(plain.log)) broken("the log has control characters");
      figure(`${lines.length} lines`);
    },
  ],
  [
    "answers: no trace of the inside, no path, no version of what it is made of, no secret",
    async ({ plain, tls, broken, figure }) => {
      for (const path of ["/%", "/v1/orders?cursor=%00", "/v1/orders/%ff", "/docs/x", "/assets/x"])
        await plain.ask("GET", path, { from: newAddress() });
      const all = told.join("\n");
      const inside = {
        stack: /\n\s+at \S+ \(|\bat async /,
        bun: /\bbunfs\b|\bBun\/|Bun v\d/,
        sqlite: /SQLITE_[A-Z]+|SqliteError|drizzle/i,
        library: /elysia|typebox|node_modules|\bundici\b/i,
        source: /src\/[a-z-]+\/[a-z-]+\.ts/,
        error: /\b(TypeError|RangeError|SyntaxError|ReferenceError)\b/,
      };
      for (const [name, pattern] of Object.entries(inside)) {
        const match = pattern.exec(all);
        if (match) broken(`${name}: …${all.slice(Math.max(0, match.index - 60), match.index + 60)}…`);
      }
      for (const door of [plain, tls]) {
        for (const [name, secret] of Object.entries({
          "owner's key": door.demo.ownerPrivateKey.slice(2),
          passphrase: door.demo.passphrase,
          "API key": door.key.slice(10),
          home: door.home,
        }))
          if (all.includes(secret)) broken(`${name} came back in an answer`);
      }
      figure(`${told.length} answers, ${(all.length / 1e6).toFixed(1)} MB`);
    },
  ],
  [
    "log and command line: no API key, owner's key, passphrase, signature or Idempotency-Key",
    async ({ plain, tls, broken, figure }) => {
      const { key, body } = await plain.grant();
      await plain.order("idempotency-key-in-the-log");
      await plain.ask("GET", `/v1/orders?api_key=${key}`, { key });
      await plain.ask("GET", `/${key}`, { key: `${newKey().key}` });
      await sleep(200);
      for (const door of [plain, tls]) {
        const process =
          readFileSync(`/proc/${door.pid}/cmdline`, "utf8") + readFileSync(`/proc/${door.pid}/environ`, "utf8");
        const text = door.log + process;
        const secrets = {
          "owner's key": door.demo.ownerPrivateKey.slice(2),
          passphrase: door.demo.passphrase,
          "demo key": door.key.slice(10),
          "granted key": key.slice(10),
          signature: body.signature.slice(2, 60),
          "Idempotency-Key": "idempotency-key-in-the-log",
        };
        for (const [name, secret] of Object.entries(secrets))
          if (text.includes(secret))
            broken(`${name}: …${text.slice(text.indexOf(secret) - 150, text.indexOf(secret) + 20)}…`);
        if (/api_trade_[0-9a-f]{64}/.test(text)) broken("an API key is in the log");
      }
      figure(`${((plain.log.length + tls.log.length) / 1e6).toFixed(1)} MB of log`);
    },
  ],
  [
    "health without a key tells no name: no account, address, path or version",
    async ({ plain, broken }) => {
      for (const path of ["/healthz", "/readyz"]) {
        const { text, status } = await plain.ask("GET", path, { key: null, from: newAddress() });
        if (status !== 200) broken(`${path}: ${status}`);
        for (const secret of [plain.account, plain.owner.address.toLowerCase(), plain.home, "0.1.0"])
          if (text.toLowerCase().includes(secret)) broken(`${path}: ${text.slice(0, 120)}`);
      }
    },
  ],
  [
    "after all of it: the doctor is content, the audit log is whole, and an order is placed and canceled",
    async ({ plain, broken, figure }) => {
      const order = await plain.order("after-all-of-it");
      const cancel = await plain.ask("POST", `/v1/orders/${order.json?.id}/cancel`, {
        body: {},
        id: "after-all-of-it-2",
      });
      if (order.status !== 201 || cancel.status !== 200)
        broken(`${order.status} ${order.code}, ${cancel.status} ${cancel.code}`);
      const audit = await plain
        .command("audit", "verify")
        .catch((error) => ({ failed: `${error.stdout}${error.stderr}` }));
      if (audit.failed) broken(`audit verify: ${audit.failed.slice(0, 200)}`);
      const doctor = await plain.command("doctor").catch((error) => ({ failed: `${error.stdout}${error.stderr}` }));
      if (doctor.failed) broken(`doctor: ${doctor.failed.slice(0, 600)}`);
      figure(`${plain.residentMib().toFixed(0)} MiB in memory`);
    },
  ],
];
