import type { SettleOp, SettleResult } from "../../core/ledger/ledger.ts";
import { quietly } from "../../observe/quietly.ts";
import type { FoundCached } from "../admit/find-cached.ts";
import { keptAnswerOf } from "../admit/replay.ts";
import { answerIdOf, streamIdOf } from "../answer/answer-id.ts";
import type { OwnedRequest } from "../answer/running-request.ts";
import { WHOLE } from "../cache/asked-same.ts";
import type { WrittenAnswer } from "../call/call.ts";
import { isSaidKept, keepSaid } from "../settle/keep-said.ts";
import { noteSettled, type Settlement, settleOp } from "../settle/settle-request.ts";
import { tellHook } from "../settle/tell-hook.ts";

/**
 * A request that is answered as it was before: with the stored answer, at its share of the price (docs/rulings.md 183). As that is known before, one
 * transaction admits and charges it.
 */
export class CachedHit {
  readonly run: OwnedRequest;
  readonly #found: FoundCached;
  readonly #written: WrittenAnswer;
  readonly #settlement: Settlement;

  /** Does all that can fail: a client that gets a 500 is not charged (docs/rulings.md 159). */
  constructor(run: OwnedRequest, found: FoundCached) {
    const { call, deps, plan } = run;
    const { answer, price, body, content_type } = found;
    const { usage, estimated, headers } = answer;
    const sent = { status: 200, content_type, headers, body };
    this.run = run;
    this.#found = found;
    this.#written = call.write(sent);
    this.#settlement = {
      candidate: { model: deps.configuration.models.get(answer.model) ?? plan.model, price },
      ...{ usage, estimated, error: null, success: true },
      answer: call.idempotency_key === null ? null : keptAnswerOf(sent),
      free_if_withheld: true,
    };
  }

  /** The charge that goes along with the admission. */
  settlement(): SettleOp {
    const { receipt, deps } = this.run;
    receipt.admitted(deps.clock.monotonic_ms());
    receipt.answered(this.#id());
    return settleOp(this.run, this.#settlement);
  }

  /** The answer, whose charge is durable: nothing that can fail is left to do. */
  give(result: SettleResult): WrittenAnswer {
    const { deps, call, plan } = this.run;
    const { body, content_type, saved_micro } = this.#found;
    const now_ms = deps.clock.monotonic_ms();
    quietly(deps.log, () => {
      call.trace?.admitted(now_ms, plan);
      noteSettled(this.run, this.#settlement, result, now_ms);
      deps.cache?.hit(call.key.account_id, this.#settlement.candidate.model.id, saved_micro);
    });
    const charge_micro = result.outcome === "settled" ? result.charge_micro : null;
    if (deps.hooks?.after != null) tellHook(this.run, this.#settlement, { charge_micro, content_type, body });
    if (isSaidKept(this.run)) keepSaid(this.run, { status: 200, error: null, content_type, answer: body });
    return call.withRate(this.#written);
  }

  /** The id of the answer, which is that of the first one; null where it has none. */
  #id(): string | null {
    const { endpoint } = this.run.call;
    const { answer } = this.#found;
    if (answer.form === WHOLE) return answerIdOf(endpoint, answer.body);
    let id: string | null = null;
    quietly(this.run.deps.log, () => {
      id = streamIdOf(endpoint, answer.body);
    });
    return id;
  }
}
