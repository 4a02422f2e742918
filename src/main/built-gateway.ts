import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
/** The files that the built form is made from. The lock file stands for the packages and for Bun. */
const SOURCES = "{src,contract,simulator}/**/*.{ts,js,css,yaml}";
const LOCK_FILE = "package-lock.json";
/** Whether this code is part of a built form already: of the package, or of the one binary (docs/adr/0041). */
const IS_BUILT = !import.meta.path.endsWith("built-gateway.ts");

/**
 * `serve`: from the gateway's built form where there is one of exactly these sources, otherwise from the sources. The
 * built form takes 17 MB less memory and starts in half of the time: it is a few files in place of hundreds of modules,
 * without unused code.
 */
export async function loadServe(): Promise<Pick<typeof import("./serve.ts"), "serve">> {
  const built = IS_BUILT ? null : join(builtFolder(), "serve.js");
  return built !== null && existsSync(built) ? await import(built) : await import("./serve.ts");
}

/** `keepLedger`, from the built form where there is one. */
export async function loadLedger(): Promise<Pick<typeof import("./keep-ledger.ts"), "keepLedger">> {
  const built = IS_BUILT ? null : join(builtFolder(), "keep-ledger.js");
  return built !== null && existsSync(built) ? await import(built) : await import("./keep-ledger.ts");
}

/**
 * The folder of the built form of exactly these sources, if it was built (scripts/build-gateway.ts). The folder's name
 * is a hash of the sources, so that no other form is mistaken for it, and a running gateway keeps its files when
 * another form is built (docs/rulings.md 131).
 */
export function builtFolder(root = ROOT): string {
  const hasher = new Bun.CryptoHasher("sha256");
  const files = Array.from(new Bun.Glob(SOURCES).scanSync({ cwd: root })).filter((path) => !path.endsWith(".test.ts"));
  for (const path of [...files.sort(), LOCK_FILE]) {
    // Read one after the other: the files are small and in the page cache, and together take less than 10 ms.
    hasher.update(`${path}\0`).update(readFileSync(join(root, path)));
  }
  // The folder is as deep below the root as src/main, from where the gateway finds the console's files.
  return join(root, "dist", hasher.digest("hex").slice(0, 16));
}
