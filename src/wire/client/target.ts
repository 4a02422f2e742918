import { isIP } from "node:net";

/** The target of a URL: what a connection and a request need of it. */
export interface UrlTarget {
  /** Scheme, host and port: calls with one origin share connections. */
  readonly origin: string;
  readonly is_secure: boolean;
  /** A host name or an address; an IPv6 address without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** The address that is connected to, where the caller has looked the name up itself: TLS still asks for the name. Absent: the runtime looks it up. */
  readonly address?: string;
  /** The request's first line, without its line break. */
  readonly request_line: string;
  /** The value of the header `host`. */
  readonly host: string;
}

/**
 * Reads a URL for our own client. Null for URLs that are left to fetch: other schemes than http(s), credentials in the
 * URL, and https to a bare address (TLS must not send an address as the server's name, which Bun.connect would do).
 */
export function readTarget(text: string): UrlTarget | null {
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
