import type { AnswerReport } from "../../core/answer/exchange.ts";
import { bytesWithCost } from "../../core/answer/shown-cost.ts";
import { GatewayError } from "../../core/errors.ts";
import { CLIENT_LEFT, type StoredAnswer } from "../../core/ledger/ledger.ts";
import type { Micro } from "../../core/money/money.ts";
import { quietly } from "../../observe/quietly.ts";
import { keptAnswerOf, MAX_KEPT_BYTES } from "../admit/replay.ts";
import { factHeaders } from "../answer/fact-headers.ts";
import { type FinalUsage, finalUsage, inputReport } from "../answer/final-usage.ts";
import type { OpenedStream } from "../answer/open-answer.ts";
import type { RunningRequest } from "../answer/running-request.ts";
import type { AttemptVerdict } from "../ask/vendor-failure.ts";
import { type Cause, CHARGES, type Phase } from "./endings.ts";
import { isCached, keepCached } from "./keep-cached.ts";
import { isSaidKept, keepSaid } from "./keep-said.ts";
import { endRequest, releaseRequest, settleRequest } from "./settle-request.ts";
import { tellHook } from "./tell-hook.ts";

export const EVENT_STREAM = "text/event-stream";
const NOTHING = new Uint8Array(0);

/**
 * The four ways in which a stream ends: whole, cut by the balance, broken, or left by its client. Each resolves with the
 * closing frames once the charge is durable, and never rejects. What can fail comes before the charge.
 */
export class StreamEnding {
  /** True once the answer has ended well and is settled. */
  is_whole = false;
  readonly #run: RunningRequest;
  readonly #opened: OpenedStream;
  readonly #kept: Uint8Array[] | null;
  readonly #stream_type: string;
  #kept_bytes = 0;

  /** `stream_type`: the media type of the answer. */
  constructor(run: RunningRequest, opened: OpenedStream, stream_type: string) {
    this.#stream_type = stream_type;
    this.#run = run;
    this.#opened = opened;
    const { call, deps } = run;
    const is_wanted = call.idempotency_key !== null || isCached(run) || isSaidKept(run) || deps.hooks?.after != null;
    this.#kept = is_wanted ? [] : null;
  }

  /** Keeps a piece of the answer where a repeat of the request may ask for it. */
  keep(piece: Uint8Array): void {
    if (this.#kept === null) return;
    this.#kept_bytes += piece.byteLength;
    if (this.#kept_bytes <= MAX_KEPT_BYTES) this.#kept.push(piece);
    else this.#kept.length = 0;
  }

  /** Ends a whole answer, charged by its vendor's usage. */
  async finish(): Promise<Uint8Array> {
    const { candidate, answer, metered } = this.#opened;
    try {
      quietly(this.#run.deps.log, () => metered.completed());
      this.#letGo();
      const final = await finalUsage(this.#run, candidate, answer, true);
      const last = await answer.finish(final.usage, this.#run.cost_mark);
      return await this.#settleWhole(final, last, isCached(this.#run));
    } catch (thrown) {
      return await this.#unrecorded(thrown);
    }
  }

  /** Ends a stream whose hold cannot be extended: with `length`, charged for what was delivered. */
  async cut(): Promise<Uint8Array> {
    const { candidate, answer } = this.#opened;
    try {
      this.#close();
      const final = await finalUsage(this.#run, candidate, answer, false);
      const last = await answer.cut(final.usage, this.#run.cost_mark);
      return await this.#settleWhole(final, last);
    } catch (thrown) {
      return await this.#unrecorded(thrown);
    }
  }

  /** Resolves with the closing frames, which show the charge. */
  async #settleWhole(final: FinalUsage, last: Uint8Array, is_cached = false): Promise<Uint8Array> {
    const body = this.#keptBody(last);
    const answer = body === null || this.#run.call.idempotency_key === null ? null : this.#storedAnswer(body);
    const charge_micro = await settleRequest(this.#run, { ...final, error: null, success: true, answer });
    this.is_whole = true;
    if (is_cached && body !== null && charge_micro !== null) keepCached(this.#run, final, charge_micro, body);
    this.#keepSaid(null, body === null ? null : bytesWithCost(Buffer.from(body), charge_micro));
    const shown = bytesWithCost(last, charge_micro);
    if (this.#run.deps.hooks?.after != null) this.#tellHook(final, shown, charge_micro);
    return shown;
  }

  #tellHook(final: FinalUsage, last: Uint8Array, charge_micro: Micro | null): void {
    const charged = { charge_micro, content_type: this.#stream_type, body: this.#keptBody(last) };
    tellHook(this.#run, { ...final, error: null, success: true, answer: null }, charged);
  }

  /** Ends a stream that broke: charged for what was delivered if there was content, and never with a clean end. */
  async fail({ error, reason }: Broken): Promise<Uint8Array> {
    const { answer } = this.#opened;
    try {
      if (reason !== undefined) this.#run.receipt.brokeOff(reason);
      this.#noteFailure(error);
      this.#close();
      this.#opened.reply.discard();
      const last = await answer.fail(error, this.#run.call.request_id);
      const cause = error.row.status === 500 ? "gateway_failed" : "vendor_failed";
      await this.#charge(cause, answer, error);
      this.#keepSaid(error.code, this.#keptBody(last));
      return last;
    } catch (thrown) {
      return await this.#unrecorded(thrown);
    }
  }

  /** Ends a stream whose client has left, and whose vendor is left: charged for the input and what was delivered. */
  async leave(was_delivered: boolean): Promise<Uint8Array> {
    const { answer } = this.#opened;
    try {
      this.#close();
      await this.#charge("client_left", was_delivered && answer.has_content ? answer : inputReport(answer), null);
      this.#keepSaid(CLIENT_LEFT, this.#keptBody(NOTHING));
      return NOTHING;
    } catch (thrown) {
      return await this.#unrecorded(thrown);
    }
  }

  async #charge(cause: Cause, report: AnswerReport, error: GatewayError | null): Promise<void> {
    const { candidate, answer } = this.#opened;
    const phase: Phase = answer.has_content ? "begun" : "opened";
    if (CHARGES[cause][phase] === "nothing") return await releaseRequest(this.#run, error?.code ?? null);
    const final = await finalUsage(this.#run, candidate, report, answer.complete);
    await settleRequest(this.#run, { ...final, error: error?.code ?? null, success: error === null, answer: null });
  }

  #noteFailure(error: GatewayError): void {
    const { candidate, metered, reply } = this.#opened;
    const { breakers, log } = this.#run.deps;
    const { request_id, key, trace } = this.#run.call;
    trace?.brokeOff(error.code);
    quietly(log, () => {
      if (error.row.status === 500) return log.error({ request_id, err: error.cause ?? error }, error.message);
      metered.failed(error.code, reply.status);
      breakers.brokeOff(candidate.vendor.id, candidate.route.upstream_model, key.account_id);
    });
  }

  async #unrecorded(thrown: unknown): Promise<Uint8Array> {
    const { deps, call } = this.#run;
    quietly(deps.log, () =>
      deps.log.error({ request_id: call.request_id, err: thrown }, "an answer could not be recorded"),
    );
    // Has no effect where the ledger has the charge: it is then booked when it can be.
    await endRequest(this.#run, "internal_error");
    const error = new GatewayError("internal_error", "The answer could not be recorded, so its end is withheld.");
    try {
      return await this.#opened.answer.fail(error, call.request_id);
    } catch {
      // The stream then ends without the frame that would end it well.
      return NOTHING;
    }
  }

  /** Closes the vendor's call at once. */
  #close(): void {
    const { metered, reply } = this.#opened;
    reply.close();
    quietly(this.#run.deps.log, () => metered.ended());
  }

  /**
   * Releases the vendor's connection. A complete answer is read to its end, as a connection that is closed earlier
   * cannot be used again.
   */
  #letGo(): void {
    const { answer, reply } = this.#opened;
    this.#run.vendor_call.current = null;
    if (answer.ended_early) reply.close();
    else void drain(reply);
  }

  /** The bytes of the whole answer, with the mark of its cost; null where they are not kept. */
  #keptBody(last: Uint8Array): Uint8Array | null {
    if (this.#kept === null || this.#kept_bytes + last.byteLength > MAX_KEPT_BYTES) return null;
    return Buffer.concat([...this.#kept, last]);
  }

  #keepSaid(error: string | null, answer: Uint8Array | null): void {
    keepSaid(this.#run, { status: 200, error, content_type: this.#stream_type, answer });
  }

  #storedAnswer(body: Uint8Array): StoredAnswer {
    return keptAnswerOf({ status: 200, content_type: this.#stream_type, headers: factHeaders(this.#run), body });
  }
}

/** Reads the few bytes after the last frame, so that the connection can be used again. */
async function drain(reply: OpenedStream["reply"]): Promise<void> {
  try {
    while ((await reply.read()) !== null);
  } catch {
    // The answer is complete: an error on its connection no longer matters.
  }
}

/** The error that broke an answer off. */
export type Broken = Pick<AttemptVerdict, "error" | "reason">;
