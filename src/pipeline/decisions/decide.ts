import type { DecisionClientProtocol, DecisionClientRequest } from "../../core/answer/decision.ts";
import type { Later } from "../../core/later.ts";
import type { StoredAnswer } from "../../core/ledger/ledger.ts";
import { keptAnswerOf } from "../admit/replay.ts";
import { factHeaders } from "../answer/fact-headers.ts";
import type { AttemptVerdict } from "../ask/vendor-failure.ts";
import type { Answering, BilledUse } from "../billed/admit-call.ts";
import { type BilledCall, JSON_TYPE } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import type { ReadyAnswer } from "../settle/answer-admitted.ts";
import type { Visibility } from "../settle/endings.ts";
import type { Settlement } from "../settle/settle-request.ts";
import { countDecision } from "./count-decision.ts";
import { decideByEngine } from "./decide-by-engine.ts";
import { decideByVendor } from "./decide-by-vendor.ts";
import { type DecisionPlan, planDecision } from "./decide-plan.ts";
import type { DecisionSource } from "./decision-source.ts";
import type { DecidedAnswers, RunningDecision } from "./running-decision.ts";

/** The use of a decision endpoint: its requests are answered by a vendor that decides, or by our engine. */
export function decisionUse(
  deps: PipelineDeps,
  protocol: DecisionClientProtocol,
): BilledUse<DecisionClientRequest, DecisionPlan> {
  return {
    kind: "decision",
    read: (call) => readRequest(deps, call, protocol),
    plan: (call, asked) => planDecision(deps, call, asked),
    answering: (run) => new DecisionProducer(run, protocol),
  };
}

/** Reads a request; in another thread, which keeps it, where the body is large. */
function readRequest(
  { large_bodies, configuration: { decisions } }: PipelineDeps,
  { text, large_body: body, headers, key: { account_id }, signal, idempotency_key }: BilledCall,
  protocol: DecisionClientProtocol,
): Later<DecisionClientRequest> {
  if (body === null) return protocol.readRequest(text, decisions?.surface);
  const is_repeatable = idempotency_key !== null;
  const order = { route: protocol.endpoint, body, headers, account_id, signal, is_repeatable, recall: null };
  return large_bodies.readDecision({ ...order, surface: decisions?.surface });
}

/** How a decision request is answered: by the first of its sources that decides. */
class DecisionProducer implements Answering {
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
    const { source, answers, usage, estimated, headers } = await this.#seek();
    const result = { model: source.model.id, answers, usage };
    const body = Buffer.from(this.#protocol.encodeAnswer(result, request.decision, run.cost_mark));
    const kept: StoredAnswer = {
      status: 200,
      content_type: JSON_TYPE,
      headers: { ...factHeaders(run), ...headers },
      body,
    };
    const answer: StoredAnswer | null = call.idempotency_key === null ? null : keptAnswerOf(kept);
    return {
      kind: "whole",
      answer: { ...call.write({ ...kept, body }), body },
      content_type: JSON_TYPE,
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
    const usage = await countDecision(this.#run, source);
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
