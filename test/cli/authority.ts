/** Certificates as an owner gets them: of an authority of their own, made by openssl into a directory. */
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type Authority = {
  /** Its certificate, which clients trust. */
  rootFile: string;
  /** Where `use` puts a certificate and its key, for a server to read. */
  certificateFile: string;
  keyFile: string;
  /** Makes a certificate for this machine under this name. */
  issue(commonName: string, by: "authority" | "itself"): Issued;
  use(issued: Issued): void;
};

export type Issued = { certificateFile: string; keyFile: string };

const NAMES = "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1";

export function openAuthority(directory: string): Authority {
  const [rootFile, rootKey] = [join(directory, "root.pem"), join(directory, "root.key")];
  openssl(directory, [...request(rootFile, rootKey, "A trader's own authority"), "-days", "30", "-x509"]);
  const [certificateFile, keyFile] = [join(directory, "fullchain.pem"), join(directory, "privkey.pem")];
  let count = 0;
  return {
    rootFile,
    certificateFile,
    keyFile,
    issue(commonName, by) {
      count += 1;
      const issued = { certificateFile: join(directory, `${count}.pem`), keyFile: join(directory, `${count}.key`) };
      const asked = [...request(issued.certificateFile, issued.keyFile, commonName), "-x509", "-days", "30"];
      const named = [...asked, "-addext", NAMES, "-addext", "basicConstraints=critical,CA:FALSE"];
      openssl(directory, by === "itself" ? named : [...named, "-CA", rootFile, "-CAkey", rootKey]);
      return issued;
    },
    use(issued) {
      copyFileSync(issued.certificateFile, certificateFile);
      copyFileSync(issued.keyFile, keyFile);
    },
  };
}

/** The beginning of a certificate and of its key. */
export function writeBroken({ certificateFile }: Authority): void {
  writeFileSync(certificateFile, "-----BEGIN CERTIFICATE-----\nMIIB\n");
}

function request(certificateFile: string, keyFile: string, commonName: string): string[] {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", keyFile];
  return ["req", ...key, "-out", certificateFile, "-subj", `/CN=${commonName}`];
}

function openssl(cwd: string, words: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["openssl", ...words], { cwd, stdout: "ignore", stderr: "pipe" });
  if (exitCode !== 0) throw new Error(`openssl ${words[0]}: ${stderr}`);
}
