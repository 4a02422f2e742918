import type { Example } from "./example.ts";

const HI = { role: "user", content: "Hi" };
const LONG_ID = `call_${"x".repeat(40)}`;
const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
const fn = (more: object = {}) => ({ type: "function", function: { name: "f", ...more } });
const OPEN = { type: "object", properties: { a: { type: "string" } } };
const part = (block: object) => [{ role: "user", content: [block] }];

export const CHAT_EXAMPLES: readonly Example[] = [
  {
    row: "arguments that it does not know",
    body: { top_k: 3, foo: 1 },
    says: "Unrecognized request arguments supplied: top_k, foo",
    code: null,
  },
  {
    row: "members of a message that it does not know",
    body: { messages: [HI, { role: "assistant", content: "x", reasoning_content: "y" }, HI] },
    says: "Unknown parameter: 'messages[1].reasoning_content'.",
    code: "unknown_parameter",
    param: "messages[1].reasoning_content",
  },
  {
    row: "both names of the cap at once",
    body: { max_tokens: 5, max_completion_tokens: 5 },
    says: "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
  },
  {
    row: "ids of calls above 40 characters",
    body: {
      messages: [
        HI,
        { role: "assistant", content: null, tool_calls: [call(LONG_ID)] },
        { role: "tool", tool_call_id: LONG_ID, content: "1" },
      ],
    },
    says: "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 45 instead.",
    code: "string_above_max_length",
  },
  {
    row: "an answer with calls whose results do not follow",
    body: { messages: [HI, { role: "assistant", content: null, tool_calls: [call("a"), call("b")] }, HI] },
    says: "The following tool_call_ids did not have response messages: a, b",
    param: "messages.[2].role",
  },
  {
    row: "content of null where there is nothing else",
    body: { messages: [{ role: "user", content: null }] },
    says: "Invalid value for 'content': expected a string, got null.",
    param: "messages.[0].content",
  },
  {
    row: "empty lists of content",
    body: { messages: [{ role: "user", content: [] }] },
    says: "Invalid 'messages[0].content': empty array.",
    code: "empty_array",
  },
  {
    row: "images outside of a user's message",
    body: { messages: [{ role: "system", content: [{ type: "image_url", image_url: { url: "https://x.example" } }] }] },
    says: "Image URLs are only allowed for messages with role 'user'",
  },
  {
    row: "blocks of content of an unknown type",
    body: { messages: part({ type: "smell" }) },
    says: "Invalid value: 'smell'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'.",
    code: "invalid_value",
  },
  {
    row: "images in formats that it cannot read",
    body: { messages: part({ type: "image_url", image_url: { url: "data:image/svg+xml;base64,AAAA" } }) },
    says: "You uploaded an unsupported image.",
    code: "invalid_image_format",
  },
  {
    row: "files by value that are no PDF",
    body: { messages: part({ type: "file", file: { filename: "a.txt", file_data: "data:text/plain;base64,AAAA" } }) },
    says: "got unsupported MIME type 'text/plain'",
  },
  {
    row: "names of people with white space or brackets",
    body: { messages: [{ ...HI, name: "Ann Lee" }] },
    says: "Invalid 'messages[0].name': string does not match pattern.",
  },
  { row: "an empty list of tools, or more than 128", body: { tools: [] }, says: "Invalid 'tools': empty array." },
  {
    row: "an empty list of tools, or more than 128",
    body: { tools: Array.from({ length: 129 }, () => fn()) },
    says: "Expected an array with maximum length 128, but got an array with length 129 instead.",
    code: "array_above_max_length",
  },
  {
    row: "names of functions beyond letters, digits, _ and -, or above 64 characters",
    body: { tools: [fn({ name: "a.b" })] },
    says: "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    code: "invalid_value",
  },
  {
    row: "schemas of functions that are no objects, have lists without items, or are not as strict as they say",
    body: { tools: [fn({ parameters: { type: "object", properties: { a: { type: "array" } } } })] },
    says: "Invalid schema for function 'f': In context=('properties', 'a'), array schema missing items.",
    code: "invalid_function_parameters",
  },
  {
    row: "schemas of functions that are no objects, have lists without items, or are not as strict as they say",
    body: { tools: [fn({ parameters: {} })] },
    says: "Invalid schema for function 'f': schema must be a JSON Schema of 'type:",
  },
  {
    row: "schemas of functions that are no objects, have lists without items, or are not as strict as they say",
    body: { tools: [fn({ parameters: { type: "object", anyOf: [{ required: ["a"] }] } })] },
    says: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
  },
  {
    row: "settings of tools where there are none",
    body: { tool_choice: "required" },
    says: "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
  },
  {
    row: "stop sequences above four",
    body: { stop: ["1", "2", "3", "4", "5"] },
    says: "Invalid 'stop': array too long. Expected an array with maximum length 4",
  },
  {
    row: "metadata beyond 16 pairs, or with long names or values",
    body: { store: true, metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, "v"])) },
    says: "Expected an object with at most 16 properties, but got an object with 17 properties instead.",
    code: "object_above_max_properties",
  },
  {
    row: "metadata of what is not stored",
    body: { metadata: { a: "b" } },
    says: "The 'metadata' parameter is only allowed when 'store' is enabled.",
  },
  {
    row: "numbers out of their range",
    body: { temperature: 2.5 },
    says: "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 2.5 instead.",
    code: "decimal_above_max_value",
  },
  {
    row: "ids of users and caches above 64 characters",
    body: { prompt_cache_key: "k".repeat(65) },
    says: "Invalid 'prompt_cache_key': string too long.",
  },
  {
    row: "options of a stream where there is none",
    body: { stream_options: { include_usage: true } },
    says: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  },
  {
    row: "JSON without a schema where no message speaks of JSON",
    body: { response_format: { type: "json_object" } },
    says: "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    param: "messages",
    code: null,
  },
  {
    row: "names of formats beyond letters, digits, _ and -",
    body: { response_format: { type: "json_schema", json_schema: { name: "a b", schema: OPEN } } },
    says: "Invalid 'response_format.json_schema.name': string does not match pattern.",
  },
  {
    row: "strict formats whose schema is not",
    body: { response_format: { type: "json_schema", json_schema: { name: "a", strict: true, schema: OPEN } } },
    says: "Invalid schema for response_format 'a': In context=(), 'additionalProperties' is required to be supplied and to be false.",
    param: "response_format",
  },
  {
    row: "the older name of the cap",
    model: "echo@like=openai-reasoning",
    body: { max_tokens: 5 },
    says: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    code: "unsupported_parameter",
  },
  {
    row: "another temperature or top_p than 1",
    model: "echo@like=openai-reasoning",
    body: { temperature: 0.5 },
    says: "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
    code: "unsupported_value",
  },
  {
    row: "penalties, stop sequences, biases and log-probabilities",
    model: "echo@like=openai-reasoning",
    body: { logprobs: true },
    says: "Unsupported parameter: 'logprobs' is not supported with this model.",
  },
  {
    row: "arguments that it does not know",
    model: "echo@like=mistral",
    body: { store: false },
    says: '"type":"extra_forbidden"',
    status: 422,
  },
  {
    row: "roles that it does not know",
    model: "echo@like=mistral",
    body: { messages: [{ role: "developer", content: "x" }, HI] },
    says: "Input tag 'developer' found using 'role'",
    status: 422,
  },
  {
    row: "ids of calls that are not nine letters and digits",
    model: "echo@like=mistral",
    body: {
      messages: [
        HI,
        { role: "assistant", content: null, tool_calls: [call("call_1")] },
        { role: "tool", tool_call_id: "call_1", content: "1" },
      ],
    },
    says: "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.",
  },
  {
    row: "a user's message right after a tool's result",
    model: "echo@like=mistral",
    body: {
      messages: [
        HI,
        { role: "assistant", content: null, tool_calls: [call("abcdefghi")] },
        { role: "tool", tool_call_id: "abcdefghi", content: "1" },
        HI,
      ],
    },
    says: "Unexpected role 'user' after role 'tool'",
  },
  {
    row: "a conversation that ends with an answer, unless it is marked as the beginning of the next",
    model: "echo@like=mistral",
    body: { messages: [HI, { role: "assistant", content: "x" }] },
    says: "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
  },
  {
    row: "calls and results of different number",
    model: "echo@like=mistral",
    body: { messages: [HI, { role: "assistant", content: null, tool_calls: [call("abcdefghi")] }, HI] },
    says: "Not the same number of function calls and responses",
  },
  {
    row: "arguments that it does not know",
    model: "echo@like=groq",
    body: { reasoning: {} },
    says: "property 'reasoning' is unsupported",
  },
  {
    row: "members of a message that it does not know",
    model: "echo@like=groq",
    body: { messages: [HI, { role: "assistant", content: "x", reasoning_content: "y" }, HI] },
    says: "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
  },
  {
    row: "reasoning in a message under a name that it does not know",
    model: "echo@like=cerebras",
    body: { messages: [HI, { role: "assistant", content: "x", reasoning_content: "y" }, HI] },
    says: "messages.1.assistant.reasoning_content: property 'messages.1.assistant.reasoning_content' is unsupported",
  },
  {
    row: "roles that it does not know",
    model: "echo@like=deepseek",
    body: { messages: [{ role: "developer", content: "x" }, HI] },
    says: "unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`",
  },
  {
    row: "content that is no text",
    model: "echo@like=deepseek",
    body: { messages: part({ type: "image_url", image_url: { url: "https://x.example" } }) },
    says: "unknown variant `image_url`, expected `text`",
  },
  {
    row: "formats with a schema",
    model: "echo@like=deepseek",
    body: { response_format: { type: "json_schema", json_schema: { name: "a", schema: OPEN } } },
    says: "This response_format type is unavailable now",
  },
  {
    row: "answers that say nothing and call nothing",
    model: "echo@like=moonshot",
    body: { messages: [HI, { role: "assistant", content: "" }, HI] },
    says: "the message at position 1 with role 'assistant' must not be empty",
  },
  {
    row: "names of functions that do not begin with a letter",
    model: "echo@like=moonshot",
    body: { tools: [fn({ name: "1f" })] },
    says: "function name is invalid, must start with a letter",
  },
  {
    row: "penalties and stop sequences",
    model: "echo@like=xai-reasoning",
    body: { presence_penalty: 1 },
    says: "Argument not supported on this model: presencePenalty",
  },
  {
    row: "arguments that it does not know",
    model: "echo@like=google",
    body: { seed: 1 },
    says: 'Unknown name \\"seed\\": Cannot find field.',
  },
];
