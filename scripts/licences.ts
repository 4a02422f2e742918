/**
 * `npm run licences`: the licences of every package that the shipped gateway has inside, in LICENCES.md. What is inside is read from the
 * bundle's source maps, so that a package that nothing of is used is not named, and none is forgotten. `--check` writes nothing,
 * and fails where the file is not of this build. The console's are in console/dist/licences.md, which its own build writes.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle, WORKERS } from "./build-gateway.ts";

const ROOT = join(import.meta.dir, "..");
const FILE = join(ROOT, "LICENCES.md");
/** Licences under which code may be inside what is shipped under MIT. Another one is looked at by a person first. */
export const ALLOWED_LICENCES: readonly unknown[] = [
  "MIT",
  "ISC",
  "MIT-0",
  "0BSD",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
];

/** Packages that say their licence in their manifest alone. A person has looked at each. */
const WITHOUT_FILE: readonly string[] = ["@docsearch/css"];

const HEAD = `# Licences

Camino is under the [MIT licence](LICENSE). Its package, executable files and image have other people's work inside, under the licences below. This file
is made by \`npm run licences\`.

- **The runtime**, Bun BUN_VERSION (MIT), comes with JavaScriptCore (LGPL-2.0) and other libraries: <https://bun.com/docs/project/licensing>. The package
  fetches it as it is; the executable files and the image contain it.
- **The console** has its own list beside it: \`console/dist/licences.md\`, which a gateway shows at \`/console/licences.md\`.
- **The gateway** has these packages inside:
`;

/** The text of LICENCES.md for these sources. Throws where a package has a licence that nobody has looked at, or none. */
export async function licencesText(): Promise<string> {
  const names = await packagesInside();
  const parts = await Promise.all(names.map((name) => licenceOf(name)));
  const { dependencies } = await Bun.file(join(ROOT, "package.json")).json();
  return `${[HEAD.replace("BUN_VERSION", dependencies.bun), ...parts].join("\n")}`;
}

/** The names of the packages of which code is in the gateway's bundle, in their order. */
export async function packagesInside(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "camino-licences-"));
  try {
    await bundle(folder, { programs: ["src/main.ts"], workers: WORKERS, sourcemap: "linked" });
    const names = new Set<string>();
    for (const path of new Bun.Glob("*.map").scanSync(folder)) {
      const { sources } = (await Bun.file(join(folder, path)).json()) as { sources: string[] };
      for (const source of sources) {
        const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1];
        if (name !== undefined) names.add(name);
      }
    }
    return [...names].sort();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The licences of a package that is installed in a folder, under a heading with its version. Throws where nobody has agreed to them. */
export async function licenceOf(name: string, installed = ROOT): Promise<string> {
  const folder = join(installed, "node_modules", name);
  const { version, license, author } = await Bun.file(join(folder, "package.json")).json();
  if (!ALLOWED_LICENCES.includes(license)) {
    throw new Error(`${name} ${version} is under ${JSON.stringify(license)}; allowed: ${ALLOWED_LICENCES.join(", ")}`);
  }
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  if (files.length === 0) {
    const known = WITHOUT_FILE.includes(name);
    if (!known) throw new Error(`${name} ${version} has no file with its licence`);
    return `## ${name} ${version} (${license})\n\nThe package names its licence and has no text of it. Its author: ${authorIn(author)}.\n`;
  }
  const texts = await Promise.all(files.map((file) => Bun.file(join(folder, file)).text()));
  // Four backquotes, because some texts have three.
  const quoted = texts.map((text) => `\`\`\`\`text\n${text.replaceAll("\r", "").trim()}\n\`\`\`\`\n`);
  return `## ${name} ${version} (${license})\n\n${quoted.join("\n")}`;
}

function authorIn(author: unknown): string {
  if (typeof author === "string") return author;
  return typeof author === "object" && author !== null && "name" in author ? String(author.name) : "not named";
}

if (import.meta.main) {
  const text = await licencesText();
  if (!process.argv.includes("--check")) await Bun.write(FILE, text);
  else if (text !== (await Bun.file(FILE).text())) {
    console.error("camino: LICENCES.md is not of these packages: run `npm run licences`.");
    process.exitCode = 1;
  }
}
