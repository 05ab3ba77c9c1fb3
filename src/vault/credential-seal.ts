/**
 * What seals a systemd credential, by the 16 bytes that its file begins with (base64 of `struct encrypted_credential_header`
 * in systemd's src/shared/creds-util.h): the file names its own kind, so nothing that somebody once wrote down can be stale.
 */
export type CredentialSeal = "tpm2" | "host_and_tpm2" | "host" | "nothing" | "unknown";

const KINDS: Readonly<Record<string, CredentialSeal>> = {
  "0c7cc07b11764591 9c4b0bea08bc20fe": "tpm2",
  "faf7eb9341e3412c a1a436f95a29362f": "tpm2",
  "93a8940948744490 90caf2fc93cab553": "host_and_tpm2",
  "ef4ac13679a9480e a7db68897f9f165d": "host_and_tpm2",
  "af4950a849134eb1 a73846304ff30c05": "host_and_tpm2",
  "adbc4ca3efb64201 ba881b6f2e4095ea": "host_and_tpm2",
  "5a1c6a86df9d4096 b1d5a65e0862f19a": "host",
  "55b9ed1d38594d43 a8319d2ebb332ac6": "host",
  // A key of zeros, for machines without a TPM that want only the form.
  "058469daf6f54324 800549da0f8ea2fb": "nothing",
};

const ID_BYTES = 16;

/** @param file the credential as `systemd-creds encrypt` wrote it: base64, in lines */
export function credentialSealOf(file: string): CredentialSeal {
  const id = Buffer.from(file.slice(0, 2 * ID_BYTES), "base64")
    .subarray(0, ID_BYTES)
    .toString("hex");
  return KINDS[`${id.slice(0, ID_BYTES)} ${id.slice(ID_BYTES)}`] ?? "unknown";
}
