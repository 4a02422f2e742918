import type { Endpoint, Fields, Json } from "./shape.ts";

/** How the three public styles of generation write what all of them have. */
export interface Style {
  readonly endpoint: Endpoint;
  readonly base: Fields;
  readonly say: (text: string) => Fields;
  readonly tool: (schema: Json, name: string) => Json;
  readonly format: (schema: Json) => Fields;
  readonly stop: (sequences: Json) => Fields;
}

export const CHAT: Style = {
  endpoint: "chat.completions",
  base: { model: "m", messages: [{ role: "user", content: "Hi" }] },
  say: (text) => ({ messages: [{ role: "user", content: text }] }),
  tool: (parameters, name) => ({ type: "function", function: { name, parameters, strict: true } }),
  format: (schema) => ({
    response_format: { type: "json_schema", json_schema: { name: "answer", schema, strict: true } },
  }),
  stop: (stop) => ({ stop }),
};
export const RESPONSES: Style = {
  endpoint: "responses",
  base: { model: "m", input: "Hi" },
  say: (text) => ({ input: [{ role: "user", content: [{ type: "input_text", text }] }] }),
  tool: (parameters, name) => ({ type: "function", name, parameters, strict: true }),
  format: (schema) => ({ text: { format: { type: "json_schema", name: "answer", schema, strict: true } } }),
  stop: () => ({}),
};
export const MESSAGES: Style = {
  endpoint: "messages",
  base: { model: "m", max_tokens: 100, messages: [{ role: "user", content: "Hi" }] },
  say: (text) => ({ messages: [{ role: "user", content: [{ type: "text", text }] }] }),
  tool: (input_schema, name) => ({ name, input_schema }),
  format: (schema) => ({ output_config: { format: { type: "json_schema", schema } } }),
  stop: (stop_sequences) => ({ stop_sequences }),
};
