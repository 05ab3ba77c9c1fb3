/** `bun run browser`: the owner's page in Debian's chromium, against a gateway and a paper exchange of its own. */
import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
const CHROMIUM = "/usr/bin/chromium";

if (!existsSync(CHROMIUM)) {
  console.error(`there is no ${CHROMIUM}; as root: apt-get install chromium`);
  process.exit(2);
}
const files = [...new Bun.Glob("test/browser/*.browser.ts").scanSync(ROOT)].sort().map((file) => `./${file}`);
const wanted = process.argv.slice(2);
const chosen = wanted.length === 0 ? files : files.filter((file) => wanted.some((word) => file.includes(word)));
const child = Bun.spawn([process.execPath, "test", "--timeout", "60000", ...chosen], {
  cwd: ROOT,
  stdin: "ignore",
  stdout: "inherit",
  stderr: "inherit",
});
process.exit(await child.exited);
