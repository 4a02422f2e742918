import { join } from "node:path";

export interface SourceFile {
  /** The path, relative to the project. */
  readonly path: string;
  readonly text: string;
}

const TEXT =
  /(\.(ts|tsx|css|html|json|jsonc|md|yaml|yml|sh|sql|conf|service|txt|toml)|(^|\/)(\.?[A-Z]*|\.[a-z]+|run|Dockerfile|camino[a-z-]*))$/;

/** Every text file of the project that git tracks or would track; files that git ignores are left out. */
export async function readSourceFiles(root: string): Promise<SourceFile[]> {
  const paths = (await listFiles(root)).filter((path) => TEXT.test(path));
  const files = await Promise.all(
    paths.map(async (path) => {
      const file = Bun.file(join(root, path));
      // Git also lists a deleted file whose deletion is not committed yet.
      return (await file.exists()) ? { path, text: await file.text() } : null;
    }),
  );
  return files.filter((file) => file !== null);
}

async function listFiles(root: string): Promise<string[]> {
  const git = Bun.spawn(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    stdout: "pipe",
    stderr: "ignore",
  });
  const listed = await git.stdout.text();
  if ((await git.exited) === 0) return listed.split("\0").filter((path) => path !== "");
  // Not a clone but an archive of the sources: every file except node_modules.
  const glob = new Bun.Glob("**/*");
  const found = await Array.fromAsync(glob.scan({ cwd: root, dot: true, onlyFiles: true }));
  return found.filter((path) => !path.startsWith("node_modules/") && !path.startsWith(".git/"));
}
