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
import { Components } from "./schemas/components.ts";
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
  return new Components([
    { name: "ChatCompletionRequest", schema: ChatCompletionRequest, descriptions: CHAT_MEMBERS },
    { name: "ChatMessage", schema: ChatMessage },
    { name: "ChatCompletion", schema: ChatCompletion },
    { name: "ChatCompletionChunk", schema: ChatCompletionChunk },
    { name: "ChatUsage", schema: ChatUsage },
    {
      name: "ResponsesRequest",
      schema: ResponsesRequest,
      written: documented.DocumentedResponsesRequest,
      descriptions: RESPONSES_MEMBERS,
    },
    { name: "InputItem", schema: documented.InputItem },
    { name: "ResponseObject", schema: ResponseObject },
    { name: "CompactedResponse", schema: CompactedResponse },
    { name: "InputTokenCount", schema: InputTokenCount },
    { name: "OutputItem", schema: OutputItem },
    { name: "ResponseUsage", schema: ResponseUsage },
    { name: "ResponseStreamEvent", schema: ResponseStreamEvent },
    {
      name: "MessagesRequest",
      schema: MessagesRequest,
      written: documented.DocumentedMessagesRequest,
      descriptions: MESSAGES_MEMBERS,
    },
    {
      name: "CountTokensRequest",
      schema: CountTokensRequest,
      written: documented.DocumentedCountRequest,
      descriptions: MESSAGES_MEMBERS,
    },
    { name: "MessageParam", schema: Message, written: documented.DocumentedMessage },
    { name: "Message", schema: messages.MessageObject },
    { name: "MessageStreamEvent", schema: messages.MessageStreamEvent },
    { name: "ContentBlock", schema: messages.ContentBlock },
    { name: "MessageUsage", schema: messages.MessageUsage },
    { name: "TokenCount", schema: messages.TokenCount },
    { name: "EmbeddingRequest", schema: EmbeddingRequest, descriptions: EMBEDDING_MEMBERS },
    { name: "EmbeddingList", schema: EmbeddingList },
    {
      name: "GenerateContentRequest",
      schema: GenerateContentRequest,
      written: documented.DocumentedGenerateContent,
      descriptions: GEMINI_MEMBERS,
    },
    { name: "GenerateContentAnswer", schema: gemini.GenerateContentAnswer },
    { name: "Candidate", schema: gemini.Candidate },
    { name: "GeminiTokenCount", schema: gemini.GeminiTokenCount },
    { name: "GeminiModel", schema: models.GeminiModelObject },
    { name: "GeminiModelList", schema: models.GeminiModelList },
    { name: "SpeechRequest", schema: SpeechRequest, descriptions: SPEECH_MEMBERS },
    { name: "SpeechEvent", schema: SpeechEvent },
    { name: "TranscriptionRequest", schema: TranscriptionRequest, descriptions: TRANSCRIPTION_MEMBERS },
    { name: "TranslationRequest", schema: TranslationRequest, descriptions: TRANSCRIPTION_MEMBERS },
    { name: "Transcription", schema: Transcription },
    { name: "TranscriptEvent", schema: TranscriptEvent },
    { name: "ImageRequest", schema: ImageRequest, descriptions: IMAGE_MEMBERS },
    { name: "ImageEditRequest", schema: ImageEditRequest, descriptions: IMAGE_MEMBERS },
    { name: "ImageList", schema: ImageList },
    { name: "ImageEvent", schema: ImageEvent },
    { name: "CompletionRequest", schema: CompletionRequest, descriptions: COMPLETION_MEMBERS },
    { name: "Completion", schema: Completion },
    { name: "RerankRequest", schema: RerankRequest, descriptions: RERANK_MEMBERS },
    { name: "RerankResult", schema: RerankResult },
    { name: "ModerationRequest", schema: ModerationRequest, descriptions: MODERATION_MEMBERS },
    { name: "ModerationResult", schema: ModerationResult },
    { name: "DecisionsRequest", schema: decisions.DecisionsRequest },
    { name: "DecisionMessage", schema: decisions.DecisionMessage },
    { name: "DecisionQuestion", schema: decisions.DecisionQuestion },
    { name: "Decision", schema: decisions.Decision },
    { name: "DecisionAnswer", schema: decisions.DecisionAnswer },
    { name: "DecisionUsage", schema: decisions.DecisionUsage },
    { name: "SystemOneRequest", schema: decisions.SystemOneRequest },
    { name: "SystemOneQuestion", schema: decisions.SystemOneQuestion },
    { name: "SystemOneDecision", schema: decisions.SystemOneDecision },
    { name: "SystemOneAnswer", schema: decisions.SystemOneAnswer },
    { name: "Model", schema: models.ModelObject },
    { name: "ModelList", schema: models.ModelList },
    { name: "Capabilities", schema: models.Capabilities },
    { name: "Usage", schema: account.UsageObject },
    { name: "UsageWindow", schema: account.UsageWindow },
    { name: "Credits", schema: account.CreditsObject },
    { name: "Key", schema: account.KeyObject },
    { name: "Generation", schema: account.GenerationObject },
    { name: "Request", schema: account.RequestObject },
    { name: "RefusedRequest", schema: account.RefusedRequestObject },
    { name: "RequestPrice", schema: account.ReceiptPrice },
    { name: "RequestUsage", schema: account.ReceiptUsage },
    { name: "RequestAttempt", schema: account.ReceiptAttempt },
    { name: "StyleAError", schema: StyleAError },
    { name: "StyleBError", schema: StyleBError },
    { name: "StyleCError", schema: StyleCError },
    { name: "Error", schema: EitherStyleError },
  ]);
}
