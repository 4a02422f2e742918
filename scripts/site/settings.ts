import { writeFileSync } from "node:fs";
import { slugify } from "./stage.ts";

/** Where a gateway serves the site. */
export const BASE = "/docs/guide/";

/** The highlighter leaves a line that takes it half a second without colours, which a busy machine does to any line. 0 is no limit. */
const COLOURED_TO_THE_END = {
  name: "coloured-to-the-end",
  preprocess: (_code: string, options: { tokenizeTimeLimit?: number }): void => {
    options.tokenizeTimeLimit = 0;
  },
};

/** How many times as much a word counts in a recipe as on another page: a title there outweighs every mention elsewhere. */
const RECIPE_BOOST = 4;

interface Token {
  readonly type: string;
  readonly content: string;
  tag: string;
}

/** What is used of the Markdown reader. */
interface Markdown {
  readonly core: { readonly ruler: { push(name: string, rule: (state: { readonly tokens: Token[] }) => void): void } };
}

/** A table's head without words heads nothing: it is a plain cell. */
function headNothing({ tokens }: { readonly tokens: Token[] }): void {
  for (const [at, token] of tokens.entries()) {
    const [words, end] = [tokens[at + 1], tokens[at + 2]];
    if (token.type !== "th_open" || words?.content !== "" || end?.type !== "th_close") continue;
    token.tag = "td";
    end.tag = "td";
  }
}

const item = (text: string, link: string) => ({ text, link: `/${link}` });

/** What the settings say beyond what is the same for every build. */
interface SiteFacts {
  readonly version: string;
  readonly packages_file: string;
  /** The pages of `docs/how-to`: what each is called, and its link without the slash in front. */
  readonly recipes: readonly { readonly text: string; readonly link: string }[];
}

/** The site's settings for VitePress. The pages are in the order in which a reader needs them. */
export function siteSettings({ version, packages_file, recipes }: SiteFacts) {
  return {
    vite: { plugins: [recordPackages(packages_file)] },
    base: BASE,
    lang: "en",
    title: "Camino",
    description: "A gateway to many hosted language models behind one API key, with exact billing.",
    cleanUrls: true,
    // One page after the other: the search index numbers pages in the order in which they were read, and the same documents are to make the same bytes.
    buildConcurrency: 1,
    // Scripts of its own in files, so that a content security policy can name the two that are left in the pages.
    metaChunk: true,
    lastUpdated: false,
    transformHead: ({ pageData }: { readonly pageData: { readonly relativePath: string } }) => markdownTwin(pageData),
    // What the documents say between angle brackets is text.
    markdown: {
      ...{ html: false, anchor: { slugify }, headers: { slugify }, attrs: { disable: true } },
      // Every colour of these can be read on the ground that code has.
      theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
      codeTransformers: [COLOURED_TO_THE_END],
      config: (markdown: Markdown) => void markdown.core.ruler.push("empty-heads", headNothing),
    },
    themeConfig: {
      siteTitle: `Camino ${version}`,
      search: { provider: "local" },
      outline: [2, 3],
      // Links out of the site, to the console and the reference, cannot be written here: they would get the base.
      nav: [],
      sidebar: [
        {
          text: "Start",
          items: [
            item("Start", ""),
            item("Clients", "clients"),
            item("Console", "console"),
            item("Configuration and vendors", "configuration"),
            item("Troubleshooting", "troubleshooting"),
            item("Coming from another gateway", "migration"),
          ],
        },
        {
          text: "How do I …?",
          // A heading without a page would be a button around the button that unfolds it.
          link: "/how-to/",
          collapsed: true,
          items: [item("All recipes", "how-to/"), ...recipes.map(({ text, link }) => item(text, link))],
        },
        {
          text: "Using it",
          items: [
            item("API", "api"),
            item("Decisions", "decisions"),
            item("How billing works", "billing"),
            item("What holds the money", "money"),
            item("Conformance", "conformance"),
            item("Rulings", "rulings"),
          ],
        },
        {
          text: "Running it",
          items: [
            item("Operations", "operations"),
            item("Docker", "deploy/docker-compose"),
            item("Kubernetes", "deploy/kubernetes"),
            item("systemd", "deploy/systemd"),
            item("Scale", "scale"),
            item("Security", "security"),
            item("Versions", "compatibility"),
            item("Changelog", "changelog"),
          ],
        },
        {
          text: "Inside",
          link: "/architecture",
          collapsed: true,
          items: [
            item("Architecture", "architecture"),
            item("Glossary", "glossary"),
            item("Style", "style"),
            item("Decisions that bind", "adr/"),
            item("Design", "design/"),
            item("Contributing", "contributing"),
            item("Reporting a vulnerability", "security-policy"),
          ],
        },
      ],
    },
  };
}

/** Tells a program that reads a page where its Markdown is. The page for what is not found has none. */
function markdownTwin({ relativePath }: { readonly relativePath: string }): [string, Record<string, string>][] {
  if (relativePath === "404.md" || relativePath === "") return [];
  return [["link", { rel: "alternate", type: "text/markdown", href: `${BASE}${relativePath}` }]];
}

/**
 * The site's theme, as a module's source: without the theme's own typefaces, which are as large as all pages together, and with a search
 * that finds recipes before other pages. Its settings reach a browser as data alone, so a function is set here.
 */
export const THEME = `import theme from "vitepress/theme-without-fonts";
import "./style.css";

const boostDocument = (id) => (id.startsWith("${BASE}how-to/") ? ${RECIPE_BOOST} : 1);

export default {
  ...theme,
  enhanceApp(context) {
    theme.enhanceApp?.(context);
    context.siteData.value.themeConfig.search.options = { miniSearch: { searchOptions: { boostDocument } } };
  },
};
`;

/** The name of a block's language can be read, and the search's button says its name alone, which is what it is called. */
export const STYLE = `:root { --vp-code-lang-color: var(--vp-c-text-2) }
.DocSearch-Button-Keys { display: none !important }
`;

/** A part of Vite's build that writes down of which packages code is in the scripts for browsers. */
function recordPackages(file: string) {
  const names = new Set<string>();
  return {
    name: "record-packages",
    generateBundle: (_options: unknown, bundle: Readonly<Record<string, { readonly modules?: object }>>): void => {
      for (const { modules = {} } of Object.values(bundle))
        for (const path of Object.keys(modules)) {
          const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
          if (name !== undefined) names.add(name);
        }
      writeFileSync(file, JSON.stringify([...names].sort()));
    },
  };
}
