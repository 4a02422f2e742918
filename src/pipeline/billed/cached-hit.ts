import { type Micro, subtract, ZERO } from "../../core/money/money.ts";
import { costOf } from "../../core/money/price.ts";
import type { FoundCached } from "../admit/find-cached.ts";
import { keptAnswerOf } from "../admit/replay.ts";
import type { OwnedRequest } from "../answer/running-request.ts";
import type { AnswerProducer, ReadyAnswer } from "../settle/answer-admitted.ts";

/** How a request is answered that was answered before: with the stored answer, at its share of the price (docs/rulings.md 183). */
export class CachedHit implements AnswerProducer {
  readonly #run: OwnedRequest;
  readonly #found: FoundCached;

  constructor(run: OwnedRequest, found: FoundCached) {
    this.#run = run;
    this.#found = found;
  }

  async make(): Promise<ReadyAnswer> {
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
