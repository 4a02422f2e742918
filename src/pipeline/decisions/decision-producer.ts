import type { DecisionClientProtocol } from "../../core/decision.ts";
import type { StoredAnswer } from "../../core/ledger.ts";
import { NO_USAGE } from "../../core/usage.ts";
import { keptHeaders } from "../admission/replay.ts";
import type { AttemptVerdict } from "../asking/vendor-failure.ts";
import type { AnswerProducer, ReadyAnswer } from "../generation/answer-admitted.ts";
import type { Visibility } from "../generation/endings.ts";
import type { Settlement } from "../generation/running-request.ts";
import { JSON_TYPE } from "../generation/whole-answer.ts";
import { countDecision } from "./count-decision.ts";
import { decideByEngine } from "./decide-by-engine.ts";
import { decideByVendor } from "./decide-by-vendor.ts";
import type { DecisionSource } from "./decision-source.ts";
import type { DecidedAnswers, RunningDecision } from "./running-decision.ts";

/** How a decision request is answered: by the first of its sources that decides. */
export class DecisionProducer implements AnswerProducer {
  readonly #run: RunningDecision;
  readonly #protocol: DecisionClientProtocol;
  /** The source that is asked now. */
  #source: DecisionSource | null = null;

  constructor(run: RunningDecision, protocol: DecisionClientProtocol) {
    this.#run = run;
    this.#protocol = protocol;
  }

  async make(): Promise<ReadyAnswer> {
    const run = this.#run;
    const { call, request } = run;
    const { source, answers, input_tokens, estimated, headers } = await this.#seek();
    const result = { model: source.model.id, answers, input_tokens };
    const body = Buffer.from(this.#protocol.encodeAnswer(result, request.decision));
    const usage = { ...NO_USAGE, input_tokens };
    const kept = { status: 200, content_type: JSON_TYPE, headers: { ...keptHeaders(run), ...headers }, body };
    const answer: StoredAnswer | null = call.idempotency_key === null ? null : kept;
    return {
      kind: "whole",
      answer: call.write({ status: 200, content_type: JSON_TYPE, headers, body }),
      settlement: {
        ...{ candidate: source, usage, estimated, error: null, success: true, answer },
        free_if_withheld: true,
      },
      settled: null,
    };
  }

  /** Decisions arrive at once. */
  visibility(): Visibility {
    return "unseen";
  }

  /** A decision costs its input, and nothing else. */
  async chargeLeft(): Promise<Settlement | null> {
    const source = this.#source;
    if (source === null) return null;
    const usage = { ...NO_USAGE, input_tokens: await countDecision(this.#run, source) };
    return { candidate: source, usage, estimated: true, error: null, success: true, answer: null };
  }

  /** The decision of the first source that decides. Throws the last failure when no source does. */
  async #seek(): Promise<DecidedAnswers> {
    const run = this.#run;
    let last: AttemptVerdict | null = null;
    for (const source of run.plan.sources) {
      this.#source = source;
      const result: DecidedAnswers | AttemptVerdict =
        source.kind === "native" ? await decideByVendor(run, source) : await decideByEngine(run, source);
      if ("kind" in result) return result;
      last = result;
      if (result.retry === "never" || run.signal.aborted) break;
    }
    throw last?.error ?? new Error("a decision was planned without a source");
  }
}
