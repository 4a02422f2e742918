import type {
  ClientRequest,
  EndpointProtocol,
  ProtocolAdapter,
  SentBody,
  WholeAnswer,
} from "../../core/answer/exchange.ts";
import { bytesOf } from "../../core/answer/sent-body.ts";
import { newId } from "../../core/ids.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import type { Usage } from "../../core/money/usage.ts";
import { invalidAnswer } from "../shared/endings.ts";
import { findMembers, memberText, replaceMembers } from "../shared/json-members.ts";
import { parseBody, parseJson } from "../shared/parse-json.ts";
import { responses } from "./client.ts";
import { isCompaction } from "./compaction.ts";

/**
 * `POST /v1/responses/compact` (docs/api.md 4.13, docs/rulings.md 212): a responses request that ends with a trigger, which every model
 * answers by the way of docs/rulings.md 167. The answer is the user's messages and the one item that stands for all else.
 */
export const compact: EndpointProtocol = {
  protocol: "responses-compact",
  error_style: "a",
  endpoint: "responses.compact",
  kind: "chat",
  general_error: "invalid_responses_input",
  readRequest: (text, headers) => ({
    ...responses.readRequest(withTrigger(text), headers),
    protocol: "responses-compact",
  }),
};

const TRIGGER = '{"type":"compaction_trigger"}';

/** The body as a responses request that asks for a summary, which is neither streamed nor stored. */
function withTrigger(text: string): string {
  const { input } = parseBody(text);
  const members = findMembers(text);
  const own = memberText(text, members, "input");
  return replaceMembers(
    text,
    [
      ["input", inputText(input, own)],
      ["store", "false"],
      ["stream", null],
      ["stream_options", null],
    ],
    members,
  );
}

/** Anything but a text or a list stays, for the check to refuse. */
function inputText(input: unknown, own: string | null): string {
  if (own === null || input === null) return `[${TRIGGER}]`;
  if (typeof input === "string") return `[{"role":"user","content":${own}},${TRIGGER}]`;
  if (!Array.isArray(input)) return own;
  return `${own.slice(0, own.lastIndexOf("]"))}${input.length === 0 ? "" : ","}${TRIGGER}]`;
}

/** How a request for a compaction gets to a vendor, by the way of a responses request. */
export function compacting(adapter: ProtocolAdapter): ProtocolAdapter {
  return {
    prepare(request, target, headers) {
      const exchange = adapter.prepare({ ...request, protocol: "responses" }, target, headers);
      const messages = userMessages(request);
      return {
        path: exchange.path,
        get body() {
          return exchange.body;
        },
        ...(exchange.parts !== undefined && { parts: exchange.parts }),
        headers: exchange.headers,
        ignored: exchange.ignored,
        charged: exchange.charged ?? [],
        readWhole(body) {
          const whole = exchange.readWhole(body);
          return whole.failure === null ? compactAnswer(whole, messages) : whole;
        },
        openStream() {
          throw new Error("a compaction has no stream");
        },
        readError: (status, body) => exchange.readError(status, body),
      };
    },
  };
}

const NO_COMPACTION = invalidAnswer("The model was asked for a summary to compact the conversation and wrote none.");

/** The answer to a compaction, made of a response. What is charged and shown of its usage is the response's. */
function compactAnswer(response: WholeAnswer, messages: readonly JsonRecord[]): WholeAnswer {
  const { usage, rejected_usage, output_bytes, output_sample, has_content } = response;
  const write = (body: SentBody): string => {
    const written = parsed(body);
    const { id = newId("resp"), created_at = 0, usage } = written;
    const output = [...messages, ...compactionsIn(written)];
    return JSON.stringify({ id, object: "response.compaction", created_at, output, usage });
  };
  return {
    ...{ usage, rejected_usage, output_bytes, output_sample, has_content },
    // Without it the conversation would be lost in silence.
    failure: compactionsIn(parsed(response.body)).length === 0 ? NO_COMPACTION : null,
    get body() {
      return write(response.body);
    },
    bodyWith: (billed: Usage | null, cost?: string) => write(response.bodyWith?.(billed, cost) ?? response.body),
  };
}

function parsed(body: SentBody): JsonRecord {
  const response = parseJson(Buffer.from(bytesOf(body)).toString());
  return isObject(response) ? response : {};
}

function compactionsIn({ output }: JsonRecord): JsonRecord[] {
  return Array.isArray(output) ? output.filter((item) => isObject(item) && isCompaction(item)) : [];
}

/** What the user said in an input, as the public API gives it back: items that a later request may send as they are. */
function userMessages({ body }: ClientRequest): JsonRecord[] {
  const input: unknown[] = Array.isArray(body.input) ? body.input : [];
  return input.filter(isUserMessage).map(({ content, ...item }) => ({
    ...item,
    id: typeof item.id === "string" ? item.id : newId("msg"),
    type: "message",
    status: "completed",
    content: typeof content === "string" ? [{ type: "input_text", text: content }] : content,
  }));
}

function isUserMessage(item: unknown): item is JsonRecord {
  return isObject(item) && item.role === "user" && (item.type === undefined || item.type === "message");
}
