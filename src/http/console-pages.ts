import { readdir } from "node:fs/promises";
import { extname, join, relative } from "node:path";
import type { RequestHead } from "../wire/server/request-head.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import { headerLines } from "./answer-lines.ts";
import { PAGE_SAFETY, textAnswer } from "./page-safety.ts";

/**
 * The web console's files under `/console/`: all are read into memory at the first request for any of them, each with
 * the copies that the build has compressed. Addresses without a file get the one page, which routes by the address
 * itself.
 */
export interface ConsolePages {
  /** The answer to a request whose path is `/console` or begins with `/console/`, or to a browser's for `/`. */
  answer(head: PageRequest): Promise<ServerAnswer>;
}

/** The parts of a request that its page depends on. */
export type PageRequest = Pick<RequestHead, "method" | "path" | "get">;

interface ConsoleFile {
  readonly type: string;
  readonly etag: string;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Compressed copies by content encoding, the smallest first. */
  readonly compressed: readonly (readonly [encoding: string, body: Uint8Array<ArrayBuffer>])[];
  readonly cache_control: string;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".md": "text/markdown; charset=utf-8",
};

const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/**
 * Only our own files, and no frames around them. This holds for styles too: components set single properties from
 * scripts, which needs no exception. `data:` is for the small images inside style sheets and
 * for those that the playground draws, `blob:` for the sound that it speaks.
 */
const POLICY = [
  "default-src 'self'",
  "base-uri 'none'",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "img-src 'self' data:",
  "media-src blob:",
  "object-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "require-trusted-types-for 'script'",
].join("; ");

/**
 * Serves the built console of a folder. Where the folder is missing, the answer says that the console is not built. `more`
 * are headers of all answers.
 */
export function consolePages(folder: string, more: Readonly<Record<string, string>> = {}): ConsolePages {
  const safety = { "content-security-policy": POLICY, ...PAGE_SAFETY, ...more };
  const refuse = (status: number, text: string): ServerAnswer => textAnswer(status, text, safety);
  // A gateway whose console nobody opens need not hold the files in memory.
  let reading: Promise<Map<string, ConsoleFile>> | null = null;
  return {
    answer: async (request) => {
      const { path } = request;
      if (request.method !== "GET" && request.method !== "HEAD")
        return refuse(405, "Only GET and HEAD are answered here.");
      if (path === "/console" || path === "/") return movedTo("/console/", path === "/" ? 302 : 308, safety);
      reading ??= readFiles(folder).catch((thrown: unknown) => {
        reading = null;
        throw thrown;
      });
      const files = await reading;
      const index = files.get("/console/index.html");
      if (index === undefined) return notBuilt(safety);
      const file = files.get(path);
      if (file !== undefined) return serve(request, file, safety);
      return isPage(request) ? serve(request, index, safety) : refuse(404, "There is no such file in the console.");
    },
  };
}

/** Whether a request is a browser's for the gateway's bare address. Programs get the 404 of a path that is not there. */
export function isBrowserAtRoot(request: PageRequest): boolean {
  if (request.path !== "/" || (request.method !== "GET" && request.method !== "HEAD")) return false;
  return request.get("accept")?.includes("text/html") ?? false;
}

/** The answer at `/` depends on the caller, so it is neither permanent nor for shared caches. */
function movedTo(location: string, status: 302 | 308, safety: Readonly<Record<string, string>>): ServerAnswer {
  const headers =
    status === 302 ? { ...safety, location, vary: "accept", "cache-control": "no-store" } : { ...safety, location };
  return { status, headers: headerLines(headers), body: "" };
}

/** Whether a path without a file is a page. Models have dots in their names, so the request's `accept` decides. */
function isPage(request: PageRequest): boolean {
  const { path } = request;
  if (path.startsWith("/console/assets/")) return false;
  return extname(path) === "" || (request.get("accept")?.includes("text/html") ?? false);
}

async function readFiles(folder: string): Promise<Map<string, ConsoleFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const wanted = paths.filter((path) => TYPES[extname(path)] !== undefined);
  const read = await Promise.all(
    wanted.map(async (path) => {
      const url = `/console/${relative(folder, path).replaceAll("\\", "/")}`;
      return [url, await readFile(path, url.startsWith("/console/assets/"))] as const;
    }),
  );
  return new Map(read);
}

/** Files under `assets/` have a hash of their content in the name, so the content behind a name never changes. */
async function readFile(path: string, immutable: boolean): Promise<ConsoleFile> {
  const body = await Bun.file(path).bytes();
  const twins = ENCODINGS.map(async ([encoding, ending]) => {
    const twin = Bun.file(`${path}${ending}`);
    return (await twin.exists()) ? ([encoding, await twin.bytes()] as const) : null;
  });
  return {
    type: TYPES[extname(path)] ?? "application/octet-stream",
    etag: `"${Bun.hash(body).toString(36)}"`,
    body,
    compressed: (await Promise.all(twins)).filter((twin) => twin !== null),
    cache_control: immutable ? "public, max-age=31536000, immutable" : "no-cache",
  };
}

type Headers = Readonly<Record<string, string>>;

function serve(request: PageRequest, file: ConsoleFile, safety: Headers): ServerAnswer {
  const headers: Record<string, string> = {
    ...safety,
    "cache-control": file.cache_control,
    etag: file.etag,
    vary: "accept-encoding",
  };
  if (request.get("if-none-match")?.includes(file.etag))
    return { status: 304, headers: headerLines(headers), body: null };
  const accepted = acceptedEncodings(request.get("accept-encoding"));
  const twin = file.compressed.find(([encoding]) => accepted.has(encoding));
  if (twin !== undefined) headers["content-encoding"] = twin[0];
  headers["content-type"] = file.type;
  return { status: 200, headers: headerLines(headers), body: twin?.[1] ?? file.body };
}

/** The encodings of `Accept-Encoding`, without those of weight 0. */
export function acceptedEncodings(header: string | null): Set<string> {
  const accepted = new Set<string>();
  for (const item of (header ?? "").split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    if (name !== "" && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) accepted.add(name);
  }
  return accepted;
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Camino</title></head>
  <body>
    <h1>The console is not built</h1>
    <p>The gateway runs, and its API works. To build the console, run <code>npm run build:console</code> in the project's
    folder (its tools are development dependencies: <code>npm install</code> first), then start the gateway again.</p>
  </body>
</html>
`;

function notBuilt(safety: Headers): ServerAnswer {
  const headers = { ...safety, "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
  return { status: 503, headers: headerLines(headers), body: NOT_BUILT };
}
