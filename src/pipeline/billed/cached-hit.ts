import type { SettleOp } from "../../core/ledger/ledger.ts";
import { type Micro, subtract, ZERO } from "../../core/money/money.ts";
import { costOf } from "../../core/money/price.ts";
import type { FoundCached } from "../admit/find-cached.ts";
import { keptAnswerOf } from "../admit/replay.ts";
import { answerIdOf } from "../answer/answer-id.ts";
import type { OwnedRequest } from "../answer/running-request.ts";
import type { AnswerProducer, ReadyWhole } from "../settle/answer-admitted.ts";
import { settleOp } from "../settle/settle-request.ts";

/**
 * How a request is answered that was answered before: with the stored answer, at its share of the price (docs/rulings.md 183). As that is known before,
 * one transaction admits and charges it.
 */
export class CachedHit implements AnswerProducer {
  readonly #run: OwnedRequest;
  readonly #found: FoundCached;

  constructor(run: OwnedRequest, found: FoundCached) {
    this.#run = run;
    this.#found = found;
  }

  /** The charge, with all that can fail done: a client that gets a 500 is not charged (docs/rulings.md 159). */
  settlement(): SettleOp {
    const { receipt, call, deps } = this.#run;
    const { settlement, answer } = this.#ready();
    receipt.admitted(deps.clock.monotonic_ms());
    receipt.answered(answerIdOf(call.endpoint, answer.body));
    return settleOp(this.#run, settlement);
  }

  /** With the state of the limits after the admission. */
  async make(): Promise<ReadyWhole> {
    return this.#ready();
  }

  #ready(): ReadyWhole {
    const { call, deps, plan } = this.#run;
    const { answer, price, body, content_type } = this.#found;
    const { usage, estimated, headers } = answer;
    const sent = { status: 200, content_type, headers, body };
    const model = deps.configuration.models.get(answer.model) ?? plan.model;
    // A copy, as the charge is written into the body that is sent.
    const kept = call.idempotency_key === null ? null : keptAnswerOf({ ...sent, body: body.slice() });
    return {
      kind: "whole",
      answer: { ...call.write(sent), body },
      content_type,
      settlement: {
        ...{ candidate: { model, price }, usage, estimated, error: null, success: true, answer: kept },
        free_if_withheld: true,
      },
      settled: () => deps.cache?.hit(call.key.account_id, model.id, this.#saved()),
    };
  }

  /** Nothing is asked of a vendor. */
  visibility(): "unseen" {
    return "unseen";
  }

  async chargeLeft(): Promise<null> {
    return null;
  }

  #saved(): Micro {
    const { answer, price } = this.#found;
    const own = costOf(answer.usage, price);
    return own < answer.charge_micro ? subtract(answer.charge_micro, own) : ZERO;
  }
}
