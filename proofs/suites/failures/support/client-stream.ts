import { brokenLaw } from "./stream-laws.ts";
import { endingOfStream, eventsOf, type Json, type StreamEnd, type Style, textOfStream } from "./styles.ts";

/** A streamed answer of a client that may stop reading or leave at any point. */
export class ClientStream {
  readonly response: Response;
  /** The text that was read so far. */
  received = "";
  readonly #style: Style;
  readonly #leaving: AbortController;
  readonly #reader: { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> } | null;
  readonly #decoder = new TextDecoder();

  constructor(style: Style, response: Response, leaving: AbortController) {
    this.#style = style;
    this.response = response;
    this.#leaving = leaving;
    this.#reader = response.body?.getReader() ?? null;
  }

  get status(): number {
    return this.response.status;
  }

  /** The gateway's id of the request. */
  get request_id(): string {
    return this.response.headers.get("x-camino-request-id") ?? "";
  }

  /** The generated text so far. */
  get text(): string {
    return textOfStream(this.#style, this.received);
  }

  get events(): (Json | "[DONE]")[] {
    return eventsOf(this.received);
  }

  get ending(): StreamEnd {
    return endingOfStream(this.#style, this.received);
  }

  /** The first violation of the style's grammar; null for a legal stream. */
  get broken_law(): string | null {
    return brokenLaw(this.#style, this.received);
  }

  /** Reads the next piece. False at the end. */
  async read(): Promise<boolean> {
    const next = await this.#reader?.read();
    if (next === undefined || next.done) return false;
    this.received += this.#decoder.decode(next.value, { stream: true });
    return true;
  }

  /** Reads until `holds` is true; rejects when the stream ends before that. */
  async until(holds: (stream: this) => boolean): Promise<this> {
    while (!holds(this)) {
      if (!(await this.read())) throw new Error(`The stream ended before what was waited for: ${this.received}`);
    }
    return this;
  }

  /** Reads to the end, whether the stream is complete or breaks. */
  async finish(): Promise<this> {
    while (await this.read().catch(() => false));
    return this;
  }

  /** Closes the connection, read or not. */
  leave(): void {
    this.#leaving.abort();
  }
}
