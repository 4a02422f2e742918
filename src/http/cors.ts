import type { Configuration } from "../core/catalog/catalog.ts";
import { headerLine } from "../wire/grammar/header-line.ts";
import type { RequestHead } from "../wire/server/request-head.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import { matchRoute, methodsOf } from "./paths/routes.ts";

/** For how long a browser remembers what it may send; Chromium keeps it no longer. */
const MAX_AGE_S = 7200;
/** What a page may read of an answer: all headers, as no answer here depends on cookies. */
const EXPOSED = "access-control-expose-headers: *\r\n";
/** A list of header names, as browsers ask for them. `*` would not stand for `authorization`. */
const HEADER_NAMES = /^[\w-]+(?:, ?[\w-]+)*$/;
const MOST_NAMES_CHARACTERS = 2000;

/**
 * Which web pages may call the public API from a browser (docs/api.md 5.1, docs/rulings.md 195). Never with credentials: a key is sent
 * in a header, and no cookie means anything here. Other origins get no header, so that browsers keep the answer from them.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;

  /** Null where no page may call. */
  static of({ cors }: Pick<Configuration, "cors">): Cors | null {
    return cors === undefined ? null : new Cors(cors.origins);
  }

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** The header lines of an answer to a request for this path; empty beside the public API. */
  linesFor(head: RequestHead): string {
    if (!isPublic(head.path)) return "";
    if (this.#allowsAll) return this.unreadLines;
    const origin = head.get("origin");
    const allowed = origin !== null && this.#origins.has(origin);
    return `vary: origin\r\n${allowed ? headerLine("access-control-allow-origin", origin) + EXPOSED : ""}`;
  }

  /** The header lines of an answer to bytes that could not be read as a request: without its origin, all origins are allowed or none. */
  get unreadLines(): string {
    return this.#allowsAll ? `access-control-allow-origin: *\r\n${EXPOSED}` : "";
  }

  /** The answer to a browser that asks whether a page may send a request; null for all other requests. */
  preflight(head: RequestHead): ServerAnswer | null {
    const method = head.method === "OPTIONS" ? head.get("access-control-request-method") : null;
    const match = method === null || !isPublic(head.path) ? null : matchRoute(head.path, method);
    const origin = head.get("origin");
    if (match === null || origin === null || !(this.#allowsAll || this.#origins.has(origin))) return null;
    const asked = head.get("access-control-request-headers") ?? "";
    const names = asked.length <= MOST_NAMES_CHARACTERS && HEADER_NAMES.test(asked) ? asked : "";
    const headers =
      headerLine("access-control-allow-methods", methodsOf(match.row)) +
      (names === "" ? "" : headerLine("access-control-allow-headers", names)) +
      `access-control-max-age: ${MAX_AGE_S}\r\n`;
    return { status: 204, headers, body: null };
  }

  get #allowsAll(): boolean {
    return this.#origins.has("*");
  }
}

function isPublic(path: string): boolean {
  return path.startsWith("/v1/") || path.startsWith("/v1beta/");
}
