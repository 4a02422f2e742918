import type { GenerationEndpoint } from "../../../src/core/endpoints.ts";
import { ERRORS } from "../../../src/core/errors.ts";
import { isObject, type JsonRecord } from "../../../src/core/json.ts";
import type { ParsedAnswer } from "../../suites/http-wire/support/answer-parser.ts";
import { undocumented } from "../../support/openapi.ts";
import type { Finding, FindingKind } from "../finding.ts";
import { fallbacksOf, PROTOCOL_OF } from "../gateway/fuzz-models.ts";
import type { CaseSeen, StepSeen } from "../gateway/run-case.ts";
import { type PlannedStep, RESPONSE_ID } from "../requests/fuzz-case.ts";
import { brokenLaw } from "./broken-law.ts";

/** What a client of a case may see, by docs/api.md. Pure: reads nothing but its argument. */
export function judgeCase(seen: CaseSeen): Finding[] {
  const { plan } = seen;
  const found = (kind: FindingKind, what: string): Finding => ({ kind, what, case_number: plan.number });
  const findings: Finding[] = [];
  if (seen.fault !== null) findings.push(found("answer", seen.fault));
  for (const answer of seen.answers) {
    const leaked = foreignMarker(answer.text, plan.marker);
    if (leaked !== null) findings.push(found("leak", `${plan.marker} got ${leaked}`));
    const problem = plan.family === "bytes" ? problemOfAny(answer) : null;
    if (problem !== null) findings.push(found(...problem));
  }
  if (plan.family === "bytes") return findings;
  for (const [kind, what] of [...strangersOf(seen), ...repeatsOf(seen)]) findings.push(found(kind, what));
  for (const step of seen.steps) {
    if (step.unanswered !== null && seen.fault === null)
      findings.push(found("unanswered", `${nameOf(step.step)} got ${UNANSWERED[step.unanswered]}`));
    if (step.answer === null) continue;
    for (const [kind, what] of problemsOf(step, step.answer, plan.slot))
      findings.push(found(kind, `${nameOf(step.step)}: ${what}`));
  }
  return findings;
}

const UNANSWERED = {
  silence: "no answer and no end",
  end: "no answer, and its connection ended",
} as const;

type Problem = [kind: FindingKind, what: string];

function nameOf({ method, target, vendor }: PlannedStep): string {
  return `${method} ${target}${vendor === null ? "" : ` by ${vendor}`}`;
}

/** What another account got of a stored response. */
function* strangersOf({ steps }: CaseSeen): Generator<Problem> {
  for (const { step, answer } of steps) {
    const refers = step.target.includes(RESPONSE_ID) || step.body?.includes(RESPONSE_ID) === true;
    if (refers && step.key === "other" && answer !== null && answer.status < 400)
      yield ["leak", `${nameOf(step)}: another account got ${answer.text.slice(0, 300)}`];
  }
}

/** Answers to a request that was repeated with its `Idempotency-Key`, and that differ from the first. */
function* repeatsOf({ steps: [first, second] }: CaseSeen): Generator<Problem> {
  const [one, other] = [first?.answer ?? null, second?.answer ?? null];
  if (first === undefined || one === null || other === null || first.step !== second?.step) return;
  const is_replay = other.headers.get("idempotent-replayed") === "true";
  if (is_replay && (one.status !== other.status || one.text !== other.text))
    yield [
      "answer",
      `${nameOf(first.step)}: a replay differs: ${one.text.slice(0, 300)} and ${other.text.slice(0, 300)}`,
    ];
  // A stream that failed after its beginning has this status too, and may be asked for anew.
  const is_whole = one.headers.get("content-type") === "application/json";
  if (is_whole && one.status === 200 && other.status === 200 && !is_replay)
    yield ["charge", `${nameOf(first.step)}: a repeat was answered anew: ${other.text.slice(0, 300)}`];
}

/** The marker of another case in a text; null where there is none. */
function foreignMarker(text: string, own: string): string | null {
  return text.match(/case-\d{7}-/g)?.find((marker) => marker !== own) ?? null;
}

/** What no client may get, whatever it sent. */
function problemOfAny({ status, text }: ParsedAnswer): Problem | null {
  if (status === 500) return ["status", `status 500: ${text.slice(0, 400)}`];
  return status > 500 && ![502, 503].includes(status) ? ["status", `status ${status}: ${text.slice(0, 400)}`] : null;
}

function* problemsOf({ step }: StepSeen, answer: ParsedAnswer, slot: number): Generator<Problem> {
  const problem = problemOfAny(answer);
  if (problem !== null) return yield problem;
  const { status, headers, text } = answer;
  const content_type = (headers.get("content-type") ?? "").split(";")[0] ?? "";
  if (step.method === "HEAD" || status === 204) return;
  if (status >= 400) {
    const wrong = wrongError(step, answer);
    return wrong === null ? undefined : yield ["answer", wrong];
  }
  if (content_type === "text/event-stream") return yield* streamProblems(step, text, slot);
  if (content_type === "application/json" && !isJson(text))
    return yield ["answer", `the body is no JSON: ${text.slice(0, 400)}`];
  if (!isOwnAnswer(step, slot)) return;
  const path = step.target.split("?")[0] ?? "";
  for (const what of undocumented({ method: step.method, path }, { status, content_type, text }))
    yield ["answer", what];
}

/**
 * Whether the gateway wrote the answer itself: what vendors say in the client's own protocol goes through as it is, and a stored response
 * is given as it was delivered.
 */
function isOwnAnswer({ vendor, route }: PlannedStep, slot: number): boolean {
  if (route === "responses.retrieve") return false;
  if (vendor === null || vendor === "sim") return true;
  return ![vendor, ...fallbacksOf(vendor, slot)].some((each) => speaksLike(each, route));
}

function speaksLike(vendor: string, route: PlannedStep["route"]): boolean {
  const protocol = Object.entries(PROTOCOL_OF).find(([name]) => name === vendor)?.[1] ?? null;
  return protocol !== null && route.replace(".", "-").startsWith(protocol);
}

const STREAMED: readonly GenerationEndpoint[] = ["chat.completions", "responses", "messages", "generateContent"];

function* streamProblems(step: PlannedStep, text: string, slot: number): Generator<Problem> {
  if (!isOwnAnswer(step, slot)) return;
  const endpoint = STREAMED.find((each) => each === step.route);
  if (endpoint === undefined) return yield ["answer", "a stream on an endpoint that has none"];
  const law = brokenLaw(endpoint, text);
  if (law !== null) yield ["answer", `an illegal stream: ${law}\n${text.slice(-1200)}`];
}

const STYLE_B = /^messages/;

/** What is wrong with an error's status, code, type or shape; null where it is as the tables say. */
function wrongError(step: PlannedStep, { status, text, headers }: ParsedAnswer): string | null {
  const shown = `${status} ${text.slice(0, 300)}`;
  const body = parsed(text);
  const error = isObject(body) ? body.error : undefined;
  if (!isObject(body) || !isObject(error) || typeof error.message !== "string" || error.message === "")
    return `an error in no style: ${shown}`;
  if (headers.get("x-request-id") === undefined) return `an error without its request's id: ${shown}`;
  const rows = Object.entries(ERRORS).filter(([, row]) => row.status === status);
  if (Array.isArray(error.details)) return wrongStyleC(error, status, shown);
  const is_b = body.type === "error";
  if (STYLE_B.test(step.route) && !is_b) return `an error in style A on an endpoint of style B: ${shown}`;
  if (is_b)
    return rows.some(([, row]) => row.type_b === error.type)
      ? null
      : `the type ${String(error.type)} at status ${status}: ${shown}`;
  return rows.some(([code, row]) => code === error.code && row.type_a === error.type)
    ? null
    : `the code ${String(error.code)} at status ${status}: ${shown}`;
}

/** The same of an error in style C, whose code stands in its details (docs/api.md 6.4). */
function wrongStyleC(error: JsonRecord, status: number, shown: string): string | null {
  const details: readonly unknown[] = Array.isArray(error.details) ? error.details : [];
  const reasons = details.flatMap((detail) => (isObject(detail) ? [detail.reason] : []));
  const is_known = Object.entries(ERRORS).some(([code, row]) => row.status === status && reasons.includes(code));
  return is_known && error.code === status ? null : `no code of ours at status ${status}: ${shown}`;
}

function isJson(text: string): boolean {
  return parsed(text) !== undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
