import type { Protocol } from "../core/endpoints.ts";
import type { Way } from "../core/exchange.ts";
import { chatCompletions } from "../protocols/chat-completions/client.ts";
import { relayChatCompletions } from "../protocols/chat-completions/relay.ts";
import { messages } from "../protocols/messages/client.ts";
import { relayMessages } from "../protocols/messages/relay.ts";
import { relayResponses } from "../protocols/responses/relay.ts";
import { responses } from "../protocols/responses/client.ts";

/** The public styles, by route. */
export const clientProtocols = { "chat.completions": chatCompletions, responses, messages } as const;

const RELAYS: Partial<Record<Protocol, Way>> = {
  "chat-completions": relayChatCompletions,
  responses: relayResponses,
  messages: relayMessages,
};

/** The way from a client's protocol to a vendor's: relay where both are the same. */
export function wayBetween(client: Protocol, vendor: Protocol): Way | null {
  return client === vendor ? (RELAYS[client] ?? null) : null;
}
