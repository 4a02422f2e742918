import { type Fields, parseFields } from "./read-fields.ts";
import { quote, Violation } from "./violation.ts";

/** An HTTP response, read to its end. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const LONGEST_WAIT_MS = 60_000;

/** A deployment, as its clients reach it: by HTTP, with one key. */
export class Gateway {
  readonly #base_url: string;
  readonly #key: string;

  /** `base_url` has no version segment; if it has one, the segment is removed. */
  constructor(base_url: string, key: string) {
    this.#base_url = base_url.replace(/\/+$/, "").replace(/\/v1$/, "");
    this.#key = key;
  }

  /** Sends a request, and sends it again after the `retry-after` of the deployment's own limits. */
  async post(path: string, body: Fields, headers: Readonly<Record<string, string>>): Promise<Reply> {
    for (;;) {
      const reply = await this.#send(path, { method: "POST", headers, body: JSON.stringify(body) });
      if (reply.status !== 429 || !reply.text.includes("rate_limit_exceeded")) return reply;
      const wait_ms = Number(reply.headers.get("retry-after") ?? 1) * 1000;
      if (!(wait_ms <= LONGEST_WAIT_MS)) return reply;
      await Bun.sleep(wait_ms);
    }
  }

  /** Waits until a request is settled and returns its receipt (docs/api.md 2.11). */
  async receipt(request_id: string): Promise<Fields> {
    for (let pause_ms = 1; ; pause_ms = Math.min(pause_ms * 2, 100)) {
      const { status, text } = await this.#send(`/v1/requests/${request_id}`, { method: "GET" });
      if (status !== 200) throw new Violation(`the receipt of ${request_id} answers ${status}: ${quote(text)}`);
      const receipt = parseFields(text, "the receipt");
      if (receipt.status !== "held") return receipt;
      await Bun.sleep(pause_ms);
    }
  }

  async #send(
    path: string,
    init: RequestInit & { readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Reply> {
    const headers = { "content-type": "application/json", authorization: `Bearer ${this.#key}`, ...init.headers };
    const response = await fetch(this.#base_url + path, { ...init, headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}
