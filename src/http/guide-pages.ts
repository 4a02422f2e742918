import { readdir } from "node:fs/promises";
import { extname, join, relative } from "node:path";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import { headerLines } from "./answer-lines.ts";
import { acceptedEncodings, type ConsolePages, type PageRequest } from "./console-pages.ts";
import { PAGE_SAFETY, textAnswer } from "./page-safety.ts";

/**
 * The documents as pages under `/docs/guide/`, which `npm run build:site` makes. They are read from the disk when they are asked for: a gateway is
 * not asked for them often, and need not hold them in memory. They lie there compressed, and are decompressed for clients that cannot do that.
 */

const ROOT = "/docs/guide/";
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".md": "text/markdown; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
};
/** The file that describes the build. It is not served. */
const FACTS = ".facts.json";
const ENDING = ".br";

interface Site {
  /** Files of the disk by the path that is asked for. */
  readonly files: ReadonlyMap<string, string>;
  readonly policy: string;
}

/** Whether a path is that of the documents' pages. */
export function isGuide(path: string): boolean {
  return path === "/docs/guide" || path.startsWith(ROOT);
}

/** Serves the built documents of a folder. Where it is missing, the answer says so. `more` are headers of all answers. */
export function guidePages(folder: string, more: Readonly<Record<string, string>> = {}): ConsolePages {
  let opening: Promise<Site | null> | null = null;
  return {
    answer: async (request) => {
      const { path, method } = request;
      if (method !== "GET" && method !== "HEAD") return text(405, "Only GET and HEAD are answered here.", more);
      if (path === "/docs/guide") return { status: 308, headers: headerLines({ ...more, location: ROOT }), body: "" };
      opening ??= open(folder);
      const site = await opening;
      if (site === null) {
        opening = null;
        return text(503, notBuilt(path), more);
      }
      const file = fileFor(site, path);
      const found = file ?? site.files.get(`${ROOT}404.html`);
      if (found === undefined) return text(404, "There is no such page.", more);
      return await serve(request, { site, file: found, status: file === null ? 404 : 200, more });
    },
  };
}

/** Where the document of a page is read without the site. */
function notBuilt(path: string): string {
  const name = /^\/docs\/guide\/([a-z][a-z-]*)$/.exec(path)?.[1];
  const where = name === undefined ? "The documents are in its folder docs" : `The document is docs/${name}.md there`;
  return `The guide is not built. In the project's folder: npm run build:site. ${where}.`;
}

/** A page is asked for without its ending. */
function fileFor({ files }: Site, path: string): string | null {
  const tries = path.endsWith("/") ? [`${path}index.html`] : [path, `${path}.html`, `${path}/index.html`];
  for (const each of tries) {
    const file = files.get(each);
    if (file !== undefined) return file;
  }
  return null;
}

/** Whether a folder has the built documents. */
export function isBuilt(folder: string): Promise<boolean> {
  return Bun.file(join(folder, FACTS)).exists();
}

async function open(folder: string): Promise<Site | null> {
  const facts = Bun.file(join(folder, FACTS));
  const scripts = await facts.json().then(
    (document: { scripts: string[] }) => document.scripts,
    () => null,
  );
  if (scripts === null) return null;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, string>();
  for (const entry of entries.filter((each) => each.isFile() && each.name.endsWith(ENDING))) {
    const path = join(entry.parentPath, entry.name);
    files.set(ROOT + relative(folder, path).replaceAll("\\", "/").slice(0, -ENDING.length), path);
  }
  return { files, policy: policyFor(scripts) };
}

/** The pages' own files, and the two scripts inside of them that choose light or dark before anything is drawn, by their digests. */
function policyFor(scripts: readonly string[]): string {
  return [
    "default-src 'none'",
    "base-uri 'none'",
    "connect-src 'self'",
    "font-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "img-src 'self' data:",
    ["script-src 'self'", ...scripts].join(" "),
    // Code is coloured by attributes.
    "style-src 'self' 'unsafe-inline'",
  ].join("; ");
}

interface GuideFile {
  readonly site: Site;
  readonly file: string;
  readonly status: number;
  readonly more: Readonly<Record<string, string>>;
}

async function serve(request: PageRequest, { site, file, status, more }: GuideFile): Promise<ServerAnswer> {
  const bytes = await Bun.file(file).bytes();
  const etag = `"${Bun.hash(bytes).toString(36)}"`;
  const immutable = request.path.startsWith(`${ROOT}assets/`) && status === 200;
  const headers: Record<string, string> = {
    ...more,
    "cache-control": immutable ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": site.policy,
    ...PAGE_SAFETY,
    vary: "accept-encoding",
    etag,
  };
  if (status === 200 && request.get("if-none-match")?.includes(etag))
    return { status: 304, headers: headerLines(headers), body: null };
  headers["content-type"] = TYPES[extname(file.slice(0, -ENDING.length))] ?? "application/octet-stream";
  if (acceptedEncodings(request.get("accept-encoding")).has("br")) {
    headers["content-encoding"] = "br";
    return { status, headers: headerLines(headers), body: bytes };
  }
  // Few browsers ask like this, and only without https.
  const { brotliDecompressSync } = await import("node:zlib");
  return { status, headers: headerLines(headers), body: new Uint8Array(brotliDecompressSync(bytes)) };
}

function text(status: number, words: string, more: Readonly<Record<string, string>>): ServerAnswer {
  const safety = { "content-security-policy": "default-src 'none'", "x-content-type-options": "nosniff" };
  return textAnswer(status, words, { ...more, ...safety });
}
