import { expect, test } from "bun:test";
import { type CredentialSeal, credentialSealOf } from "../../src/vault/credential-seal.ts";

/** How files of `systemd-creds encrypt` of systemd 252 begin; those of a TPM were made with an emulated one. */
const BEGINNINGS: [option: string, beginning: string, seal: CredentialSeal][] = [
  ["--with-key=host", "Whxqht+dQJax1aZeCGLxmiAAAAABAAAADAAAABAAAADVa/8m", "host"],
  ["--with-key=tpm2", "DHzAexF2RZGcSwvqCLwg/iAAAAABAAAADAAAABAAAACymdAl", "tpm2"],
  ["--with-key=host+tpm2", "k6iUCUh0RJCQyvL8k8q1UyAAAAABAAAADAAAABAAAABpQOAM", "host_and_tpm2"],
  ["--with-key=tpm2-absent", "BYRp2vb1QySABUnaD46i+yAAAAABAAAADAAAABAAAAAXMKfU", "nothing"],
];

test.each(BEGINNINGS)("a credential made by %s names its own kind", (_option, beginning, seal) => {
  expect(credentialSealOf(`${beginning}\n`)).toBe(seal);
});

test("what is no credential, or of a later systemd, is not guessed at", () => {
  const other = Buffer.alloc(48, 7).toString("base64");
  for (const file of ["", "plain", "anvil quarry tulip magnet orbit seven", "\0\0\0\0", other]) {
    expect(credentialSealOf(file)).toBe("unknown");
  }
});
