import type { Session } from "../../contract/session.ts";

export interface ConsoleReply<Body = Record<string, unknown>> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

/** A browser as the console's pages use it: it keeps cookies, and sends the session's token with every change. */
export class ConsoleBrowser {
  readonly url: string;
  readonly cookies = new Map<string, string>();
  /** The headers that its pages send. A test may change them to act as another site's page, or as no page. */
  readonly headers: Record<string, string>;
  csrf_token: string | null = null;

  constructor(url: string, headers: Record<string, string> = { "sec-fetch-site": "same-origin" }) {
    this.url = url;
    this.headers = headers;
  }

  /** Calls `METHOD /path` below /console/api. */
  async call<Body = Record<string, unknown>>(
    request: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ConsoleReply<Body>> {
    const [method = "", path = ""] = request.split(" ");
    const response = await this.fetch(`${this.url}/console/api${path}`, {
      method,
      headers: {
        ...this.headers,
        ...(method === "GET" || this.csrf_token === null ? {} : { "x-camino-csrf": this.csrf_token }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text || "{}") as Body, headers: response.headers };
  }

  /** Any request, with this browser's cookies; redirects are not followed. */
  async fetch(url: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...init.headers, ...(cookie === "" ? {} : { cookie }) };
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const text of response.headers.getSetCookie()) this.#keep(Bun.Cookie.parse(text));
    return response;
  }

  #keep({ name, value, maxAge }: Bun.Cookie): void {
    if (maxAge === 0) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }

  /** A sign-in that must succeed. */
  async signIn(request: string, body: unknown): Promise<Session & { purpose?: string }> {
    const reply = await this.call<Session & { purpose?: string }>(request, body);
    if (reply.status !== 200) throw new Error(`${request}: ${reply.status} ${JSON.stringify(reply.body)}`);
    this.csrf_token = reply.body.csrf_token;
    return reply.body;
  }

  signInByLink(link: string, more: object = {}): Promise<Session & { purpose?: string }> {
    return this.signIn("POST /session/link", { token: tokenOf(link), ...more });
  }

  signInByPassword(email: string, password: string): Promise<Session> {
    return this.signIn("POST /session/password", { email, password });
  }
}

export function tokenOf(link: string): string {
  return new URL(link).hash.replace("#token=", "");
}
