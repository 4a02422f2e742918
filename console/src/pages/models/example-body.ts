import type { Json } from "../playground/code/literals.ts";
import type { Style } from "../playground/endpoints.ts";

/** The smallest request of each style that shows the style's use. */
export function exampleBody(style: Style, model: string): { [name: string]: Json } {
  const instructions = "Is the customer asking for a refund?";
  switch (style) {
    case "chat":
      return { model, messages: [{ role: "user", content: "Hello!" }], stream: true };
    case "responses":
      return { model, input: "Hello!", stream: true };
    case "messages":
      return { model, max_tokens: 1024, messages: [{ role: "user", content: "Hello!" }], stream: true };
    case "decisions":
      return {
        model,
        input: "My parcel never arrived. I want my money back.",
        questions: [{ type: "predicate", name: "refund", instructions }],
      };
    case "systemone":
      return {
        model,
        state: "My parcel never arrived. I want my money back.",
        questions: { refund: { type: "noul", instructions } },
      };
    case "images":
      return { model, prompt: "A lighthouse by the sea, as a woodcut" };
    case "speech":
      return { model, input: "The trains leave every hour.", voice: "coral", response_format: "wav" };
    case "embeddings":
      return { model, input: ["The first text.", "The second one."] };
    case "rerank":
      return { model, query: "When do trains leave?", documents: ["Trains leave hourly.", "Cats sleep."] };
  }
}
