import type { DecisionClientProtocol, DecisionClientRequest } from "../../core/answer/decision.ts";
import type { StoredAnswer } from "../../core/ledger/ledger.ts";
import { type Admission, readAndAdmit } from "../admit/read-and-admit.ts";
import { keptAnswerOf, replayAnswer } from "../admit/replay.ts";
import { factHeaders } from "../answer/fact-headers.ts";
import { RunningRequest } from "../answer/running-request.ts";
import type { AttemptVerdict } from "../ask/vendor-failure.ts";
import { type AdmittedCall, type BilledCall, JSON_TYPE } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import { type AnswerProducer, answerAdmitted, type ReadyAnswer } from "../settle/answer-admitted.ts";
import type { Visibility } from "../settle/endings.ts";
import type { Settlement } from "../settle/settle-request.ts";
import { countDecision } from "./count-decision.ts";
import { decideByEngine } from "./decide-by-engine.ts";
import { decideByVendor } from "./decide-by-vendor.ts";
import { type DecisionPlan, planDecision } from "./decide-plan.ts";
import type { DecisionSource } from "./decision-source.ts";
import type { DecidedAnswers, RunningDecision } from "./running-decision.ts";

/**
 * Lets a decision request in: checks it, and admits it with a hold for its input. Its answer comes from the vendor or the engine, and
 * once its charge is durable. Throws the GatewayError that the client gets; there is no hold then, or it has ended.
 */
export async function decide(
  deps: PipelineDeps,
  call: BilledCall,
  protocol: DecisionClientProtocol,
): Promise<AdmittedCall> {
  let large: LargeDecision = null;
  let admission: Admission<DecisionClientRequest, DecisionPlan>;
  try {
    admission = await readAndAdmit<DecisionClientRequest, DecisionPlan>(deps, call, {
      read: () => {
        large ??= readLarge(deps, call, protocol);
        return large ?? protocol.readRequest(call.text, deps.configuration.decisions?.surface);
      },
      plan: (key, asked) => planDecision(deps, call, key, asked),
    });
  } catch (thrown) {
    letGo(large);
    throw thrown;
  }
  const { result } = admission;
  if (result.outcome === "replay") {
    letGo(large);
    return { result, answer: async () => call.write(replayAnswer(result.answer)) };
  }
  const run: RunningDecision = new RunningRequest(deps, call, admission.request, admission.plan);
  return { result, answer: () => answerAdmitted(run, new DecisionProducer(run, protocol)) };
}

type LargeDecision = ReturnType<PipelineDeps["large_bodies"]["readDecision"]> | null;

/** The request goes no further: its thread may forget it. */
function letGo(large: LargeDecision): void {
  large?.then(
    ({ remote }) => remote.release(),
    () => {},
  );
}

/** The request of a large body, as a body worker reads it; null for a body that is not large. */
function readLarge(
  { large_bodies, configuration: { decisions } }: PipelineDeps,
  { large_body, headers, key: { account_id }, signal, idempotency_key }: BilledCall,
  { endpoint }: DecisionClientProtocol,
): LargeDecision {
  if (large_body === null) return null;
  const is_repeatable = idempotency_key !== null;
  const body = large_body;
  const order = { route: endpoint, body, headers, account_id, signal, is_repeatable, recall: null };
  return large_bodies.readDecision({ ...order, surface: decisions?.surface });
}

/** How a decision request is answered: by the first of its sources that decides. */
class DecisionProducer implements AnswerProducer {
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
