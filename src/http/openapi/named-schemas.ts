import { Completion, CompletionRequest } from "../../protocols/chat-completions/completions-request.ts";
import { ChatCompletion, ChatCompletionChunk, ChatUsage } from "../../protocols/chat-completions/wire-answer.ts";
import { ChatMessage } from "../../protocols/chat-completions/wire-messages.ts";
import { ChatCompletionRequest } from "../../protocols/chat-completions/wire-request.ts";
import { EmbeddingList, EmbeddingRequest } from "../../protocols/embeddings/wire-request.ts";
import * as gemini from "../../protocols/gemini/wire-answer.ts";
import { GenerateContentRequest } from "../../protocols/gemini/wire-request.ts";
import { ImageEditRequest, ImageEvent, ImageList, ImageRequest } from "../../protocols/images/wire-request.ts";
import * as messages from "../../protocols/messages/wire-answer.ts";
import { CountTokensRequest, Message, MessagesRequest } from "../../protocols/messages/wire-request.ts";
import { ModerationRequest, ModerationResult } from "../../protocols/moderations/wire-request.ts";
import { RerankRequest, RerankResult } from "../../protocols/rerank/wire-request.ts";
import {
  CompactedResponse,
  InputTokenCount,
  OutputItem,
  ResponseObject,
  ResponseStreamEvent,
  ResponseUsage,
} from "../../protocols/responses/wire-answer.ts";
import { ResponsesRequest } from "../../protocols/responses/wire-request.ts";
import { SpeechEvent, SpeechRequest } from "../../protocols/speech/wire-request.ts";
import {
  TranscriptEvent,
  Transcription,
  TranscriptionRequest,
  TranslationRequest,
} from "../../protocols/transcription/wire-request.ts";
import * as account from "./schemas/account.ts";
import { Components, type NamedSchema } from "./schemas/components.ts";
import * as decisions from "./schemas/decisions.ts";
import * as documented from "./schemas/documented-requests.ts";
import { EitherStyleError, StyleAError, StyleBError, StyleCError } from "./schemas/errors.ts";
import * as models from "./schemas/models.ts";
import {
  CHAT_MEMBERS,
  COMPLETION_MEMBERS,
  EMBEDDING_MEMBERS,
  GEMINI_MEMBERS,
  IMAGE_MEMBERS,
  MESSAGES_MEMBERS,
  MODERATION_MEMBERS,
  RERANK_MEMBERS,
  RESPONSES_MEMBERS,
  SPEECH_MEMBERS,
  TRANSCRIPTION_MEMBERS,
} from "./schemas/request-members.ts";

/** All schemas that have a name in the document. */
export function namedSchemas(): Components {
  const { DocumentedResponsesRequest, DocumentedMessagesRequest, DocumentedCountRequest } = documented;
  const { DecisionsRequest, DecisionMessage, DecisionQuestion, Decision, DecisionAnswer, DecisionUsage } = decisions;
  const { SystemOneRequest, SystemOneQuestion, SystemOneDecision, SystemOneAnswer } = decisions;
  return new Components([
    ...named({ ChatCompletionRequest }, CHAT_MEMBERS),
    ...named({ ChatMessage, ChatCompletion, ChatCompletionChunk, ChatUsage }),
    ...written({ ResponsesRequest }, DocumentedResponsesRequest, RESPONSES_MEMBERS),
    ...named({ InputItem: documented.InputItem, ResponseObject, CompactedResponse, InputTokenCount, OutputItem }),
    ...named({ ResponseUsage, ResponseStreamEvent }),
    ...written({ MessagesRequest }, DocumentedMessagesRequest, MESSAGES_MEMBERS),
    ...written({ CountTokensRequest }, DocumentedCountRequest, MESSAGES_MEMBERS),
    ...written({ MessageParam: Message }, documented.DocumentedMessage),
    ...named({ Message: messages.MessageObject, MessageStreamEvent: messages.MessageStreamEvent }),
    ...named({ ContentBlock: messages.ContentBlock, MessageUsage: messages.MessageUsage }),
    ...named({ TokenCount: messages.TokenCount }),
    ...named({ EmbeddingRequest }, EMBEDDING_MEMBERS),
    ...named({ EmbeddingList }),
    ...written({ GenerateContentRequest }, documented.DocumentedGenerateContent, GEMINI_MEMBERS),
    ...named({ GenerateContentAnswer: gemini.GenerateContentAnswer, Candidate: gemini.Candidate }),
    ...named({ GeminiTokenCount: gemini.GeminiTokenCount, GeminiModel: models.GeminiModelObject }),
    ...named({ GeminiModelList: models.GeminiModelList }),
    ...named({ SpeechRequest }, SPEECH_MEMBERS),
    ...named({ SpeechEvent }),
    ...named({ TranscriptionRequest, TranslationRequest }, TRANSCRIPTION_MEMBERS),
    ...named({ Transcription, TranscriptEvent }),
    ...named({ ImageRequest, ImageEditRequest }, IMAGE_MEMBERS),
    ...named({ ImageList, ImageEvent }),
    ...named({ CompletionRequest }, COMPLETION_MEMBERS),
    ...named({ Completion }),
    ...named({ RerankRequest }, RERANK_MEMBERS),
    ...named({ RerankResult }),
    ...named({ ModerationRequest }, MODERATION_MEMBERS),
    ...named({ ModerationResult }),
    ...named({ DecisionsRequest, DecisionMessage, DecisionQuestion, Decision, DecisionAnswer, DecisionUsage }),
    ...named({ SystemOneRequest, SystemOneQuestion, SystemOneDecision, SystemOneAnswer }),
    ...named({ Model: models.ModelObject, ModelList: models.ModelList, Capabilities: models.Capabilities }),
    ...named({ Usage: account.UsageObject, UsageWindow: account.UsageWindow, Credits: account.CreditsObject }),
    ...named({ Key: account.KeyObject, Generation: account.GenerationObject, Request: account.RequestObject }),
    ...named({ RefusedRequest: account.RefusedRequestObject, RequestPrice: account.ReceiptPrice }),
    ...named({ RequestUsage: account.ReceiptUsage, RequestAttempt: account.ReceiptAttempt }),
    ...named({ StyleAError, StyleBError, StyleCError, Error: EitherStyleError }),
  ]);
}

type Schemas = Readonly<Record<string, object>>;
type Descriptions = Readonly<Record<string, string>>;

function named(schemas: Schemas, descriptions?: Descriptions): NamedSchema[] {
  return Object.entries(schemas).map(([name, schema]) => ({ name, schema, ...(descriptions && { descriptions }) }));
}

/** A schema that the document shows as another. */
function written(schema: Schemas, shown: object, descriptions?: Descriptions): NamedSchema[] {
  return named(schema, descriptions).map((each) => ({ ...each, written: shown }));
}
