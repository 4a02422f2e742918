import type { Example } from "./example.ts";

const HI = { role: "user", content: "Hi" };
const use = (id: string) => ({ type: "tool_use", id, name: "f", input: {} });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "1" });
const TOOL = { name: "f", input_schema: { type: "object" } };
const talk = (...messages: object[]) => ({ messages, tools: [TOOL] });
const answers = (...content: object[]) => ({ role: "assistant", content });
const says = (...content: object[]) => ({ role: "user", content });
const text = (words: string) => ({ type: "text", text: words });
const CACHED = { cache_control: { type: "ephemeral" } };

export const MESSAGES_EXAMPLES: readonly Example[] = [
  { row: "parameters that it does not know", body: { n: 2 }, says: "n: Extra inputs are not permitted" },
  {
    row: "members of a message or a block that it does not know",
    body: { messages: [says({ ...text("x"), detail: "low" })] },
    says: "messages.0.content.0.text.detail: Extra inputs are not permitted",
  },
  {
    row: "members of a tool that it does not know",
    body: { tools: [{ ...TOOL, parameters: {} }] },
    says: "tools.0.custom.parameters: Extra inputs are not permitted",
  },
  {
    row: "members of metadata beside user_id, and one above 256 characters",
    body: { metadata: { team: "a" } },
    says: "metadata.team: Extra inputs are not permitted",
  },
  {
    row: "blocks of text that are empty or blank",
    body: { messages: [says(text(""))] },
    says: "messages: text content blocks must be non-empty",
  },
  {
    row: "blocks of text that are empty or blank",
    body: { system: [text(" ")] },
    says: "system: text content blocks must contain non-whitespace text",
  },
  {
    row: "turns that say nothing, except for a last answer",
    body: { messages: [HI, answers(), HI] },
    says: "messages.1: all messages must have non-empty content except for the optional final assistant message",
  },
  {
    row: "a last answer that ends in white space",
    body: { messages: [HI, answers(text("So "))] },
    says: "messages: final assistant content cannot end with trailing whitespace",
  },
  {
    row: "ids of calls beyond letters, digits, _ and -",
    body: talk(HI, answers(use("f:0")), says(result("f:0"))),
    says: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  },
  {
    row: "one id for two calls",
    body: talk(HI, answers(use("a")), says(result("a")), answers(use("a")), says(result("a"))),
    says: "messages: `tool_use` ids must be unique",
  },
  {
    row: "two results for one call",
    body: talk(HI, answers(use("a")), says(result("a"), result("a"))),
    says: "each tool_use must have a single result. Found multiple `tool_result` blocks with id: a",
  },
  {
    row: "images in formats that it cannot read",
    body: { messages: [says({ type: "image", source: { type: "base64", media_type: "image/bmp", data: "AA" } })] },
    says: "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
  },
  {
    row: "names of tools beyond letters, digits, _ and -, or above 128 characters",
    body: { tools: [{ ...TOOL, name: "a.b" }] },
    says: "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  },
  { row: "two tools of one name", body: { tools: [TOOL, TOOL] }, says: "tools: Tool names must be unique." },
  {
    row: "schemas of tools that are no objects, or unions at the top",
    body: { tools: [{ ...TOOL, input_schema: { type: "object", anyOf: [] } }] },
    says: "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
  },
  {
    row: "a choice among tools where there are none",
    body: { tool_choice: { type: "auto" } },
    says: "tool_choice: tool_choice may only be specified while providing tools.",
  },
  {
    row: "a choice of a tool that is not there",
    body: { tools: [TOOL], tool_choice: { type: "tool", name: "g" } },
    says: "Tool 'g' not found in provided tools",
  },
  {
    row: "more than four blocks that are to be cached",
    body: { messages: [says(...["1", "2", "3", "4", "5"].map((words) => ({ ...text(words), ...CACHED })))] },
    says: "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  },
  {
    row: "stop sequences of white space",
    body: { stop_sequences: ["\n"] },
    says: "stop_sequences: each stop sequence must contain non-whitespace",
  },
  { row: "a temperature above 1 or below 0", body: { temperature: 1.5 }, says: "temperature: range: 0..1" },
  {
    row: "forced calls and most sampling beside thinking",
    body: { thinking: { type: "adaptive" }, tools: [TOOL], tool_choice: { type: "any" } },
    says: "Thinking may not be enabled when tool_choice forces tool use.",
  },
  {
    row: "forced calls and most sampling beside thinking",
    body: { thinking: { type: "adaptive" }, temperature: 0 },
    says: "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.",
  },
  {
    row: "a budget for thinking where the answer that was begun has no thinking",
    body: { ...talk(HI, answers(use("a")), says(result("a"))), thinking: { type: "enabled", budget_tokens: 1024 } },
    says: "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
  },
  {
    row: "formats whose objects are open",
    body: { output_config: { format: { type: "json_schema", schema: { type: "object" } } } },
    says: "For 'object' type, 'additionalProperties' must be explicitly set to false",
  },
  {
    row: "temperature and top_p together",
    model: "echo@like=claude-4.5",
    body: { temperature: 0.5, top_p: 0.5 },
    says: "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
  },
  {
    row: "the beginning of an answer",
    model: "echo@like=claude-4.6",
    body: { messages: [HI, answers(text("So"))] },
    says: "This model does not support assistant message prefill. The conversation must end with a user message.",
  },
  {
    row: "temperature, top_p and top_k",
    model: "echo@like=claude-4.7",
    body: { temperature: 0 },
    says: "`temperature` is deprecated for this model.",
  },
  {
    row: "a budget for thinking",
    model: "echo@like=claude-4.7",
    body: { thinking: { type: "enabled", budget_tokens: 1024 } },
    says: 'thinking.type.enabled\\" is not supported for this model.',
  },
];
