import { isIP } from "node:net";

/** Where a URL points, as a connection and a request need it. */
export interface Target {
  /** Scheme, host and port: what connections are shared by. */
  readonly origin: string;
  readonly is_secure: boolean;
  /** A name or an address, an IPv6 one without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** The request's first line, without its line break. */
  readonly request_line: string;
  /** As the header `host` gives it. */
  readonly host: string;
}

/**
 * Reads a URL for our own client. Null for what it leaves to fetch: what is no http(s) URL, credentials in the URL, and
 * https to a bare address (a server must not be told an address as its name, which Bun.connect would do).
 */
export function readTarget(text: string): Target | null {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return null;
  const { protocol, host, origin } = url;
  if (protocol !== "http:" && protocol !== "https:") return null;
  const is_secure = protocol === "https:";
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  if (is_secure && (isIP(hostname) !== 0 || hostname.endsWith("."))) return null;
  const port = Number(url.port === "" ? (is_secure ? 443 : 80) : url.port);
  return { origin, is_secure, hostname, port, host, request_line: `POST ${url.pathname}${url.search} HTTP/1.1` };
}
