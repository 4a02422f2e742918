import { systemClock } from "../core/clock.ts";

/** A finished request, as the access log shows it. Every field is ours: ids, names from the catalogue, counts. */
export interface FinishedRequest {
  readonly request_id: string;
  readonly endpoint: string;
  readonly status: number;
  readonly model: string | null;
  readonly duration_ms: number;
}

/**
 * One line per finished request, at level `info`. Written by hand: a logging library's general path costs several times
 * what the line needs, on every request.
 */
export class AccessLog {
  readonly #write: ((line: string) => void) | null;

  /** `write` is null where the log level leaves the lines out. */
  constructor(write: ((line: string) => void) | null) {
    this.#write = write;
  }

  finished({ request_id, endpoint, status, model, duration_ms }: FinishedRequest): void {
    if (this.#write === null) return;
    const time = new Date(systemClock.now_ms()).toISOString();
    this.#write(
      `{"level":"info","time":"${time}","request_id":"${request_id}","endpoint":"${endpoint}","status":${status},` +
        `"model":${JSON.stringify(model)},"duration_ms":${Math.round(duration_ms)},"msg":"request finished"}\n`,
    );
  }
}
