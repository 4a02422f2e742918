import { systemClock } from "../core/clock.ts";

/** A finished request in the access log. No field has a client's text: ids, names from the catalogue, counts. */
export interface FinishedRequest {
  readonly request_id: string;
  readonly endpoint: string;
  readonly status: number;
  readonly model: string | null;
  readonly duration_ms: number;
}

/**
 * Writes one line for each finished request, at level `info`. The line is written by hand, as a logging library's
 * general path costs several times as much on every request. Parts that equal those of the line before are reused.
 */
export class AccessLog {
  readonly #write: ((line: string) => void) | null;
  #time_ms = Number.NaN;
  #opening = "";
  #endpoint = "";
  #status = 0;
  #model: string | null = null;
  #middle = "";

  /** `write` is null where the log level excludes the lines. */
  constructor(write: ((line: string) => void) | null) {
    this.#write = write;
  }

  finished({ request_id, endpoint, status, model, duration_ms }: FinishedRequest): void {
    if (this.#write === null) return;
    const now_ms = systemClock.now_ms();
    if (now_ms !== this.#time_ms) this.#open(now_ms);
    if (endpoint !== this.#endpoint || status !== this.#status || model !== this.#model)
      this.#describe(endpoint, status, model);
    const rounded_ms = Math.round(duration_ms);
    this.#write(`${this.#opening}${request_id}${this.#middle}${rounded_ms},"msg":"request finished"}\n`);
  }

  #open(now_ms: number): void {
    this.#time_ms = now_ms;
    this.#opening = `{"level":"info","time":"${new Date(now_ms).toISOString()}","request_id":"`;
  }

  #describe(endpoint: string, status: number, model: string | null): void {
    this.#endpoint = endpoint;
    this.#status = status;
    this.#model = model;
    const named = JSON.stringify(model);
    this.#middle = `","endpoint":"${endpoint}","status":${status},"model":${named},"duration_ms":`;
  }
}
