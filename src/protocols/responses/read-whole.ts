import type { VendorFailure, WholeAnswer, WholeBody } from "../../core/answer/exchange.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import { newId } from "../../core/ids.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { type Usage, withServed } from "../../core/money/usage.ts";
import type { MemberChange } from "../shared/json-members.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { bodyWriter, relayedWhole, type SentAnswer, type WriteBody } from "../shared/rewrite-answer.ts";
import { readFailure } from "./failure.ts";
import { nameOf, typeOf } from "./item-names.ts";
import { faultOfEnd } from "./judge-end.ts";
import { newItemId } from "./output-items.ts";
import { filled, filledItem, isClientCall, RESPONSE_MEMBERS } from "./read-members.ts";
import { correctedUsage, readUsage, writeUsage } from "./read-usage.ts";

function usageOf(raw: Record<string, unknown>, { output, service_tier }: Record<string, unknown>): Usage | null {
  const usage = readUsage(raw, output);
  return usage && withServed(usage, service_tier);
}

/**
 * Reads a response that arrived in one piece. Never throws: anything but a finished response is a failure. `previous`
 * is the stored response that the client continued from; its id is put into the answer because the vendor does not know
 * it.
 */
export function readWholeResponse(sent: WholeBody, model_id: string, previous: string | null = null): WholeAnswer {
  const text = textOf(sent);
  const response = parseOrNull(text);
  const failure = failureOf(response);
  const raw_usage = isObject(response) && isObject(response.usage) ? response.usage : null;
  const usage = isObject(response) && raw_usage !== null ? usageOf(raw_usage, response) : null;
  const write =
    failure === null && isObject(response)
      ? writerOf({ sent, text, answer: response }, model_id, previous)
      : () => sent;
  const corrected = raw_usage === null || usage === null ? null : correctedUsage(raw_usage, usage);
  return relayedWhole({
    ...{ sent, write, failure, usage, raw_usage },
    has_content: isObject(response) && Array.isArray(response.output) && response.output.length > 0,
    usageFor: (billed) => (billed === null ? (corrected ?? undefined) : { ...writeUsage(billed) }),
    generated: () => generatedText(response),
  });
}

function writerOf(answer: SentAnswer, model_id: string, previous: string | null): WriteBody | null {
  return bodyWriter(answer, model_id, missingMembers(answer.answer, previous));
}

/** The members that clients read and the vendor left out (docs/rulings.md 202), and the response that the client continued from. */
function missingMembers(response: JsonRecord, previous: string | null): MemberChange[] {
  const changes: MemberChange[] = previous === null ? [] : [["previous_response_id", JSON.stringify(previous)]];
  const whole = filled(response, { id: "", ...RESPONSE_MEMBERS });
  const output = Array.isArray(response.output) ? response.output : [];
  const items = output.filter(isObject).map(filledAlone);
  const is_right = items.length === output.length && items.every((item, at) => item === output[at]);
  if (!is_right) changes.push(["output", JSON.stringify(items)]);
  if (whole === response) return changes;
  for (const name of ["object", "created_at"])
    if (whole[name] !== response[name]) changes.push([name, JSON.stringify(whole[name])]);
  if (nameOf(whole.id) === null) changes.push(["id", JSON.stringify(newId("resp"))]);
  return changes;
}

/** An item with its members, of which no event told. */
function filledAlone(item: JsonRecord): JsonRecord {
  const id = nameOf(item.id) ?? newItemId(typeOf(item));
  return filledItem(item, { id, call_id: isClientCall(item.type) ? (nameOf(item.call_id) ?? id) : null });
}

/** Why a body is not a finished response; null when it is one. */
export function failureOf(response: unknown): VendorFailure | null {
  if (!isObject(response)) return notAResponse("something that is no response");
  if (response.status === "failed" || response.status === "cancelled") return readFailure(response);
  if (!Array.isArray(response.output)) {
    return isObject(response.error) ? readFailure(response) : notAResponse("something that is no response");
  }
  if (response.status === "queued" || response.status === "in_progress") return notAResponse("an unfinished response");
  return faultOfEnd(response);
}

function notAResponse(what: string): VendorFailure {
  return { status: 502, message: `The model service answered with ${what}.`, retry_after_ms: null };
}

function generatedText(response: unknown): string {
  if (!isObject(response) || !Array.isArray(response.output)) return "";
  let text = "";
  for (const item of response.output) {
    if (!isObject(item)) continue;
    for (const own of [item.arguments, item.input, item.code]) if (typeof own === "string") text += own;
    for (const parts of [item.summary, item.content]) if (Array.isArray(parts)) text += textOfParts(parts);
  }
  return text;
}

function textOfParts(parts: readonly unknown[]): string {
  let text = "";
  for (const part of parts) {
    if (!isObject(part)) continue;
    if (typeof part.text === "string") text += part.text;
    if (typeof part.refusal === "string") text += part.refusal;
  }
  return text;
}
