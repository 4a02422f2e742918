import type {
  ClientHeaders,
  ClientRequest,
  Exchange,
  ProtocolAdapter,
  Target,
  VendorFailure,
  WholeAnswer,
  WholeBody,
} from "../../core/answer/exchange.ts";
import { textOf, textOfParts } from "../../core/answer/sent-body.ts";
import { newId } from "../../core/ids.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { invalidAnswer } from "../shared/endings.ts";
import { ownIssuer } from "../shared/issuer.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { bodyWriter, relayedWhole, type SentAnswer, type WriteBody } from "../shared/rewrite-answer.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { issuedBody } from "./issued-blocks.ts";
import { prepareBody } from "./prepare-body.ts";
import { mergeUsage, readUsage } from "./read-usage.ts";
import { vendorHeaders } from "./sent-version.ts";
import { relayedStop } from "./stop-reason.ts";
import { MessagesStream } from "./stream.ts";
import { missingMembers, readableBlock, startsWithContent } from "./told-blocks.ts";
import { messageUsage } from "./wire-message.ts";

/** Reads a message that arrived in one piece. Never throws: a body that is no message is a failure. */
export function readWholeMessage(sent: WholeBody, model_id: string): WholeAnswer {
  const text = textOf(sent);
  const message = parseOrNull(text);
  const failed = failureOf(message);
  const mended = failed === null && isObject(message) ? mendedMembers(message, model_id) : NOTHING_MENDED;
  const failure = failed ?? mended.failure;
  const raw_usage = isObject(message) ? mergeUsage(null, message.usage) : null;
  const usage = raw_usage === null ? null : readUsage(raw_usage);
  const write =
    failure === null && isObject(message)
      ? writerOf({ sent, text, answer: message }, mended.members, model_id)
      : () => sent;
  return relayedWhole({
    ...{ sent, write, failure, usage, raw_usage },
    has_content: isObject(message) && Array.isArray(message.content) && message.content.some(startsWithContent),
    usageFor: (billed) => (billed === null ? undefined : { ...messageUsage(billed) }),
    generated: () => generatedText(message),
  });
}

/** Writes the client's form of a message; null where a member is named twice. */
function writerOf(sent: SentAnswer, members: JsonRecord, model_id: string): WriteBody | null {
  const changes = Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)] as const);
  return changes.length === 0 ? bodyWriter(sent, model_id) : bodyWriter(sent, model_id, changes);
}

interface Mended {
  readonly failure: VendorFailure | null;
  readonly members: JsonRecord;
}

const NOTHING_MENDED: Mended = { failure: null, members: {} };

/** The members of a message that clients read, where the vendor left one out, broke it or names its end in other words. */
function mendedMembers(message: JsonRecord, model_id: string): Mended {
  const members = missingMembers(message, model_id, () => newId("msg"));
  const told: readonly unknown[] = Array.isArray(message.content) ? message.content : [];
  const content = told.filter(isObject).map(readableBlock);
  if (content.length !== told.length || content.some((block, at) => block !== told[at])) members.content = content;
  const stop_reason = relayedStop(message.stop_reason, { has_calls: callsTools(content), has_half: false });
  if (typeof stop_reason !== "string") return { failure: stop_reason, members };
  if (stop_reason !== message.stop_reason) {
    members.stop_reason = stop_reason;
    members.stop_sequence = null;
  }
  return { failure: null, members };
}

function callsTools(content: unknown): boolean {
  return Array.isArray(content) && content.some((block) => isObject(block) && block.type === "tool_use");
}

function failureOf(message: unknown): VendorFailure | null {
  if (isObject(message) && Array.isArray(message.content)) return null;
  if (isObject(message) && message.error !== undefined) return readErrorObject(message);
  return invalidAnswer("The model service answered with something that is no message.");
}

function generatedText(message: unknown): string {
  if (!isObject(message) || !Array.isArray(message.content)) return "";
  let text = "";
  for (const block of message.content) {
    if (!isObject(block)) continue;
    if (typeof block.text === "string") text += block.text;
    if (typeof block.thinking === "string") text += block.thinking;
    if (isObject(block.input)) text += JSON.stringify(block.input);
  }
  return text;
}

/** The input bound counts a token for each byte of text; a model has one for about four bytes. */
const BYTES_PER_TOKEN = 4;

/** The relay of messages: the vendor gets the client's own body except for members that must change. */
export const relayMessages: ProtocolAdapter = {
  prepare(request: ClientRequest, target: Target, headers: ClientHeaders): Exchange {
    const { parts, ignored, charged } = prepareBody(request, target);
    const model_id = target.model.id;
    const issuer = ownIssuer(target.vendor, "messages");
    const estimate_tokens = Math.ceil(request.input_bound_tokens / BYTES_PER_TOKEN);
    return {
      path: "/messages",
      body: textOfParts(parts),
      headers: vendorHeaders(request, target, headers),
      ignored,
      charged,
      readWhole: (bytes) => readWholeMessage(issuer === null ? bytes : issuedBody(bytes, issuer), model_id),
      openStream: () => new MessagesStream(model_id, estimate_tokens, issuer),
      readError: readRelayedError,
    };
  },
};
