import type { Protocol } from "../src/core/endpoints.ts";
import type { SimulatedUsage } from "./performance.ts";

/** A request as the vendor received it, and the state of its answer. */
export interface RequestRecord {
  readonly method: string;
  readonly path: string;
  /** Request headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text and, where it was JSON, parsed. */
  readonly text: string;
  readonly body: unknown;
  readonly protocol: Protocol | null;
  /** The full model name with its parameters; null where the request named none. */
  readonly model: string | null;
  /** The true usage of the whole answer, whatever usage is reported; null where the request got no answer. */
  usage: SimulatedUsage | null;
  /** Status of the answer; 0 until the answer begins. */
  status: number;
  /** The bytes of the answer's body that were passed to the connection. */
  bytes_written: number;
  /** Whether the client left before the answer had ended. */
  aborted: boolean;
  /** Whether the answer was written to its end (with a fault: to the point where it breaks off). */
  finished: boolean;
  /** Resolves when the request is finished or aborted. */
  readonly ended: Promise<RequestRecord>;
}

/** A record, with the functions that end it. */
export interface OpenRecord {
  readonly record: RequestRecord;
  end(outcome: "finished" | "aborted"): void;
}

/** A bound on the counted names: names are free text, and counting them all would let memory grow without limit. */
const MOST_NAMES = 10_000;

/** The log of requests, for tests. Holds the newest `keep` requests; with `keep` 0 it only counts requests. */
export class SimulatorLog {
  /** Called with each request once its body is read, before it is answered. */
  onRequest: ((record: RequestRecord) => void) | null = null;
  total = 0;
  readonly #keep: number;
  #records: RequestRecord[] = [];
  readonly #counts = new Map<string, number>();

  constructor(keep: number) {
    this.#keep = keep;
  }

  /** The newest requests, oldest first. */
  get requests(): readonly RequestRecord[] {
    return this.#records;
  }

  get last(): RequestRecord | undefined {
    return this.#records.at(-1);
  }

  /** How many requests named this model, by its full name with parameters. */
  count(model: string): number {
    return this.#counts.get(model) ?? 0;
  }

  /** Removes all records and counts. */
  clear(): void {
    this.#records = [];
    this.#counts.clear();
    this.total = 0;
  }

  /** Whether the log keeps records. */
  get records(): boolean {
    return this.#keep > 0;
  }

  tally(model: string | null): void {
    this.total += 1;
    if (model === null) return;
    if (this.#counts.size >= MOST_NAMES) this.#counts.clear();
    this.#counts.set(model, this.count(model) + 1);
  }

  open(
    request: Pick<RequestRecord, "method" | "path" | "headers" | "text" | "body" | "protocol" | "model">,
  ): OpenRecord {
    const { promise, resolve } = Promise.withResolvers<RequestRecord>();
    const record: RequestRecord = {
      ...request,
      usage: null,
      status: 0,
      bytes_written: 0,
      aborted: false,
      finished: false,
      ended: promise,
    };
    this.#records.push(record);
    if (this.#records.length > this.#keep) this.#records.shift();
    this.onRequest?.(record);
    return {
      record,
      end(outcome) {
        if (record.finished || record.aborted) return;
        record[outcome] = true;
        resolve(record);
      },
    };
  }
}
