import type { GenerationRequest, Message, SystemMessage, TextPart, UserMessage } from "../../core/generation.ts";
import { asReminder } from "../shared/substitute-texts.ts";

/**
 * A request whose system messages amid the conversation became user text at their place (docs/rulings.md 160). The text
 * joins the user message before it, else the user message after it, so that turns still alternate.
 */
export function systemAsReminders(request: GenerationRequest): GenerationRequest {
  if (!request.messages.some(isInPlace)) return request;
  const messages: Message[] = [];
  let reminders: TextPart[] = [];
  for (const message of request.messages) {
    if (isInPlace(message)) {
      for (const part of message.content) if (part.text.trim() !== "") reminders.push(reminder(part));
      continue;
    }
    const last = messages.at(-1);
    if (reminders.length === 0) messages.push(message);
    else if (last?.role === "user") messages.splice(-1, 1, withContent(last, [...last.content, ...reminders]), message);
    else if (message.role === "user") messages.push(withContent(message, [...reminders, ...message.content]));
    else messages.push({ role: "user", content: reminders }, message);
    reminders = [];
  }
  const last = messages.at(-1);
  if (reminders.length > 0 && last?.role === "user")
    messages[messages.length - 1] = withContent(last, [...last.content, ...reminders]);
  else if (reminders.length > 0) messages.push({ role: "user", content: reminders });
  return { ...request, messages };
}

function isInPlace(message: Message): message is SystemMessage {
  return message.role === "system" && message.in_place === true;
}

function reminder(part: TextPart): TextPart {
  return { ...part, text: asReminder(part.text) };
}

function withContent(message: UserMessage, content: UserMessage["content"]): UserMessage {
  return { ...message, content };
}
