export interface UrlParts {
  readonly path: string;
  /** Without its question mark; empty when there is none. */
  readonly query: string;
}

/** Path and query of an absolute URL, by slicing: the server made it, so it is well formed. */
export function splitUrl(url: string): UrlParts {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const mark = url.indexOf("?", start);
  return mark === -1
    ? { path: url.slice(start), query: "" }
    : { path: url.slice(start, mark), query: url.slice(mark + 1) };
}
