import type { SentBody } from "../../core/answer/exchange.ts";
import { bytesOf } from "../../core/answer/sent-body.ts";
import { withCost } from "../../core/answer/shown-cost.ts";
import { type GatewayError, toGatewayError } from "../../core/errors.ts";
import { CLIENT_LEFT } from "../../core/ledger/ledger.ts";
import { quietly } from "../../observe/quietly.ts";
import { answerIdOf } from "../answer/answer-id.ts";
import type { OwnedRequest } from "../answer/running-request.ts";
import type { WrittenAnswer } from "../call/call.ts";
import { clientLeft } from "../request/client-left.ts";
import { CHARGES, DRAINS_VENDOR, type Phase, type Visibility } from "./endings.ts";
import { isCached, keepCached } from "./keep-cached.ts";
import { isSaidKept, keepSaid } from "./keep-said.ts";
import { endRequest, type Settlement, settleRequest } from "./settle-request.ts";
import { tellHook } from "./tell-hook.ts";

/** An answer that is ready: its head is written, and nothing that can fail is left to do but the charge. */
export type ReadyAnswer = ReadyWhole | ReadyStream;

export interface ReadyWhole {
  readonly kind: "whole";
  /** Its head, and its body with the mark of the cost. */
  readonly answer: Omit<WrittenAnswer, "body"> & { readonly body: SentBody };
  readonly content_type: string;
  readonly settlement: Settlement;
  /** Called with the answer's body once the charge is durable; null where nothing is to be done then. */
  readonly settled: ((body: SentBody) => void) | null;
}

export interface ReadyStream {
  readonly kind: "stream";
  readonly answer: WrittenAnswer;
  /** The stream, which owns the request from here on. Neither `start` nor `abort` throws. */
  readonly stream: { start(): void; abort(): void };
}

/** How one kind of request is answered. */
export interface AnswerProducer {
  /** Asks for the answer and makes it ready. May throw anything at any step. */
  make(): Promise<ReadyAnswer>;
  /** Whether the whole output of a vendor is seen while it streams. */
  visibility(): Visibility;
  /** The settlement of a begun answer whose client has left; null where no vendor has begun an answer. */
  chargeLeft(): Promise<Settlement | null>;
}

/**
 * Answers an admitted request, and owns it until then: whatever is thrown by whatever step, the vendor's call is closed and
 * the hold ends, with a charge or without (docs/rulings.md 159). The charge is the last step, so that no error follows it:
 * a client that gets a 500 is not charged. A stream takes the request over as its new owner.
 *
 * Returns the answer once its charge is durable, or throws the GatewayError that the client gets.
 */
export async function answerAdmitted(run: OwnedRequest, producer: AnswerProducer): Promise<WrittenAnswer> {
  const { deps, signal } = run;
  try {
    run.begin();
    // A client that left during admission: its signal has fired already.
    if (signal.aborted) {
      run.was_left = true;
      throw clientLeft();
    }
    const watch = new ClientWatch(run, producer);
    const ready = await producer.make();
    if (ready.kind === "stream") {
      watch.end();
      handOver(run, ready);
      return ready.answer;
    }
    quietly(deps.log, () => run.receipt.answered(answerIdOf(run.call.endpoint, ready.answer.body)));
    const charge_micro = await settleRequest(run, ready.settlement);
    const { settled, answer } = ready;
    if (charge_micro !== null && isCached(run)) keepCached(run, ready.settlement, charge_micro, bytesOf(answer.body));
    const body = withCost(answer.body, charge_micro);
    if (deps.hooks?.after != null)
      tellHook(run, ready.settlement, { charge_micro, content_type: ready.content_type, body });
    if (isSaidKept(run)) keepSaid(run, { status: 200, error: null, content_type: ready.content_type, answer: body });
    if (settled !== null) quietly(deps.log, () => settled(body));
    return { ...answer, body };
  } catch (thrown) {
    throw await endFailed(run, producer, thrown);
  }
}

/** From here on the stream handles a client that leaves. */
function handOver({ signal }: OwnedRequest, { stream }: ReadyStream): void {
  stream.start();
  signal.onabort = () => stream.abort();
  if (signal.aborted) stream.abort();
}

/** Watches for the client to leave while its answer is made, and then closes the vendor's call or lets it go on. */
class ClientWatch {
  readonly #run: OwnedRequest;
  readonly #producer: AnswerProducer;

  constructor(run: OwnedRequest, producer: AnswerProducer) {
    this.#run = run;
    this.#producer = producer;
    run.signal.onabort = () => quietly(run.deps.log, () => this.#left());
  }

  end(): void {
    this.#run.signal.onabort = null;
  }

  #left(): void {
    const run = this.#run;
    const close = (): void => {
      run.was_left = true;
      run.vendor_call.close(run.deps.log);
    };
    if (!drainsVendor(run, this.#producer.visibility())) return close();
    run.whenVendorDrainStops(close);
    if (run.deps.open_requests.vendor_drains_stopped) close();
  }
}

/** Whether the vendor that is being asked is read to its end after the client has left (docs/rulings.md 143). */
export function drainsVendor({ vendor_call: { asked }, deps }: OwnedRequest, visibility: Visibility): boolean {
  if (asked === null || deps.open_requests.vendor_drains_stopped) return false;
  return DRAINS_VENDOR[asked.vendor.on_disconnect][visibility];
}

/** Ends a request that failed, before its client gets the error. Never throws. Resolves with that error. */
async function endFailed(run: OwnedRequest, producer: AnswerProducer, thrown: unknown): Promise<GatewayError> {
  const { call, deps } = run;
  const error = toGatewayError(thrown);
  quietly(deps.log, () => {
    if (error.code === "internal_error")
      deps.log.error({ request_id: call.request_id, err: error.cause ?? error }, error.message);
  });
  const is_left = run.was_left && error.row.status !== 500;
  if (is_left) await chargeWhoLeft(run, producer);
  await endRequest(run, is_left ? null : error.code);
  keepSaid(run, {
    status: error.row.status,
    error: is_left ? CLIENT_LEFT : error.code,
    content_type: null,
    answer: null,
  });
  return error;
}

/** Charges a client that has left for the answer that its vendor had begun, where that is charged. Never throws. */
async function chargeWhoLeft(run: OwnedRequest, producer: AnswerProducer): Promise<void> {
  try {
    const phase: Phase = run.vendor_call.begun === null ? "asked" : "opened";
    if (CHARGES.client_left[phase] === "nothing") return;
    const settlement = await producer.chargeLeft();
    if (settlement !== null) await settleRequest(run, settlement);
  } catch (thrown) {
    const { request_id } = run.call;
    quietly(run.deps.log, () => run.deps.log.error({ request_id, err: thrown }, "who left was not charged"));
  }
}
