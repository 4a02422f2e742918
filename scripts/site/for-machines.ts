import { join, normalize } from "node:path";
import { BASE } from "./settings.ts";
import { documentsOf, pageOf, pageText } from "./stage.ts";

/**
 * What programs read in place of the pages: each page's text as Markdown beside it, under its address with `.md` behind it, and `llms.txt`, which
 * lists them all (https://llmstxt.org).
 */

interface Section {
  readonly text: string;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

/** Each page's Markdown by its path within the site. */
export async function markdownPages(root: string): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  for (const path of await documentsOf(root))
    pages.set(pageOf(path) ?? "", pageText(path, await Bun.file(join(root, path)).text()));
  return pages;
}

/**
 * The list of a site's pages for language models: the sections of its contents with links to the pages' Markdown, and every other page under
 * "Optional", which a reader who is short of room leaves out. Throws where the contents name a page that is not there.
 */
export function llmsText(
  { title, description }: { readonly title: string; readonly description: string },
  sections: readonly Section[],
  pages: ReadonlyMap<string, string>,
): string {
  const named = new Set<string>();
  const listed = sections.map(({ text, items }) => {
    const lines = items.map((item) => {
      const page = markdownOf(item.link);
      if (!pages.has(page)) throw new Error(`the contents name ${item.link}, which is no page`);
      named.add(page);
      return `- [${item.text}](${BASE}${page})`;
    });
    return [`## ${text}`, "", ...lines, ""].join("\n");
  });
  const others = [...pages].filter(([page]) => !named.has(page));
  const optional = others.map(([page, text]) => `- [${/^# (.+)$/m.exec(text)?.[1] ?? page}](${BASE}${page})`);
  return [`# ${title}`, "", `> ${description}`, "", ...listed, "## Optional", "", ...optional, ""].join("\n");
}

/** `/how-to/` → `how-to/index.md`, `/api` → `api.md`. */
function markdownOf(link: string): string {
  return normalize(link.endsWith("/") ? `${link}index.md` : `${link}.md`).replace(/^\//, "");
}
