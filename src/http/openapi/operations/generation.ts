import Type from "typebox";
import { ChatCompletion, ChatCompletionChunk } from "../../../protocols/chat-completions/wire-answer.ts";
import { ChatCompletionRequest } from "../../../protocols/chat-completions/wire-request.ts";
import { MessageObject, MessageStreamEvent, TokenCount } from "../../../protocols/messages/wire-answer.ts";
import { CountTokensRequest, MessagesRequest } from "../../../protocols/messages/wire-request.ts";
import {
  CompactedResponse,
  InputTokenCount,
  ResponseObject,
  ResponseStreamEvent,
} from "../../../protocols/responses/wire-answer.ts";
import { ResponsesRequest } from "../../../protocols/responses/wire-request.ts";
import chat from "../examples/chat.json" with { type: "json" };
import chatStream from "../examples/chat-stream.txt" with { type: "text" };
import compact from "../examples/compact.json" with { type: "json" };
import countTokens from "../examples/count-tokens.json" with { type: "json" };
import decisions from "../examples/decisions.json" with { type: "json" };
import inputTokens from "../examples/input-tokens.json" with { type: "json" };
import messages from "../examples/messages.json" with { type: "json" };
import messagesStream from "../examples/messages-stream.txt" with { type: "text" };
import responses from "../examples/responses.json" with { type: "json" };
import responsesStream from "../examples/responses-stream.txt" with { type: "text" };
import systemone from "../examples/systemone.json" with { type: "json" };
import { Decision, DecisionsRequest, SystemOneDecision, SystemOneRequest } from "../schemas/decisions.ts";
import { StyleAError } from "../schemas/errors.ts";
import {
  CHAT_CODES,
  COUNT_TOKENS_CODES,
  DECISION_CODES,
  INPUT_TOKENS_CODES,
  MESSAGES_CODES,
  RESPONSES_CODES,
} from "./codes.ts";
import { jsonContent, type OperationRow, RATED, streamContent } from "./operation.ts";
import { BILLED_PARAMETERS, parameters } from "./parameters.ts";
import { snippets } from "./snippets.ts";

const VERSION = parameters("AnthropicVersion", "AnthropicBeta");
const BILLING =
  "Billed by input tokens alone: the input once, every question's instructions, every description of an option or " +
  "level. Answered whole or not at all; a 502 is not charged.";

/** What the generation endpoints have in common. */
const GENERATION = {
  tag: "Generation",
  credential: "bearer",
  parameters: BILLED_PARAMETERS,
  headers: ["CaminoRequestId", "CaminoIgnored", "CaminoCapped", "CaminoCache", "IdempotentReplayed", "RateLimit"],
} as const;

const DECISION = {
  tag: "Decisions",
  credential: "bearer",
  parameters: BILLED_PARAMETERS,
  headers: ["CaminoRequestId", "CaminoIgnored", "LabelMass", "CaminoCache", "IdempotentReplayed", "RateLimit"],
  errors: DECISION_CODES,
} as const;

/** The operations of the generation endpoints (docs/api.md 4.1 to 4.3, 4.9). */
export const GENERATION_OPERATIONS: readonly OperationRow[] = [
  {
    ...GENERATION,
    route: "chat.completions",
    operation_id: "createChatCompletion",
    summary: "Chat completions",
    description:
      "Answers a conversation, whole or as a stream, in the shape of OpenAI's chat completions. Unknown fields are " +
      "passed on to vendors that speak this protocol.",
    request: { schema: ChatCompletionRequest, examples: chat.requests },
    answer: "The answer; with `stream: true` a stream that ends with `data: [DONE]`.",
    contents: [
      jsonContent(ChatCompletion, chat.answer),
      // A failure after content is reported in the stream (docs/api.md 6.1).
      streamContent(Type.Union([ChatCompletionChunk, StyleAError]), chatStream),
    ],
    errors: CHAT_CODES,
    samples: snippets("chat"),
  },
  {
    ...GENERATION,
    route: "responses",
    operation_id: "createResponse",
    summary: "Responses",
    description:
      "Answers items with items, whole or as a stream, in the shape of OpenAI's responses. Fields outside the supported " +
      "surface go to vendors that speak this protocol; elsewhere they are refused with `unsupported_responses_feature`.",
    request: { schema: ResponsesRequest, examples: responses.requests },
    answer: "The answer; with `stream: true` a stream whose last event is `response.completed`.",
    contents: [jsonContent(ResponseObject, responses.answer), streamContent(ResponseStreamEvent, responsesStream)],
    errors: RESPONSES_CODES,
    samples: snippets("responses"),
  },
  {
    ...GENERATION,
    route: "responses.compact",
    operation_id: "compactResponse",
    summary: "Compact a conversation",
    description:
      "Sums a conversation up, on every model: the answer's items, which are what the user said and one item for all else, go on in its place.",
    request: { schema: ResponsesRequest, examples: compact.requests },
    answer: "The items that stand for the conversation.",
    contents: [jsonContent(CompactedResponse, compact.answer)],
    errors: RESPONSES_CODES,
    samples: snippets("compact"),
  },
  {
    ...GENERATION,
    route: "responses.input_tokens",
    operation_id: "countResponseTokens",
    summary: "Count a response's input tokens",
    description:
      "Counts the input of a responses request: by the vendor where it can, else by our estimate. Never charged.",
    parameters: parameters("ClientRequestId"),
    request: { schema: ResponsesRequest, examples: inputTokens.requests },
    answer: "The count; `estimated: true` beside it when it is our estimate.",
    headers: RATED,
    contents: [jsonContent(InputTokenCount, inputTokens.answer)],
    errors: INPUT_TOKENS_CODES,
    samples: snippets("input-tokens"),
  },
  {
    ...GENERATION,
    route: "messages",
    operation_id: "createMessage",
    summary: "Messages",
    description:
      "Answers a conversation, whole or as a stream, in the shape of Anthropic's messages. Unknown fields are passed on " +
      "to vendors that speak this protocol.",
    credential: "either",
    parameters: [...VERSION, ...BILLED_PARAMETERS],
    request: { schema: MessagesRequest, examples: messages.requests },
    answer: "The answer; with `stream: true` a stream whose last event is `message_stop`.",
    contents: [jsonContent(MessageObject, messages.answer), streamContent(MessageStreamEvent, messagesStream)],
    errors: MESSAGES_CODES,
    samples: snippets("messages"),
  },
  {
    ...GENERATION,
    route: "messages.count_tokens",
    operation_id: "countMessageTokens",
    summary: "Count a message's tokens",
    description:
      "Counts the input of a messages request: by the vendor where it can, else by our estimate. Never charged.",
    credential: "either",
    parameters: [...VERSION, ...parameters("ClientRequestId")],
    request: { schema: CountTokensRequest, examples: countTokens.requests },
    answer: "The count; `estimated: true` is added when it is an estimate.",
    headers: RATED,
    contents: [jsonContent(TokenCount, countTokens.answer)],
    errors: COUNT_TOKENS_CODES,
    samples: snippets("count-tokens"),
  },
];

/** The operations of the decision endpoints (docs/api.md 4.6, 4.7). */
export const DECISION_OPERATIONS: readonly OperationRow[] = [
  {
    ...DECISION,
    route: "decisions",
    operation_id: "createDecision",
    summary: "Decisions",
    description: `Answers typed questions about one input with probabilities, in the shape of OpenAI's decisions. ${BILLING}`,
    request: { schema: DecisionsRequest, examples: decisions.requests },
    answer: "An answer to every question, in their order.",
    contents: [jsonContent(Decision, decisions.answer)],
    samples: snippets("decisions"),
  },
  {
    ...DECISION,
    route: "systemone",
    operation_id: "createSystemOneDecision",
    summary: "System One",
    description: `The same decisions in the keyed shape of the System One API. Takes multipart/form-data too: a part \`request\` with this JSON, and a part with the bytes of each asset that names one. ${BILLING}`,
    request: { schema: SystemOneRequest, examples: systemone.requests },
    answer: "An answer to every question, by its name.",
    contents: [jsonContent(SystemOneDecision, systemone.answer)],
    samples: snippets("systemone"),
  },
];
