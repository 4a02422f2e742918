import type { ClientHeaders, ClientProtocol, ClientRequest } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import { type JsonRecord, plainText } from "../../core/json.ts";
import { chargedMembers } from "../shared/charged-members.ts";
import { type BodyCheck, compileBodyCheck } from "../shared/check-body.ts";
import { refuseMore, refuseMoreBlocks } from "../shared/check-bounds.ts";
import { styleBError } from "../shared/error-styles.ts";
import { eventFrame } from "../shared/event-frames.ts";
import { inputBound } from "../shared/input-bound.ts";
import { findMembers } from "../shared/json-members.ts";
import { parseBody } from "../shared/parse-json.ts";
import { MESSAGES_CHARGES } from "./charge-table.ts";
import { checkContent } from "./check-content.ts";
import { readVersion } from "./sent-version.ts";
import { reminderBytes } from "./system-turns.ts";
import type { WireMessage } from "./wire-blocks.ts";
import { CountTokensRequest, MessagesRequest } from "./wire-request.ts";

const checkRequest: BodyCheck<MessagesRequest> = compileBodyCheck(MessagesRequest, () => "invalid_request");
const checkCountRequest: BodyCheck<CountTokensRequest> = compileBodyCheck(CountTokensRequest, () => "invalid_request");

/** The client protocol of POST /v1/messages (docs/api.md 4.3). */
export const messages: ClientProtocol = {
  protocol: "messages",
  error_style: "b",
  endpoint: "messages",
  kind: "chat",
  general_error: "invalid_request",
  beat: eventFrame("ping", { type: "ping" }),
  failedStream: (error, { request_id }) => eventFrame("error", styleBError(error, request_id)),
  readRequest(text: string, headers: ClientHeaders): ClientRequest {
    readVersion(headers);
    const body = parseBody(text);
    checkBounds(text, body);
    checkRequest(body);
    refuseThread(body);
    const checked = checkContent(body);
    const charged = chargedMembers(body, MESSAGES_CHARGES);
    return { ...asRequest(text, body), ...checked, stream: body.stream ?? false, output_cap: body.max_tokens, charged };
  },
};

/**
 * Reads a request for POST /v1/messages/count_tokens (docs/rulings.md 14a): checks it like a messages request, without
 * the members that only a generation has.
 */
export function readCountRequest(text: string, headers: ClientHeaders): ClientRequest {
  readVersion(headers);
  const body = parseBody(text);
  checkBounds(text, body);
  checkCountRequest(body);
  return { ...asRequest(text, body), ...checkContent(body), stream: false, output_cap: null };
}

/**
 * Refuses `thread`. A thread's turns would have to reach one vendor account forever, whatever the model's routes are;
 * they would have to be priced although the request does not contain them; and each would have to belong to one of the
 * accounts that share the vendor's credential. The official clients handle this refusal: they then send the whole
 * conversation in each request.
 */
function refuseThread({ thread }: JsonRecord): void {
  if (thread === undefined || thread === null) return;
  const message = "'thread' was found, and vendors hold no conversations here. Send all messages, without 'thread'.";
  throw new GatewayError("invalid_request", message, {
    param: "thread",
    details: { error_code: "thread_unsupported_request" },
  });
}

function asRequest(text: string, body: CountTokensRequest) {
  return {
    protocol: "messages" as const,
    model: body.model,
    choices: 1,
    input_bound_tokens:
      inputBound(text, [body.system, body.messages], (body.tools?.length ?? 0) > 0) +
      reminderBytes(body.messages as readonly WireMessage[]) +
      definitionTokens(body.tools),
    text,
    body,
    members: findMembers(text),
  };
}

/** More than the largest published definition has: about 6,600 tokens for a browser's toolset, 4,500 for a computer's. */
const TOOLSET_TOKENS = 8192;

/** What the vendor's own definitions of tools add to the input, which no byte of the request shows. */
function definitionTokens(tools: readonly object[] = []): number {
  let tokens = 0;
  for (const tool of tools)
    if ("type" in tool && /_toolset_\d{8}$/.test(plainText(tool.type))) tokens += TOOLSET_TOKENS;
  return tokens;
}

/** The members of a message, and of a tool's result in it, whose arrays hold content blocks. */
const HOLDERS = ["content"];

/** Throws where a body has more messages, blocks, tools or stop sequences than a request may have (docs/api.md 8). */
function checkBounds(text: string, body: JsonRecord): void {
  const code = "invalid_request";
  refuseMore(body.messages, { bound: "messages", place: "messages", of: "messages", code });
  refuseMore(body.system, { bound: "blocks", place: "system", of: "content blocks", code });
  refuseMore(body.tools, { bound: "tools", place: "tools", of: "tools", code });
  refuseMore(body.stop_sequences, { bound: "stop_sequences", place: "stop_sequences", of: "stop sequences", code });
  refuseMoreBlocks(text, body.messages, HOLDERS, { place: "messages", code });
}
