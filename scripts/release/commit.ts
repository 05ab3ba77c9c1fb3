export type Commit = {
  /** Marked when the tree differs from it; "unknown" outside a clone. */
  id: string;
  isClean: boolean;
  /** Unix seconds; 0 outside a clone. */
  madeAtS: number;
};

export function commitOf(root: string): Commit {
  const head = git(root, "rev-parse", "HEAD");
  if (head === "") return { id: "unknown", isClean: false, madeAtS: 0 };
  const isClean = git(root, "status", "--porcelain", "--untracked-files=no") === "";
  const madeAtS = Number(git(root, "log", "-1", "--format=%ct"));
  return { id: isClean ? head : `${head}-modified`, isClean, madeAtS };
}

function git(root: string, ...command: string[]): string {
  const child = Bun.spawnSync(["git", "-C", root, ...command], { stdin: "ignore", stderr: "ignore" });
  return child.success ? child.stdout.toString().trim() : "";
}
