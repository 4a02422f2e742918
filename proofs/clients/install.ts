import { mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { runCommand } from "./program.ts";

/** The source of a client. The first package is the client itself: its version is the client's version. */
export type Install =
  | { readonly from: "npm"; readonly packages: Packages }
  /** Installed into a virtual environment of that Python version: `3.11`. `without`: what it asks for and does not need here, with all that needs. */
  | {
      readonly from: "pypi";
      readonly packages: Packages;
      readonly python: string;
      readonly without?: readonly string[];
    }
  /** Modules for a Go program, which is written to `main.go` beside them and built. */
  | { readonly from: "go"; readonly packages: Packages; readonly main: URL }
  /** One library, `group:artifact`, which a project file takes as properties; it and what it needs are in `lib`. */
  | { readonly from: "maven"; readonly packages: Packages; readonly pom: URL };

/** Package → exact version. */
export type Packages = Readonly<Record<string, string>>;

/** The members of a client that installing needs. */
interface Installable {
  readonly id: string;
  readonly install: Install;
}

/** An installed client, in its own folder outside the project. */
export interface Installed {
  readonly folder: string;
  /** The path of one of the client's programs: `claude`, `python`. */
  bin(name: string): string;
}

/** Enough for a download of a few hundred megabytes over a slow line. */
const TIMEOUT_MS = 900_000;

/** The client's version, which is the version of its first package. */
export function versionOf({ install }: Pick<Installable, "install">): string {
  return Object.values(install.packages)[0] ?? "unknown";
}

/** Where clients are installed, and results kept. */
export const CACHE = process.env.CAMINO_CLIENTS_CACHE ?? join(homedir(), ".cache/camino-clients");

/** The client as it is in the cache; null where this version is not installed. */
export async function findInstalled({ id, install }: Installable, cache: string): Promise<Installed | null> {
  const folder = join(cache, "installed", `${id}-${stampOf(install)}`);
  const is_there = await Bun.file(join(folder, "installed.json")).exists();
  return is_there ? { folder, bin: (name) => join(folder, BIN[install.from], name) } : null;
}

/**
 * Installs a client into the cache, once for each set of versions. Throws with the installer's output when it fails.
 */
export async function installClient(client: Installable, cache: string): Promise<Installed> {
  const { install } = client;
  const known = await findInstalled(client, cache);
  if (known !== null) return known;
  const folder = join(cache, "installed", `${client.id}-${stampOf(install)}`);
  // A virtual environment contains its own path, so a half-finished installation is deleted, not moved.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const argv of commandsFor(install, folder)) await mustRun(argv, folder);
  const note = join(folder, "installing.json");
  await Bun.write(note, JSON.stringify(install.packages));
  await rename(note, join(folder, "installed.json"));
  return { folder, bin: (name) => join(folder, BIN[install.from], name) };
}

const BIN: Readonly<Record<Install["from"], string>> = {
  npm: "node_modules/.bin",
  pypi: "venv/bin",
  go: "",
  maven: "",
};

function stampOf(install: Install): string {
  const first = Object.values(install.packages)[0];
  return `${first}-${Bun.hash(JSON.stringify(install)).toString(36)}`;
}

function commandsFor(install: Install, folder: string): string[][] {
  const packages = Object.entries(install.packages);
  switch (install.from) {
    case "npm":
      return [["npm", "install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund", ...at(packages, "@")]];
    case "pypi":
      return [
        [`python${install.python}`, "-m", "venv", join(folder, "venv")],
        ...pythonPackages(folder, at(packages, "=="), install.without ?? []),
      ];
    case "go":
      return [
        ["go", "mod", "init", "camino.test/client"],
        ["cp", Bun.fileURLToPath(install.main), join(folder, "main.go")],
        ["go", "get", ...at(packages, "@")],
        ["go", "build", "-o", join(folder, "client"), "."],
      ];
    case "maven":
      return [
        ["cp", Bun.fileURLToPath(install.pom), join(folder, "pom.xml")],
        ["mvn", "-q", "-B", ...packages.flatMap(properties), `-DoutputDirectory=${join(folder, "lib")}`, COPY],
      ];
  }
}

/** pip leaves nothing out; uv takes another requirement in its place, here one that no system has. */
function pythonPackages(folder: string, packages: readonly string[], without: readonly string[]): string[][] {
  const pip = join(folder, "venv/bin/pip");
  if (without.length === 0) return [[pip, "install", "--quiet", ...packages]];
  const overrides = join(folder, "without.txt");
  const lines = without.map((name) => `${name}; sys_platform == "none"`).join("\n");
  return [
    [pip, "install", "--quiet", UV],
    ["sh", "-c", 'printf "%s\\n" "$1" > "$2"', "sh", lines, overrides],
    [
      join(folder, "venv/bin/uv"),
      "pip",
      "install",
      "--quiet",
      "--python",
      join(folder, "venv/bin/python"),
      "--override",
      overrides,
      ...packages,
    ],
  ];
}

const UV = "uv==0.13.9";

const COPY = "org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies";

function properties([name, version]: readonly [string, string]): string[] {
  const [group, artifact] = name.split(":");
  return [`-Dclient.group=${group}`, `-Dclient.artifact=${artifact}`, `-Dclient.version=${version}`];
}

function at(packages: readonly (readonly [string, string])[], sign: string): string[] {
  return packages.map(([name, version]) => name + sign + version);
}

async function mustRun(argv: readonly string[], cwd: string): Promise<void> {
  // The installer is the user's own, so it runs with the user's settings: proxies, certificates, registries.
  const env = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== undefined));
  const { status, stdout, stderr } = await runCommand({
    argv,
    cwd,
    env: env as Record<string, string>,
    timeout_ms: TIMEOUT_MS,
  });
  if (status !== 0) throw new Error(`${argv.join(" ")} ended with ${status}: ${(stderr + stdout).slice(-2000)}`);
}
