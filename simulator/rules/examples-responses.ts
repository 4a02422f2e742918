import type { Example } from "./example.ts";

const HI = { role: "user", content: "Hi" };
const CALL = { type: "function_call", call_id: "c1", name: "f", arguments: "{}" };
const OUTPUT = { type: "function_call_output", call_id: "c1", output: "1" };
const REASONING = { type: "reasoning", id: "rs_1", summary: [] };
const OPEN = { type: "object", properties: { a: { type: "string" } } };

export const RESPONSES_EXAMPLES: readonly Example[] = [
  {
    row: "parameters that it does not know",
    body: { stop: ["x"] },
    says: "Unknown parameter: 'stop'.",
    code: "unknown_parameter",
    param: "stop",
  },
  { row: "a request that asks nothing", body: { input: undefined }, says: 'One of \\"input\\" or' },
  {
    row: "members of an item that it does not know",
    body: { input: [HI, { ...REASONING, status: null }, { role: "assistant", content: "x" }, HI] },
    says: "Unknown parameter: 'input[1].status'.",
    param: "input[1].status",
  },
  {
    row: "ids of items that begin in another way than its own",
    body: { input: [HI, { ...CALL, id: "call_1" }, OUTPUT] },
    says: "Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'.",
  },
  {
    row: "one item twice",
    body: {
      input: [
        { ...HI, id: "msg_1" },
        { ...HI, id: "msg_1" },
      ],
    },
    says: "Duplicate item found with id msg_1.",
  },
  {
    row: "ids of calls above 64 characters",
    body: { input: [HI, { ...CALL, call_id: "c".repeat(65) }, { ...OUTPUT, call_id: "c".repeat(65) }] },
    says: "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
    code: "string_above_max_length",
  },
  {
    row: "what a user says in an answer's message",
    body: { input: [HI, { role: "assistant", content: [{ type: "input_text", text: "x" }] }, HI] },
    says: "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    param: "input[1].content[0]",
  },
  {
    row: "images that are none",
    body: {
      input: [{ role: "user", content: [{ type: "input_image", image_url: "data:application/pdf;base64,AA" }] }],
    },
    says: "Expected a base64-encoded data URL with an image MIME type",
  },
  {
    row: "images that are none",
    body: { input: [{ role: "user", content: [{ type: "input_image", image_url: "cat.png" }] }] },
    says: "Expected a valid URL, but got a value with an invalid format.",
  },
  {
    row: "calls without their outputs",
    body: { input: [HI, CALL, HI] },
    says: "No tool output found for function call c1.",
    param: "input",
  },
  {
    row: "outputs without their calls",
    body: { input: [HI, OUTPUT] },
    says: "No tool call found for function call output with call_id c1.",
  },
  {
    row: "reasoning without what it led to",
    body: { input: [HI, REASONING, HI] },
    says: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    code: null,
  },
  {
    row: "a cap below 16, and other numbers out of their range",
    body: { max_output_tokens: 10 },
    says: "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 10 instead.",
    code: "integer_below_min_value",
  },
  {
    row: "more than 128 tools",
    body: { tools: Array.from({ length: 129 }, () => ({ type: "function", name: "f", parameters: OPEN })) },
    says: "Invalid 'tools': array too long.",
  },
  {
    row: "names of functions beyond letters, digits, _ and -, or above 64 characters",
    body: { tools: [{ type: "function", name: "a.b" }] },
    says: "Invalid 'tools[0].name': string does not match pattern.",
  },
  {
    row: "schemas of functions that are no objects, have lists without items, or are not as strict as they say",
    body: { tools: [{ type: "function", name: "f", parameters: OPEN, strict: true }] },
    says: "Invalid schema for function 'f': In context=(), 'additionalProperties' is required to be supplied and to be false.",
    code: "invalid_function_parameters",
  },
  {
    row: "a choice among tools where there are none",
    body: { tool_choice: "required" },
    says: "Tool choice 'required' must be specified with 'tools' parameter.",
  },
  {
    row: "metadata beyond 16 pairs, or with long names or values",
    body: { metadata: { a: "v".repeat(513) } },
    says: "Invalid 'metadata.a': string too long. Expected a string with maximum length 512",
  },
  {
    row: "ids of users and caches above 64 characters",
    body: { safety_identifier: "k".repeat(65) },
    says: "Invalid 'safety_identifier': string too long.",
  },
  {
    row: "JSON without a schema where no message of the input speaks of JSON",
    body: { instructions: "Answer in JSON.", text: { format: { type: "json_object" } } },
    says: "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
  },
  {
    row: "names of formats beyond letters, digits, _ and -",
    body: { text: { format: { type: "json_schema", name: "a b", schema: OPEN } } },
    says: "Invalid 'text.format.name': string does not match pattern.",
  },
  {
    row: "formats whose schema is no object, or not as strict as it says",
    body: { text: { format: { type: "json_schema", name: "a", schema: OPEN, strict: true } } },
    says: "Invalid schema for response_format 'a': In context=(), 'additionalProperties' is required",
    code: "invalid_json_schema",
  },
  { row: "empty lists of content", body: { input: [{ role: "user", content: [] }] }, says: "empty array" },
  {
    row: "temperature and top_p",
    model: "echo@like=openai-reasoning",
    body: { temperature: 0.2 },
    says: "Unsupported parameter: 'temperature' is not supported with this model.",
    code: null,
    param: "temperature",
  },
  {
    row: "log-probabilities",
    model: "echo@like=openai-reasoning",
    body: { top_logprobs: 2 },
    says: "logprobs are not supported with reasoning models.",
  },
];
