import type { WholeBody } from "../core/answer/exchange.ts";
import type { VendorTimeouts } from "../core/catalog/catalog.ts";
import type { TelemetrySettings } from "../core/catalog/telemetry-settings.ts";
import { systemClock } from "../core/clock.ts";
import type { UpstreamCall } from "../wire/client/call.ts";
import type { OutgoingRequest } from "../wire/client/outgoing-request.ts";
import type { UpstreamReply } from "../wire/client/reply.ts";
import { UpstreamError, type UpstreamFault } from "../wire/client/upstream-error.ts";

/** How long one export may take with all its tries. */
const EXPORT_TIMEOUT_MS = 10_000;
/** How often an export is tried again, and how long it waits at first and at most. */
const MOST_RETRIES = 5;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 5000;
const WAIT_GROWS = 1.5;
/** The share by which waits differ, so that many gateways do not come back at the same moment. */
const JITTER = 0.2;
const MS_PER_S = 1000;

export type Signal = "traces" | "metrics" | "logs";

/** The client that calls to vendors go over. */
export interface Collector {
  start(request: OutgoingRequest & { readonly timeouts: VendorTimeouts }): UpstreamCall;
}

/** Why one try failed. `wait_ms`: how long the collector asked to wait, or null; absent: it is not tried again. */
interface ExportFailure {
  readonly error: Error;
  readonly wait_ms?: number | null;
}

/** Faults after which an export is tried again: nobody knows whether the collector has it, and spans have ids by which it finds them twice. */
const TRIED_AGAIN: ReadonlySet<UpstreamFault> = new Set(["unreachable", "first_byte_timeout", "broken"]);
/** The statuses after which OpenTelemetry's protocol has an export tried again. */
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Sends one kind of data to a collector, as protobuf over HTTP (OTLP 1.x). Redirects are not followed. */
export class OtlpSender {
  readonly #collector: Collector;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  #running: UpstreamCall | null = null;
  #is_stopped = false;

  constructor(
    collector: Collector,
    { endpoint, headers, version }: Pick<TelemetrySettings, "endpoint" | "headers"> & { readonly version: string },
    signal: Signal,
  ) {
    this.#collector = collector;
    this.#url = `${endpoint}/v1/${signal}`;
    this.#headers = {
      "user-agent": `camino/${version}`,
      "accept-encoding": "identity",
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      "content-type": "application/x-protobuf",
    };
  }

  /**
   * Resolves with how many spans, points or lines of it the collector has refused for good. Rejects with what speaks against it once it is given
   * up: a sentence that has nothing of an answer.
   */
  async send(body: Uint8Array): Promise<number> {
    const end_ms = performance.now() + EXPORT_TIMEOUT_MS;
    let next_ms = FIRST_WAIT_MS;
    for (let retries = 0; ; retries += 1) {
      const failure = await this.#try(body, end_ms - performance.now());
      if (typeof failure === "number") return failure;
      const wait_ms = failure.wait_ms ?? Math.min(LONGEST_WAIT_MS, next_ms * (1 + JITTER * (2 * drawn() - 1)));
      const is_last = failure.wait_ms === undefined || retries === MOST_RETRIES || this.#is_stopped;
      if (is_last || performance.now() + wait_ms >= end_ms) throw failure.error;
      await Bun.sleep(wait_ms);
      next_ms *= WAIT_GROWS;
    }
  }

  /** Ends what is under way, and tries nothing again. */
  stop(): void {
    this.#is_stopped = true;
    this.#running?.abort();
  }

  /** How many were refused, where the collector took it. */
  async #try(body: Uint8Array, left_ms: number): Promise<ExportFailure | number> {
    const timeouts = { connect_ms: left_ms, first_byte_ms: left_ms, idle_ms: left_ms, total_ms: left_ms };
    this.#running = this.#collector.start({ url: this.#url, headers: this.#headers, body, timeouts });
    try {
      const reply = await this.#running.reply;
      const { status } = reply;
      if (status >= 200 && status <= 299) return await refusedOf(reply);
      reply.close();
      const error = new Error(`the collector answered ${status}`);
      return BUSY.has(status) ? { error, wait_ms: waitOf(reply.headers.get("retry-after")) } : { error };
    } catch (thrown) {
      if (!(thrown instanceof UpstreamError)) throw thrown;
      return TRIED_AGAIN.has(thrown.fault) ? { error: thrown, wait_ms: null } : { error: thrown };
    } finally {
      this.#running = null;
    }
  }
}

const PARTIAL_SUCCESS = 0x0a;
const REJECTED = 0x08;

/** Reads an answer to its end, as the connection is free for the next export then: `partial_success` begins with how many were refused. */
async function refusedOf(reply: UpstreamReply): Promise<number> {
  let answer: WholeBody;
  try {
    answer = await reply.readSmall();
  } catch (thrown) {
    // It has said that it took them.
    if (thrown instanceof UpstreamError && thrown.fault === "broken") return 0;
    throw thrown;
  }
  const bytes = typeof answer === "string" ? Buffer.from(answer) : answer;
  if (bytes[0] !== PARTIAL_SUCCESS || bytes[2] !== REJECTED) return 0;
  let rejected = 0;
  for (let at = 3, factor = 1; at < bytes.length; at += 1, factor *= 0x80) {
    const byte = bytes[at] as number;
    rejected += (byte & 0x7f) * factor;
    if (byte < 0x80) break;
  }
  return rejected;
}

function drawn(): number {
  return (crypto.getRandomValues(new Uint8Array(1))[0] as number) / 255;
}

/** Milliseconds that a `retry-after` asks for: seconds, or a date. Null: none that can be read. */
function waitOf(text: string | null): number | null {
  if (text === null) return null;
  const wait_ms = /^\d+$/.test(text.trim()) ? Number(text) * MS_PER_S : Date.parse(text) - systemClock.now_ms();
  return Number.isNaN(wait_ms) ? null : Math.max(0, wait_ms);
}
