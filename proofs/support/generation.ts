import type { GenerationRequest, Message } from "../../src/core/answer/generation.ts";

/** A neutral request with a test's fields. */
export function generation(request: Partial<GenerationRequest> = {}): GenerationRequest {
  return { model: "acme/swift", stream: false, messages: [user("Hi")], tools: [], extras: {}, ...request };
}

export function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}
