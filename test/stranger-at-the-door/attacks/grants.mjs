// Grants and revocations: signed for something else, by somebody else, too late, twice, or bent.
import { createHash } from "node:crypto";
import { Wallet } from "ethers";
import { GRANT, newAddress, newKey, signGrant } from "../door.mjs";

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const hex = (value) => value.toString(16).padStart(64, "0");
const parts = (signature) => [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130)];
/** EIP-2098: the parity of v in the highest bit of s. */
const compact = (signature) => {
  const [r, s, v] = parts(signature);
  return `0x${r}${v === "1b" ? s : hex(BigInt(`0x${s}`) | (1n << 255n))}`;
};
const BOTH = ["trading:read", "trading:write"];

/** Each grant is refused, and its key opens nothing afterwards. */
const refuses =
  (rowsOf) =>
  async ({ plain, broken, figure }) => {
    const rows = await rowsOf(plain);
    for (const [name, make, code] of rows) {
      const { key, hash } = newKey();
      const body = await make(hash);
      const answer = await plain.ask("POST", "/v1/api-keys", { key: null, body, from: newAddress() });
      if (answer.status < 400 || answer.status === 429 || answer.status >= 500 || (code && answer.code !== code))
        broken(`${name}: ${answer.status} ${answer.code ?? answer.text.slice(0, 80)}`);
      const opened = await plain.ask("GET", "/v1/whoami", { key, from: newAddress() });
      if (opened.status !== 401) broken(`${name}: its key is answered ${opened.status}`);
    }
    figure(`${rows.length} grants`);
  };

const withSignature = (change) => (door) => async (hash) => {
  const body = await signGrant(door, { hash, scopes: BOTH });
  return { ...body, signature: change(body.signature) };
};

export const grants = [
  [
    "signed for another place: domain, chain, contract, type, network, audience",
    refuses((door) => {
      const signs = {
        "domain's name": { domain: { name: "Postern2" } },
        "domain's version": { domain: { version: "2" } },
        "a chain": { domain: { chainId: 1 } },
        "another chain": { domain: { chainId: 42161 } },
        "a contract": { domain: { verifyingContract: `0x${"0".repeat(40)}` } },
        "a salt": { domain: { salt: `0x${"0".repeat(64)}` } },
        "bare audience (mainnet)": { message: { audience: door.base } },
        testnet: { message: { audience: `testnet+${door.base}` } },
        "another port": { message: { audience: `paper+http://127.0.0.1:${door.port + 1}` } },
        "another scheme": { message: { audience: `paper+https://127.0.0.1:${door.port}` } },
        "a slash more": { message: { audience: `paper+${door.base}/` } },
        "upper case": { message: { audience: `PAPER+${door.base}` } },
        "network in the signature": { message: { network: "exchange_testnet" } },
        "another account": { message: { account: "00000000-0000-0000-0000-000000000000" } },
        "account in upper case": { message: { account: door.account.toUpperCase() } },
        "scopes in other order": { message: { scopes: "trading:write,trading:read" } },
        "fewer scopes": { message: { scopes: "trading:read" } },
        "another time": { message: { issuedAt: Date.now() - 5000 } },
        "an end": { message: { expiresAt: Date.now() + 1e6 } },
        "types in other order": { types: { ApiKeyGrant: [...GRANT].reverse() } },
        "a type of another name": { types: { ApiKeyRevocation: GRANT } },
        stranger: { owner: Wallet.createRandom() },
      };
      return Object.entries(signs).map(([name, sign]) => [
        name,
        (hash) => signGrant(door, { hash, scopes: BOTH, sign }),
        "invalid_signature",
      ]);
    }),
  ],
  [
    "signed otherwise: personal_sign, a raw hash, a revocation, an exchange action",
    refuses((door) => [
      [
        "personal_sign of the body",
        async (hash) => {
          const body = await signGrant(door, { hash, scopes: BOTH });
          return { ...body, signature: await door.owner.signMessage(JSON.stringify(body.consent)) };
        },
        "invalid_signature",
      ],
      [
        "raw digest of the hash",
        async (hash) => ({
          ...(await signGrant(door, { hash, scopes: BOTH })),
          signature: door.owner.signingKey.sign(`0x${hash}`).serialized,
        }),
        "invalid_signature",
      ],
      [
        "a revocation",
        async (hash) => ({
          ...(await signGrant(door, { hash, scopes: BOTH })),
          signature: (await door.revocation(hash)).signature,
        }),
        "invalid_signature",
      ],
      [
        "another key's grant",
        async (hash) => ({
          ...(await signGrant(door, { hash, scopes: BOTH })),
          signature: (await signGrant(door, { hash: newKey().hash, scopes: BOTH })).signature,
        }),
        "invalid_signature",
      ],
    ]),
  ],
  [
    "time: an hour old, ahead, and numbers that are no time",
    refuses((door) => {
      const now = Date.now();
      const times = [now - 3_601_000, now - 86_400_000, 0, now + 62_000, now + 1e12, Math.floor(now / 1000)].map(
        (issuedAt) => [
          `issued ${issuedAt - now}`,
          (hash) => signGrant(door, { hash, scopes: BOTH, sign: { issuedAt } }),
        ],
      );
      const forms = [String(now), now + 0.5, -1, null, true, [now], Number.POSITIVE_INFINITY, 2 ** 53, "now"].map(
        (issued_at) => [
          `issued ${issued_at}`,
          (hash) => signGrant(door, { hash, scopes: BOTH, change: { issued_at } }),
        ],
      );
      const ends = [now - 1, now + 1e6, "0", -1].map((expires_at) => [
        `expires ${expires_at}`,
        (hash) => signGrant(door, { hash, scopes: BOTH, change: { expires_at } }),
      ]);
      return [...times, ...forms, ...ends];
    }),
  ],
  [
    "changed after it was signed: hash, scopes, account, network, members",
    refuses((door) => {
      const changes = {
        scopes: { policy: { scopes: ["trading:read"] } },
        "no scopes": { policy: { scopes: [] } },
        "scopes doubled": { policy: { scopes: ["trading:read", "trading:read", "trading:write"] } },
        "unknown scope": { policy: { scopes: [...BOTH, "withdraw"] } },
        "joined scopes": { policy: { scopes: ["trading:read,trading:write"] } },
        "scopes as text": { policy: { scopes: "trading:read,trading:write" } },
        "policy and more": { policy: { scopes: BOTH, admin: true } },
        network: { network: "exchange_testnet" },
        account: { account: "00000000-0000-0000-0000-000000000000" },
        "account as a list": { account: [door.account] },
        "another hash": { key_hash: newKey().hash },
        "short hash": { key_hash: "00" },
        "0x hash": { key_hash: `0x${newKey().hash}` },
        "a member": { owner: door.owner.address },
      };
      return Object.entries(changes).map(([name, change]) => [
        name,
        (hash) => signGrant(door, { hash, scopes: BOTH, change }),
      ]);
    }),
  ],
  [
    "signatures: malleable, zero, outside the curve, spellings that no wallet gives",
    refuses((door) => {
      const changes = {
        "high s": (text) => {
          const [r, s, v] = parts(text);
          return `0x${r}${hex(ORDER - BigInt(`0x${s}`))}${v === "1b" ? "1c" : "1b"}`;
        },
        "high s, same v": (text) => {
          const [r, s, v] = parts(text);
          return `0x${r}${hex(ORDER - BigInt(`0x${s}`))}${v}`;
        },
        "high s, v 0 and 1": (text) => {
          const [r, s, v] = parts(text);
          return `0x${r}${hex(ORDER - BigInt(`0x${s}`))}${v === "1b" ? "01" : "00"}`;
        },
        "high s, no 0x": (text) => {
          const [r, s, v] = parts(text);
          return `${r}${hex(ORDER - BigInt(`0x${s}`))}${v === "1b" ? "1c" : "1b"}`;
        },
        "v of a chain": (text) => {
          const [r, s, v] = parts(text);
          return `0x${r}${s}${v === "1b" ? "25" : "26"}`;
        },
        "the other v": (text) => {
          const [r, s, v] = parts(text);
          return `0x${r}${s}${v === "1b" ? "1c" : "1b"}`;
        },
        "compact, of the other v": (text) => {
          const [r, s, v] = parts(text);
          return `0x${r}${v === "1c" ? s : hex(BigInt(`0x${s}`) | (1n << 255n))}`;
        },
        "compact, a byte less": (text) => compact(text).slice(0, -2),
        zero: () => `0x${"0".repeat(130)}`,
        "zero, v 27": () => `0x${"0".repeat(128)}1b`,
        "r is the order": (text) => `0x${hex(ORDER)}${parts(text)[1]}1b`,
        "s is zero": (text) => `0x${parts(text)[0]}${"0".repeat(64)}1b`,
        "r beyond the order": (text) => {
          const [r, s, v] = parts(text);
          return `0x${hex((BigInt(`0x${r}`) + ORDER) % (1n << 256n))}${s}${v}`;
        },
        "all ones": () => `0x${"f".repeat(130)}`,
        empty: () => "0x",
        "a byte more": (text) => `${text}00`,
        "a space": (text) => `${text} `,
        "0X": (text) => `0X${text.slice(2)}`,
        "a contract wallet's wrapping": (text) => `${text}${"6492".repeat(16)}`,
        "a list": (text) => [text],
      };
      return Object.entries(changes).map(([name, change]) => [name, withSignature(change)(door)]);
    }),
  ],
  [
    "spellings: the one signature in another wallet's spelling is the same key and opens no second one",
    async ({ plain, broken }) => {
      const spellings = {
        "v 0 and 1": (text) => {
          const [r, s, v] = parts(text);
          return `0x${r}${s}${v === "1b" ? "00" : "01"}`;
        },
        compact,
        "no 0x": (text) => text.slice(2),
      };
      for (const [name, spell] of Object.entries(spellings)) {
        const { hash, body, answer } = await plain.grant();
        const respelled = { ...body, signature: spell(body.signature) };
        const again = await plain.ask("POST", "/v1/api-keys", { key: null, body: respelled });
        if (again.text !== answer.text) broken(`${name}: ${again.status} ${again.code}`);
        await plain.revoke(await plain.revocation(hash));
        const late = await plain.ask("POST", "/v1/api-keys", { key: null, body: respelled });
        if (late.code !== "key_revoked") broken(`${name}, after its revocation: ${late.status} ${late.code}`);
      }
    },
  ],
  [
    "replay: the same grant is the same key; with other content, or after its revocation, it is nothing",
    async ({ plain, broken }) => {
      const { key, hash, body, answer } = await plain.grant();
      const again = await plain.ask("POST", "/v1/api-keys", { key: null, body });
      if (answer.status !== 201 || again.text !== answer.text) broken(`again: ${again.status} ${again.code}`);
      const wider = await signGrant(plain, { hash, scopes: ["trading:read"] });
      const other = await plain.ask("POST", "/v1/api-keys", { key: null, body: wider });
      if (other.code !== "key_already_registered") broken(`other scopes: ${other.status} ${other.code}`);
      const revocation = await plain.revocation(hash);
      await plain.revoke(revocation);
      for (const replayed of [body, await signGrant(plain, { hash, scopes: BOTH })]) {
        const late = await plain.ask("POST", "/v1/api-keys", { key: null, body: replayed });
        if (late.code !== "key_revoked") broken(`after its revocation: ${late.status} ${late.code}`);
      }
      if ((await plain.ask("GET", "/v1/whoami", { key, from: newAddress() })).status !== 401)
        broken("the key still opens");
      const twice = await plain.revoke(revocation);
      if (twice.status !== 200) broken(`revoked twice: ${twice.status}`);
    },
  ],
  [
    "revocation before the grant, and racing it 20 times: the key never opens anything afterwards",
    async ({ plain, broken }) => {
      for (let index = 0; index < 21; index += 1) {
        const { key, hash } = newKey();
        const [body, revocation] = await Promise.all([
          signGrant(plain, { hash, scopes: BOTH }),
          plain.revocation(hash),
        ]);
        const register = () => plain.ask("POST", "/v1/api-keys", { key: null, body, from: newAddress() });
        if (index === 0) {
          await plain.revoke(revocation);
          const late = await register();
          if (late.code !== "key_revoked") broken(`before: ${late.status} ${late.code}`);
        } else
          await Promise.all(
            index % 2 === 0 ? [register(), plain.revoke(revocation)] : [plain.revoke(revocation), register()],
          );
        const opened = await plain.ask("GET", "/v1/whoami", { key, from: newAddress() });
        if (opened.status !== 401) broken(`race ${index}: ${opened.status}`);
      }
    },
  ],
  [
    "revocations that the owner did not sign take no key away",
    async ({ plain, broken }) => {
      const { key, hash, body } = await plain.grant();
      const forged = [
        await plain.revocation(hash, { owner: Wallet.createRandom() }),
        await plain.revocation(hash, { audience: `paper+http://127.0.0.1:${plain.port + 1}` }),
        await plain.revocation(hash, { audience: plain.base }),
        { account: plain.account, key_hash: hash, signature: body.signature },
        { ...(await plain.revocation(newKey().hash)), key_hash: hash },
        { ...(await plain.revocation(hash)), account: "00000000-0000-0000-0000-000000000000" },
      ];
      for (const [index, revocation] of forged.entries()) {
        const answer = await plain.revoke(revocation);
        if (answer.status < 400) broken(`${index}: ${answer.status}`);
      }
      const still = await plain.ask("GET", "/v1/whoami", { key });
      if (still.status !== 200) broken(`the key is ${still.status}`);
    },
  ],
  [
    "another gateway: what was granted here is nothing there, with the same owner or not",
    async ({ plain, tls, broken }) => {
      const { key, body } = await plain.grant();
      const asThere = { ...body, consent: { ...body.consent, account: tls.account } };
      for (const there of [body, asThere]) {
        const answer = await tls.ask("POST", "/v1/api-keys", { key: null, body: there, from: newAddress() });
        if (answer.status < 400) broken(`${answer.status}`);
      }
      const opened = await tls.ask("GET", "/v1/whoami", { key, from: newAddress() });
      if (opened.status !== 401) broken(`its key: ${opened.status}`);
    },
  ],
  [
    "a key's hash is not its key, and a hash of what is no key registers nothing that opens",
    async ({ plain, broken }) => {
      for (const secret of ["", "api_trade_", "x", `api_trade_${"0".repeat(63)}`, `API_TRADE_${"0".repeat(64)}`]) {
        const hash = createHash("sha256").update(secret).digest("hex");
        await plain.ask("POST", "/v1/api-keys", {
          key: null,
          body: await signGrant(plain, { hash, scopes: BOTH }),
          from: newAddress(),
        });
        const opened = await plain.ask("GET", "/v1/whoami", { key: secret, from: newAddress() });
        if (opened.status !== 401) broken(`${JSON.stringify(secret)}: ${opened.status}`);
      }
    },
  ],
  [
    "bodies of grants: one byte over 2 KiB, and what is hidden in 2 KiB",
    async ({ plain, broken }) => {
      const body = JSON.stringify(await signGrant(plain, { hash: newKey().hash, scopes: BOTH }));
      const long = await plain.ask("POST", "/v1/api-keys", { key: null, body: body.padEnd(2049), from: newAddress() });
      if (long.code !== "body_too_large") broken(`2,049 bytes: ${long.status} ${long.code}`);
      const exact = await plain.ask("POST", "/v1/api-keys", { key: null, body: body.padEnd(2048), from: newAddress() });
      if (exact.status !== 201) broken(`2,048 bytes: ${exact.status} ${exact.code}`);
      const twice = body.replace('"policy"', `"key_hash":"${"0".repeat(64)}","policy"`);
      const proto = body.replace('"policy"', '"__proto__":{"a":1},"policy"');
      for (const bent of [twice, proto]) {
        const answer = await plain.ask("POST", "/v1/api-keys", { key: null, body: bent, from: newAddress() });
        if (answer.status !== 400) broken(`${bent.slice(0, 90)}: ${answer.status} ${answer.code}`);
      }
    },
  ],
];
