import type { ChatStyle } from "../endpoints.ts";
import { asObject } from "../wire/failure.ts";
import { chatBody, readChatEvent } from "./chat-completions.ts";
import type { ChatRequest } from "./chat-request.ts";
import type { Draft } from "./draft.ts";
import { messagesBody, readMessagesEvent } from "./messages.ts";
import { readResponsesEvent, responsesBody } from "./responses.ts";
import type { Body } from "./turns.ts";

/** How a style writes a request, and how its stream is read. */
interface ChatProtocol {
  readonly body: (asked: ChatRequest) => Body;
  readonly read: (draft: Draft, event: Record<string, unknown>) => void;
}

export const PROTOCOLS: Readonly<Record<ChatStyle, ChatProtocol>> = {
  chat: { body: chatBody, read: readChatEvent },
  responses: { body: responsesBody, read: readResponsesEvent },
  messages: { body: messagesBody, read: readMessagesEvent },
};

/** Whether an event of any style says that the answer failed. */
export function isFailureEvent(event: Record<string, unknown>): boolean {
  return event.type === "error" || event.type === "response.failed" || "message" in asObject(event.error);
}
