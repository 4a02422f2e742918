import type { ClientHeaders } from "./exchange.ts";

/** A call of the console API as the edge hands it on. */
export interface RawConsoleRequest {
  readonly method: string;
  /** The whole path, including `/console/api`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: ClientHeaders;
  /**
   * Reads the body, once its caller is known. Throws, or rejects with, `request_too_large` for more than the limit.
   */
  readText(limit_bytes: number): string | Promise<string>;
  /** The client's address; null when the connection is closed already. */
  readonly peer: string | null;
}

export interface ConsoleAnswer {
  readonly status: number;
  /** An object is sent as JSON; a text is sent unchanged, with the `content-type` of `headers`. */
  readonly body: object | string;
  /** Sent in place of the body: a text of any length, produced as fast as the client reads it. */
  readonly pieces?: AsyncGenerator<string, void>;
  /** Headers that belong to the answer, such as `allow` on 405. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Complete `set-cookie` values. */
  readonly cookies?: readonly string[];
}
