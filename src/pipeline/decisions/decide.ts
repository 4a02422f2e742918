import type { DecisionClientProtocol, DecisionClientRequest, VendorDecision } from "../../core/answer/decision.ts";
import { isLater, type Later } from "../../core/later.ts";
import type { StoredAnswer } from "../../core/ledger/ledger.ts";
import { NO_USAGE, totalInput, type Usage } from "../../core/money/usage.ts";
import { decideQuestion, type QuestionResult as QuestionDecided } from "../../decider/decide-question.ts";
import { type Material, writeMaterial } from "../../decider/write-material.ts";
import type { UpstreamReply } from "../../wire/client/reply.ts";
import { keptAnswerOf } from "../admit/replay.ts";
import { factHeaders } from "../answer/fact-headers.ts";
import { noteDisbelief } from "../answer/final-usage.ts";
import { seekAnswer } from "../ask/seek-answer.ts";
import { type AttemptVerdict, nullIfRefused } from "../ask/vendor-failure.ts";
import type { Answering, BilledUse } from "../billed/admit-call.ts";
import { type BilledCall, JSON_TYPE } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import { imageTokens } from "../request/decision-input.ts";
import type { ReadyAnswer } from "../settle/answer-admitted.ts";
import type { Visibility } from "../settle/endings.ts";
import type { Settlement } from "../settle/settle-request.ts";
import { TEMPLATE_TOKENS } from "../usage/believed-usage.ts";
import { billedTexts, boundOfCalls, chargedCalls, timesOfInput } from "./billed-texts.ts";
import { type DecidedAnswers, type DecisionPlan, planDecision, type RunningDecision } from "./decide-plan.ts";
import { type DecisionExchange, prepareDecision } from "./decision-exchange.ts";
import type { DecisionSource, EngineSource, NativeCandidate, NativeSource } from "./decision-source.ts";
import { EngineCalls } from "./engine-calls.ts";

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

/** The thread that holds the input writes it into each call. */
const MATERIAL_ELSEWHERE: Material = [];

/**
 * Lets our engine decide: it asks the chat model about each question apart, with several calls at once. A call that
 * fails ends the request and all other calls. Resolves with that failure.
 */
async function decideByEngine(run: RunningDecision, source: EngineSource): Promise<DecidedAnswers | AttemptVerdict> {
  const { input, sketch, wishes = [] } = run.request.decision;
  const material = sketch === undefined ? writeMaterial(input) : MATERIAL_ELSEWHERE;
  const calls = new EngineCalls(run, source);
  try {
    // The tokenizer counts while the chat model answers.
    const counting = countDecision(run, source);
    const asked = source.questions.map((question) => decideQuestion(question, material, source.settings, calls.ask));
    const [usage, ...decided] = await Promise.all([counting, ...asked]);
    if (wishes.length > 0) run.receipt.ignored = [...run.receipt.ignored, ...wishes];
    const answers = decided.map(({ answer }) => answer);
    const headers = { "x-camino-label-mass": decided.map(massOf).join(", ") };
    return { kind: "decided", source, answers, usage, estimated: false, headers };
  } catch (thrown) {
    return await calls.verdictOf(thrown);
  } finally {
    calls.book();
  }
}

/**
 * A question's label mass for people: `-` for a refusal, and where output was constrained to the labels
 * (docs/rulings.md 103d).
 */
function massOf({ answer, label_mass }: QuestionDecided): string {
  return label_mass === null || answer.type === "refusal" ? "-" : String(Number(label_mass.toFixed(4)));
}

interface OpenedDecision {
  readonly kind: "decision";
  readonly candidate: NativeCandidate;
  readonly exchange: DecisionExchange;
  readonly decision: VendorDecision;
}

/** Lets a vendor decide that speaks a decision protocol. Resolves with the last failure when no vendor decided. */
async function decideByVendor(run: RunningDecision, source: NativeSource): Promise<DecidedAnswers | AttemptVerdict> {
  const opened = await askVendors(run, source);
  return "kind" in opened ? await decidedBy(run, source, opened) : opened;
}

async function decidedBy(run: RunningDecision, source: NativeSource, opened: OpenedDecision): Promise<DecidedAnswers> {
  const { candidate, exchange, decision } = opened;
  run.receipt.ignored = exchange.ignored;
  const { answers, usage, rejected_usage } = decision;
  const decided = { kind: "decided", source, answers, headers: {} } as const;
  if (usage !== null && isBelieved(usage, run)) return { ...decided, usage, estimated: false };
  const doubted = usage ?? rejected_usage;
  if (doubted === null) run.deps.metrics.estimated.add(1, candidate.vendor.id, "missing");
  else noteDisbelief(run, candidate, doubted, ["input"]);
  return { ...decided, usage: await countDecision(run, source), estimated: true };
}

/** Whether a vendor's count is within the bound of the input (docs/rulings.md 145). */
function isBelieved(usage: Usage, { request }: RunningDecision): boolean {
  return totalInput(usage) <= request.input_bound_tokens + TEMPLATE_TOKENS;
}

function askVendors(run: RunningDecision, source: NativeSource): Promise<OpenedDecision | AttemptVerdict> {
  const strategy = {
    exchangeFor: (candidate: NativeCandidate) => exchangeFor(run, candidate),
    open: async (
      candidate: NativeCandidate,
      exchange: DecisionExchange,
      reply: UpstreamReply,
    ): Promise<OpenedDecision> => {
      const decision = exchange.readDecision(await reply.readSmall());
      return { kind: "decision", candidate, exchange, decision };
    },
  };
  return seekAnswer(run, source.candidates, strategy);
}

/** Null for a vendor that cannot be asked this: it is skipped. The first exchange was prepared with the plan. */
function exchangeFor(run: RunningDecision, candidate: NativeCandidate): Later<DecisionExchange | null> {
  const { first_exchange, sources } = run.plan;
  if (first_exchange !== null && candidate === sources[0]?.candidates[0]) return first_exchange;
  try {
    const prepared = prepareDecision(candidate, run.request, run.call.headers);
    return isLater(prepared) ? prepared.catch(nullIfRefused) : prepared;
  } catch (thrown) {
    return nullIfRefused(thrown);
  }
}

/**
 * The usage of a decision by a source, as the gateway counts it (docs/api.md 8): the input once, every question's instructions, and
 * every description of an option or level. Names, values and labels are free. Where every call is charged, each text is
 * billed as often as it is sent (docs/rulings.md 153, 103a).
 */
async function countDecision(run: RunningDecision, source: DecisionSource): Promise<Usage> {
  const { decision } = run.request;
  const calls = chargedCalls(source);
  const by_times = Map.groupBy(billedTexts(decision, calls), ({ times }) => times);
  const counts = await Promise.all(
    [...by_times].map(async ([times, billed]) => {
      const texts = billed.map(({ text }) => text);
      const more = billed.reduce((sum, { more }) => sum + (more?.characters ?? 0), 0);
      return (await run.deps.estimator.countTexts(texts, more)) * times;
    }),
  );
  const text_tokens = counts.reduce((sum, count) => sum + count, 0);
  const most_tokens = calls === null ? run.plan.bound_tokens : boundOfCalls(decision, calls);
  const input_tokens = Math.min(text_tokens + imageTokens(decision) * timesOfInput(calls), most_tokens);
  return { ...NO_USAGE, input_tokens };
}
