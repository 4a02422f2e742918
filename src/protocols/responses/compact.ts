import type {
  ClientRequest,
  EndpointProtocol,
  Exchange,
  ProtocolAdapter,
  SentBody,
  VendorFailure,
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
      return new CompactExchange(exchange, userMessages(request));
    },
  };
}

class CompactExchange implements Exchange {
  readonly #exchange: Exchange;
  readonly #messages: readonly JsonRecord[];

  constructor(exchange: Exchange, messages: readonly JsonRecord[]) {
    this.#exchange = exchange;
    this.#messages = messages;
  }

  get path(): string {
    return this.#exchange.path;
  }

  get body(): string {
    return this.#exchange.body;
  }

  get parts(): readonly string[] {
    return this.#exchange.parts ?? [this.#exchange.body];
  }

  get headers(): Exchange["headers"] {
    return this.#exchange.headers;
  }

  get ignored(): readonly string[] {
    return this.#exchange.ignored;
  }

  get charged(): NonNullable<Exchange["charged"]> {
    return this.#exchange.charged ?? [];
  }

  readWhole(body: Parameters<Exchange["readWhole"]>[0]): WholeAnswer {
    const whole = this.#exchange.readWhole(body);
    return whole.failure === null ? new CompactAnswer(whole, this.#messages) : whole;
  }

  openStream(): never {
    throw new Error("a compaction has no stream");
  }

  readError(status: number, body: string): VendorFailure {
    return this.#exchange.readError(status, body);
  }
}

const NO_COMPACTION = invalidAnswer("The model was asked for a summary to compact the conversation and wrote none.");

/** The answer to a compaction, made of a response. What is charged and shown of its usage is the response's. */
class CompactAnswer implements WholeAnswer {
  readonly failure: VendorFailure | null;
  readonly #response: WholeAnswer;
  readonly #messages: readonly JsonRecord[];

  constructor(response: WholeAnswer, messages: readonly JsonRecord[]) {
    this.#response = response;
    this.#messages = messages;
    // Without it the conversation would be lost in silence.
    this.failure = compactionsIn(parsed(response.body)).length === 0 ? NO_COMPACTION : null;
  }

  get usage(): WholeAnswer["usage"] {
    return this.#response.usage;
  }

  get rejected_usage(): unknown {
    return this.#response.rejected_usage;
  }

  get output_bytes(): number {
    return this.#response.output_bytes;
  }

  get output_sample(): string {
    return this.#response.output_sample;
  }

  get has_content(): boolean {
    return this.#response.has_content;
  }

  get body(): SentBody {
    return this.#write(this.#response.body);
  }

  bodyWith(billed: Usage | null, cost?: string): SentBody {
    return this.#write(this.#response.bodyWith?.(billed, cost) ?? this.#response.body);
  }

  #write(body: SentBody): string {
    const response = parsed(body);
    const { id = newId("resp"), created_at = 0, usage } = response;
    const output = [...this.#messages, ...compactionsIn(response)];
    return JSON.stringify({ id, object: "response.compaction", created_at, output, usage });
  }
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
