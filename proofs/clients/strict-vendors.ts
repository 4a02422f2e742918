import type { VendorProtocol } from "./protocols.ts";

/**
 * Known vendors that refuse a conversation whose thoughts or signatures do not come back as they want them, with the
 * simulator's name for the rules of each (simulator/protocols/strictness.ts).
 */
export const STRICT_VENDORS: readonly {
  readonly id: string;
  readonly protocol: VendorProtocol;
  readonly replay: string;
}[] = [
  { id: "deepseek", protocol: "chat-completions", replay: "deepseek" },
  { id: "moonshotai", protocol: "chat-completions", replay: "moonshot" },
  { id: "groq", protocol: "chat-completions", replay: "groq" },
  { id: "google", protocol: "chat-completions", replay: "google" },
  { id: "zai", protocol: "messages", replay: "deepseek" },
];
