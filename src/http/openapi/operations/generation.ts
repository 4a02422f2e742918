import Type from "typebox";
import { ChatCompletion, ChatCompletionChunk } from "../../../protocols/chat-completions/wire-answer.ts";
import { ChatCompletionRequest } from "../../../protocols/chat-completions/wire-request.ts";
import { MessageObject, MessageStreamEvent, TokenCount } from "../../../protocols/messages/wire-answer.ts";
import { CountTokensRequest, MessagesRequest } from "../../../protocols/messages/wire-request.ts";
import { ResponseObject, ResponseStreamEvent } from "../../../protocols/responses/wire-answer.ts";
import { ResponsesRequest } from "../../../protocols/responses/wire-request.ts";
import { StyleAError } from "../schemas/errors.ts";
import { CHAT_CODES, COUNT_TOKENS_CODES, MESSAGES_CODES, RESPONSES_CODES } from "./codes.ts";
import * as examples from "./generation-examples.ts";
import type { AnswerContent, OperationRow, SampleSettings } from "./operation.ts";
import { parameter } from "./parameters.ts";
import { chatSnippets, countTokensSnippets, messagesSnippets, responsesSnippets } from "./snippets.ts";

const HEADERS = ["CaminoRequestId", "CaminoIgnored", "CaminoCapped", "IdempotentReplayed", "RateLimit"] as const;
const VERSION = [parameter("AnthropicVersion"), parameter("AnthropicBeta")];
const BILLED = [parameter("IdempotencyKey"), parameter("ClientRequestId"), parameter("RequestTags")];

function stream(event: object, example: string): AnswerContent {
  return { type: "text/event-stream", schema: { type: "string" }, example, event };
}

function chat(settings: SampleSettings): OperationRow {
  return {
    route: "chat.completions",
    operation_id: "createChatCompletion",
    tag: "Generation",
    summary: "Chat completions",
    description:
      "Answers a conversation, whole or as a stream, in the shape of OpenAI's chat completions. Unknown fields are " +
      "passed on to vendors that speak this protocol.",
    credential: "bearer",
    parameters: BILLED,
    request: { schema: ChatCompletionRequest, examples: examples.chatExamples(settings) },
    answer: {
      description: "The answer; with `stream: true` a stream that ends with `data: [DONE]`.",
      headers: HEADERS,
      contents: [
        { type: "application/json", schema: ChatCompletion, example: examples.chatAnswer(settings) },
        // A failure after content is reported in the stream (docs/api.md 6.1).
        stream(Type.Union([ChatCompletionChunk, StyleAError]), examples.chatStream(settings)),
      ],
    },
    errors: CHAT_CODES,
    samples: chatSnippets(settings),
  };
}

function responses(settings: SampleSettings): OperationRow {
  return {
    route: "responses",
    operation_id: "createResponse",
    tag: "Generation",
    summary: "Responses",
    description:
      "Answers items with items, whole or as a stream, in the shape of OpenAI's responses. Fields outside the supported " +
      "surface go to vendors that speak this protocol; elsewhere they are refused with `unsupported_responses_feature`.",
    credential: "bearer",
    parameters: BILLED,
    request: { schema: ResponsesRequest, examples: examples.responsesExamples(settings) },
    answer: {
      description: "The answer; with `stream: true` a stream whose last event is `response.completed`.",
      headers: HEADERS,
      contents: [
        { type: "application/json", schema: ResponseObject, example: examples.responsesAnswer(settings) },
        stream(ResponseStreamEvent, examples.responsesStream(settings)),
      ],
    },
    errors: RESPONSES_CODES,
    samples: responsesSnippets(settings),
  };
}

function messages(settings: SampleSettings): OperationRow {
  return {
    route: "messages",
    operation_id: "createMessage",
    tag: "Generation",
    summary: "Messages",
    description:
      "Answers a conversation, whole or as a stream, in the shape of Anthropic's messages. Unknown fields are passed on " +
      "to vendors that speak this protocol.",
    credential: "either",
    parameters: [...VERSION, ...BILLED],
    request: { schema: MessagesRequest, examples: examples.messagesExamples(settings) },
    answer: {
      description: "The answer; with `stream: true` a stream whose last event is `message_stop`.",
      headers: HEADERS,
      contents: [
        { type: "application/json", schema: MessageObject, example: examples.messagesAnswer(settings) },
        stream(MessageStreamEvent, examples.messagesStream(settings)),
      ],
    },
    errors: MESSAGES_CODES,
    samples: messagesSnippets(settings),
  };
}

function countTokens(settings: SampleSettings): OperationRow {
  return {
    route: "messages.count_tokens",
    operation_id: "countMessageTokens",
    tag: "Generation",
    summary: "Count a message's tokens",
    description:
      "Counts the input of a messages request: by the vendor where it can, else by our estimate. Never charged.",
    credential: "either",
    parameters: [...VERSION, parameter("ClientRequestId")],
    request: {
      schema: CountTokensRequest,
      examples: {
        plain: {
          summary: "A question",
          value: { model: settings.model_b, messages: [{ role: "user", content: "Why is the sky blue?" }] },
        },
      },
    },
    answer: {
      description: "The count; `estimated: true` beside it when it is our estimate.",
      headers: ["RateLimit"],
      contents: [{ type: "application/json", schema: TokenCount, example: { input_tokens: 13 } }],
    },
    errors: COUNT_TOKENS_CODES,
    samples: countTokensSnippets(settings),
  };
}

/** The operations of the generation endpoints (docs/api.md 4.1 to 4.3, 4.9). */
export function generationOperations(settings: SampleSettings): OperationRow[] {
  return [chat(settings), responses(settings), messages(settings), countTokens(settings)];
}
