import { basename, dirname, join, normalize, posix, relative } from "node:path";

/**
 * The documents as pages of a site: which there are, under which addresses, and what becomes of links to what is no page.
 */

/** Documents beside the folder `docs`, and the pages that they become. */
const OTHERS: Readonly<Record<string, string>> = {
  "README.md": "index.md",
  "SECURITY.md": "security-policy.md",
  "CHANGELOG.md": "changelog.md",
  "CONTRIBUTING.md": "contributing.md",
};

/** Pages that speak of work in a clone, or of the words themselves. */
const ABOUT_CLONES = /^(CONTRIBUTING\.md|docs\/(?:adr|design)\/.*)$/;

/** The address of a document's page, relative to the site, ending in `.md`; null where it is no page. */
export function pageOf(path: string): string | null {
  const other = OTHERS[path];
  if (other !== undefined) return other;
  if (!path.startsWith("docs/") || !path.endsWith(".md")) return null;
  return path
    .slice("docs/".length)
    .replace(/(^|\/)README\.md$/, "$1index.md")
    .replace(/^index\.md$/, "documents.md");
}

/** The documents that are pages, by their paths in the project. */
export async function documentsOf(root: string): Promise<string[]> {
  const found = await Array.fromAsync(new Bun.Glob("docs/**/*.md").scan({ cwd: root }));
  return [...Object.keys(OTHERS), ...found].sort();
}

/** The pages of `docs/how-to` in the order of its contents: what each is called, and where it is on the site. Throws for one that the contents lack. */
export async function recipesOf(root: string): Promise<{ text: string; link: string }[]> {
  const folder = join(root, "docs/how-to");
  const contents = await Bun.file(join(folder, "README.md")).text();
  const named = Array.from(contents.matchAll(/\]\(([\w-]+)\.md\)/g), ([, name = ""]) => name);
  const found = (await documentsOf(root)).filter((path) => /^docs\/how-to\/(?!README)/.test(path));
  const missing = found.filter((path) => !named.includes(basename(path, ".md")));
  if (missing.length > 0) throw new Error(`docs/how-to/README.md does not name ${missing.join(", ")}`);
  return Promise.all(
    named.map(async (name) => {
      const text = await Bun.file(join(folder, `${name}.md`)).text();
      return { text: /^# (.+)$/m.exec(text)?.[1] ?? name, link: `how-to/${name}` };
    }),
  );
}

/**
 * A document's text as a page's. Links to other documents lead to their pages, links to sources and pictures become their words, because the
 * sources are not in the package and the console itself is one link away. Text that Vue would take for its own stays text. Commands are those of an
 * installed gateway, which has the pages inside: with `npx` in front its reader would run what a registry has under the name (docs/design/releases.md).
 */
export function pageText(path: string, text: string): string {
  const page = pageOf(path);
  if (page === null) throw new Error(`${path} is no page`);
  let in_block = false;
  const shown = ABOUT_CLONES.test(path) ? text : text.replace(/\bnpx camino (?=[a-z])/g, "camino ");
  const lines = shown.split("\n").map((line) => {
    if (/^\s*(```|~~~)/.test(line)) in_block = !in_block;
    return in_block ? line : rewrite(line, path, page);
  });
  return lines.join("\n");
}

function rewrite(line: string, path: string, page: string): string {
  return line
    .replace(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replace(/\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (whole, words: string, target: string) => {
      if (/^[a-z]+:/i.test(target)) return whole;
      const [file = "", anchor] = target.split("#");
      if (file === "") return whole;
      const to = pageOf(normalize(join(dirname(path), file)).replaceAll("\\", "/"));
      if (to === null) return words;
      const way = relative(posix.dirname(page), to).replaceAll("\\", "/");
      // A page has no file's name.
      const shown = words.replace(/^([\w/-]+)\.md$/, "$1");
      return `[${shown}](./${way}${anchor === undefined ? "" : `#${anchor}`})`;
    });
}

/** The anchors that the documents' links use: those of the usual renderers of Markdown. */
export function slugify(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replace(/ /g, "-");
}
