import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
/** What the gateway is made of. The lock file stands for the packages and for Bun. */
const SOURCES = "{src,contract,simulator}/**/*.{ts,js,css,yaml}";
const LOCK_FILE = "package-lock.json";

/**
 * `serve`, from the gateway's built form where there is one of exactly these sources, else from the sources. Built, it
 * takes 17 MB less memory and starts in half of the time: hundreds of modules are a few, without what nothing uses.
 */
export async function loadServe(): Promise<Pick<typeof import("./serve.ts"), "serve">> {
  const built = join(builtFolder(), "serve.js");
  return existsSync(built) ? await import(built) : await import("./serve.ts");
}

/**
 * Where the built form of these very sources is, if it was built (scripts/build-gateway.ts). The folder is named by a
 * hash of them, so that no other form can be taken for it, and one that runs keeps its files when another is built.
 */
export function builtFolder(root = ROOT): string {
  const hasher = new Bun.CryptoHasher("sha256");
  const files = Array.from(new Bun.Glob(SOURCES).scanSync({ cwd: root })).filter((path) => !path.endsWith(".test.ts"));
  for (const path of [...files.sort(), LOCK_FILE]) {
    // Read one after the other: they are small and in the page cache, and together take less than 10 ms.
    hasher.update(`${path}\0`).update(readFileSync(join(root, path)));
  }
  // As deep below the root as src/main, from where the gateway looks for the console's files.
  return join(root, "dist", hasher.digest("hex").slice(0, 16));
}
