import { isObject } from "../../src/core/json.ts";
import { ClientStream } from "../suites/failures/support/client-stream.ts";
import { usageInStream, usageInWhole } from "../suites/failures/support/reported-usage.ts";
import { type Json, STYLES, type Style } from "../suites/failures/support/styles.ts";
import type { TestKey } from "../support/gateway.ts";
import type { ClientCall, Ending } from "./history.ts";
import type { CallPlan } from "./plan-call.ts";

/** A call that is to be made. */
export interface PlannedAsk {
  readonly id: string;
  readonly prompt_id: string;
  readonly plan: CallPlan;
  readonly node: number;
  readonly url: string;
  readonly key: TestKey;
  readonly idempotency_key: string | null;
}

/** What is seen of an answer. */
type Seen = Pick<ClientCall, "ending" | "status" | "request_id" | "replayed" | "text" | "output_tokens" | "error">;

const NOTHING = { status: null, request_id: null, replayed: false, text: "", output_tokens: null, error: null };
/** Longer than anything in a round that is promised to end. */
const PATIENCE_MS = 75_000;
const QUESTION = { type: "predicate", name: "asked", instructions: "Something was asked." };

/** Makes one call and writes down what its client saw. Never rejects. */
export async function ask(asked: PlannedAsk): Promise<ClientCall> {
  const { id, prompt_id, plan, node, key, idempotency_key } = asked;
  const style = STYLES[plan.style] as Style;
  const began_ms = performance.now();
  const leaving = new AbortController();
  const patience = { over: false };
  const timers = [
    setTimeout(() => {
      patience.over = true;
      leaving.abort();
    }, PATIENCE_MS),
  ];
  if (plan.leaves === "at some time") timers.push(setTimeout(() => leaving.abort(), plan.leaves_after_ms));
  const seen = await see(asked, style, leaving);
  for (const timer of timers) clearTimeout(timer);
  return {
    id,
    prompt_id,
    node,
    account: key.account,
    key: key.id,
    endpoint: plan.model.decides ? "decisions" : style.endpoint,
    model: plan.model.id,
    stream: plan.stream,
    idempotency_key,
    began_ms,
    ended_ms: performance.now(),
    ...seen,
    ...(patience.over && { ending: "unanswered" as const }),
  };
}

async function see(asked: PlannedAsk, style: Style, leaving: AbortController): Promise<Seen> {
  const left = (otherwise: Ending): Ending => (leaving.signal.aborted ? "left" : otherwise);
  let response: Response;
  try {
    response = await send(asked, style, leaving.signal);
  } catch {
    return { ...NOTHING, ending: left("cut off") };
  }
  const head = {
    ...NOTHING,
    status: response.status,
    request_id: response.headers.get("x-camino-request-id"),
    replayed: response.headers.get("idempotent-replayed") === "true",
  };
  if (response.status !== 200) return { ...head, ending: "refused", error: await errorOf(response) };
  if (asked.plan.stream) return { ...head, ...(await readStream(asked.plan, style, response, leaving)) };
  try {
    const body = (await response.json()) as Json;
    const text = asked.plan.model.decides ? JSON.stringify(body.answers) : textOf(style, body);
    return { ...head, ending: "whole", text, output_tokens: usageInWhole(body) };
  } catch {
    return { ...head, ending: left("broken") };
  }
}

/** The text, and for a model that thinks and was cut in its thoughts, that it has none. */
function textOf(style: Style, body: Json): string {
  return style.textOfWhole(body);
}

function send({ id, prompt_id, plan, url, key, idempotency_key }: PlannedAsk, style: Style, signal: AbortSignal) {
  const { model, stream, cap, words } = plan;
  const text = `${prompt_id} ${"word ".repeat(words)}`;
  const decides = model.decides;
  const body = decides
    ? { model: model.id, input: text, questions: [QUESTION] }
    : style.body(model.id, { stream, text, ...(cap === null ? {} : { cap }) });
  return fetch(url + (decides ? "/v1/decisions" : style.path(model.id, { stream })), {
    method: "POST",
    headers: {
      authorization: `Bearer ${key.key}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      "x-request-id": id,
      ...(idempotency_key === null ? {} : { "idempotency-key": idempotency_key }),
    },
    body: JSON.stringify(body),
    signal,
  });
}

async function readStream(plan: CallPlan, style: Style, response: Response, leaving: AbortController) {
  const stream = new ClientStream(style, response, leaving);
  for (;;) {
    if (plan.leaves === "after content" && stream.text !== "") leaving.abort();
    if (!(await stream.read().catch(() => false))) break;
  }
  const { ending, text, events } = stream;
  const whole = ending === "complete" || ending === "length";
  return {
    ending: (whole ? "whole" : leaving.signal.aborted ? "left" : "broken") satisfies Ending as Ending,
    text,
    output_tokens: usageInStream(events),
    error: ending === "failed" ? stream.received.slice(-300) : null,
  };
}

async function errorOf(response: Response): Promise<string | null> {
  try {
    const { error } = (await response.json()) as { error?: unknown };
    return isObject(error) ? `${String(error.code ?? error.type)}: ${String(error.message)}` : null;
  } catch {
    return null;
  }
}
