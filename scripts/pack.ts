/**
 * What `npm pack` calls before and after it packs (docs/adr/0041). The package has the built gateway and the built console in
 * place of the sources, so that it depends on the runtime alone and is installed without a build and without install scripts.
 *
 * `--before` builds both and puts the package's manifest in the project's place, `--after` puts the project's back.
 */
import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { buildConsole } from "./build-console.ts";
import { bundle, WORKERS } from "./build-gateway.ts";
import { buildSite } from "./build-site.ts";
import { PLATFORMS } from "./platforms.ts";

const ROOT = join(import.meta.dir, "..");
const MANIFEST = join(ROOT, "package.json");
/** The project's manifest while the package's is in its place. */
const KEPT = join(ROOT, ".package.json.kept");
/** The built form of all commands. It lies as deep as `src/main`, from where the gateway finds the console's files. */
export const PACKAGE_FOLDER = join(ROOT, "dist/package");
/** Programs that the supervisor starts by their source's name. */
export const PROCESSES = ["src/main/worker-process.ts", "src/main/ledger-process.ts"];
/** What the package says of itself. Its scripts and the packages that are inside the built form stay behind. */
const SAID = ["name", "version", "description", "license", "type", "private", "engines", "bin", "files"] as const;

/** Builds what the package and the binary have inside. */
export async function buildPackage(): Promise<void> {
  await buildConsole();
  await buildSite();
  const unfinished = `${PACKAGE_FOLDER}-${process.pid}`;
  try {
    // Without source maps, which are as large as everything else together.
    await bundle(unfinished, { programs: ["src/main.ts"], workers: [...WORKERS, ...PROCESSES], sourcemap: "none" });
    await rm(PACKAGE_FOLDER, { recursive: true, force: true });
    await rename(unfinished, PACKAGE_FOLDER);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/**
 * The manifest of the package, out of the project's. It names the runtime's packages for each platform, of which npm installs the one that fits, in place of
 * `bun`, whose install script npm blocks with a warning (docs/adr/0041). It keeps the scripts that pack: after a pack that was killed it is
 * still in the project's place, and the next `npm pack` goes by it.
 */
export function packageManifest(project: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { bun } = project.dependencies as Record<string, string>;
  const { prepack, postpack } = project.scripts as Record<string, string>;
  const said = SAID.map((field) => [field, project[field]] as const);
  return {
    ...Object.fromEntries(said),
    os: ["linux", "darwin"],
    scripts: { prepack, postpack },
    optionalDependencies: Object.fromEntries(PLATFORMS.map((platform) => [`@oven/bun-${platform}`, bun])),
  };
}

async function before(): Promise<void> {
  // A pack that was killed has left its manifest here.
  if (existsSync(KEPT)) await after();
  await buildPackage();
  const text = await Bun.file(MANIFEST).text();
  await Bun.write(KEPT, text);
  // In one step: whoever reads the manifest meanwhile finds the one or the other.
  await Bun.write(`${MANIFEST}.new`, `${JSON.stringify(packageManifest(JSON.parse(text)), null, 2)}\n`);
  await rename(`${MANIFEST}.new`, MANIFEST);
}

async function after(): Promise<void> {
  if (existsSync(KEPT)) await rename(KEPT, MANIFEST);
}

if (import.meta.main) {
  const word = process.argv[2];
  if (word === "--before") await before();
  else if (word === "--after") await after();
  else throw new Error("usage: pack.ts --before | --after; npm calls it when it packs");
}
