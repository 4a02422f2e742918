import type { DecisionAnswer, DecisionRequest } from "../../core/answer/decision.ts";
import type {
  ClientHeaders,
  ClientProtocol,
  Exchange,
  SentBody,
  Target,
  VendorFailure,
  WholeBody,
} from "../../core/answer/exchange.ts";
import { bytesOf } from "../../core/answer/sent-body.ts";
import type { Model, Route, Vendor, VendorEndpoint } from "../../core/catalog/catalog.ts";
import { invalidRequest } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { totalInput } from "../../core/money/usage.ts";
import type { PipelineDeps } from "../call/deps.ts";
import { endpointsFor } from "../plan/prospects.ts";

/** A model and an endpoint of a vendor for a small test request, made as for a client's request. */
export interface TestTarget {
  readonly model: Model;
  readonly route: Route;
  readonly endpoint: VendorEndpoint;
  prepare(): TestExchange;
}

/** A test call, prepared. */
export interface TestExchange extends Pick<Exchange, "path" | "headers" | "body" | "readError"> {
  /** Reads a good answer. Throws a GatewayError for a body that is not an answer. */
  read(body: WholeBody): TestAnswer;
}

export interface TestAnswer {
  /** The answer's text; null when it has none. */
  readonly text: string | null;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number } | null;
  readonly failure: VendorFailure | null;
}

export type TestTargetDeps = Pick<
  PipelineDeps,
  "configuration" | "adapterBetween" | "decisionVendorOf" | "priceAt" | "clock"
>;

/** The smallest limit that all vendors accept. */
const MAX_OUTPUT_TOKENS = 16;
const NO_HEADERS: ClientHeaders = { get: () => null };

/**
 * The vendor's model with that id, else its cheapest chat model, else its cheapest decision model. Throws a
 * GatewayError (`invalid_request`) where no such model can be tested.
 */
export function chooseTarget(
  deps: TestTargetDeps,
  protocol: ClientProtocol,
  vendor: Vendor,
  model_id: string | null,
): TestTarget {
  const targets = [...deps.configuration.models.values()]
    .filter((model) => model_id === null || model.id === model_id)
    .flatMap((model) => targetOf(deps, protocol, vendor, model) ?? []);
  const now_ms = deps.clock.now_ms();
  const rank = ({ model }: TestTarget): number => {
    const price = deps.priceAt(model, now_ms);
    const decides = model.kind === "decision" ? Number.MAX_SAFE_INTEGER / 2 : 0;
    return decides + price.input_micro_per_mtok + price.output_micro_per_mtok;
  };
  const [cheapest] = targets.toSorted((a, b) => rank(a) - rank(b));
  if (cheapest !== undefined) return cheapest;
  const what = model_id === null ? "has no model" : `does not serve a model ${JSON.stringify(model_id)}`;
  throw invalidRequest(
    `The vendor ${vendor.id} ${what} that a test call could ask.`,
    model_id === null ? null : "model",
  );
}

function targetOf(deps: TestTargetDeps, protocol: ClientProtocol, vendor: Vendor, model: Model): TestTarget | null {
  for (const route of model.routes) {
    if (route.vendor !== vendor.id || (model.kind !== "chat" && model.kind !== "decision")) continue;
    const found =
      model.kind === "decision"
        ? decisionTarget(deps, { model, route, vendor })
        : chatTarget(deps, protocol, { model, route, vendor });
    if (found !== null) return found;
  }
  return null;
}

interface TestedRoute {
  readonly model: Model;
  readonly route: Route;
  readonly vendor: Vendor;
}

function chatTarget(deps: TestTargetDeps, protocol: ClientProtocol, candidate: TestedRoute): TestTarget | null {
  const { model, route } = candidate;
  if (!model.output_modalities.includes("text")) return null;
  for (const endpoint of endpointsFor(protocol.protocol, candidate)) {
    const adapter = deps.adapterBetween(protocol.protocol, endpoint.protocol);
    if (adapter === null) continue;
    const prepare = (): TestExchange => {
      const exchange = adapter.prepare(chatRequest(protocol, model), at(candidate, endpoint), NO_HEADERS);
      return {
        ...{ path: exchange.path, headers: exchange.headers, body: exchange.body },
        readError: (status, body) => exchange.readError(status, body),
        read: (body) => readChat(exchange, body),
      };
    };
    return { model, route, endpoint, prepare };
  }
  return null;
}

function at({ model, route, vendor }: TestedRoute, endpoint: VendorEndpoint): Target {
  return { model, vendor, endpoint, upstream_model: route.upstream_model };
}

function chatRequest(protocol: ClientProtocol, model: Model) {
  const messages = [{ role: "user", content: "Answer with one word: which color is the sky on a clear day?" }];
  const text = JSON.stringify({ model: model.id, messages, max_completion_tokens: MAX_OUTPUT_TOKENS });
  return protocol.readRequest(text, NO_HEADERS);
}

function readChat(exchange: Exchange, body: WholeBody): TestAnswer {
  const answer = exchange.readWhole(body);
  if (answer.failure !== null) return { text: null, usage: null, failure: answer.failure };
  const { usage } = answer;
  return {
    text: textOf(answer.body),
    usage: usage && { input_tokens: totalInput(usage), output_tokens: usage.output_tokens },
    failure: null,
  };
}

/** The text of a chat completion; null when it has none. */
function textOf(body: SentBody): string | null {
  const completion: unknown = JSON.parse(new TextDecoder().decode(bytesOf(body)));
  const choices = isObject(completion) && Array.isArray(completion.choices) ? completion.choices : [];
  const [choice]: unknown[] = choices;
  const message = isObject(choice) && isObject(choice.message) ? choice.message : {};
  return typeof message.content === "string" && message.content !== "" ? message.content : null;
}

function decisionTarget(deps: TestTargetDeps, candidate: TestedRoute): TestTarget | null {
  const { model, route } = candidate;
  for (const endpoint of endpointsFor(null, candidate)) {
    const protocol = deps.decisionVendorOf(endpoint.protocol);
    if (protocol === null) continue;
    const request = decisionRequest(model);
    const prepare = (): TestExchange => ({
      ...protocol.encodeRequest(request, at(candidate, endpoint), NO_HEADERS),
      readError: (status, body) => protocol.readError(status, body),
      read: (body) => {
        const { answers, usage } = protocol.decodeAnswer(body, request);
        const counts = usage === null ? null : { input_tokens: totalInput(usage), output_tokens: 0 };
        return { text: sentenceOf(answers[0]), usage: counts, failure: null };
      },
    });
    return { model, route, endpoint, prepare };
  }
  return null;
}

function decisionRequest(model: Model): DecisionRequest {
  const question = { type: "predicate", name: "blue", when_true: null, when_false: null } as const;
  return {
    model: model.id,
    input: [[{ type: "text", text: "It is noon, and there is no cloud in the sky." }]],
    questions: [{ ...question, instructions: "Is the sky blue?" }],
    safety_identifier: null,
  };
}

function sentenceOf(answer: DecisionAnswer | undefined): string | null {
  if (answer?.type === "predicate") return `Yes, with a probability of ${answer.probability}.`;
  return answer?.type === "refusal" ? (answer.reason ?? "The model declined the question.") : null;
}
