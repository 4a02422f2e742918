import type { Example } from "./example.ts";

const HI = { role: "user", parts: [{ text: "Hi" }] };
const CALLS = { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] };
const RESULT = { role: "user", parts: [{ functionResponse: { name: "f", response: {} } }] };
const declare = (...functionDeclarations: object[]) => ({ tools: [{ functionDeclarations }] });

export const GEMINI_EXAMPLES: readonly Example[] = [
  {
    row: "a conversation without contents",
    body: { contents: [] },
    says: "* GenerateContentRequest.contents: contents is not specified",
  },
  {
    row: "contents without parts",
    body: { contents: [{ role: "user", parts: [] }] },
    says: "Unable to submit request because it must include at least one parts field",
  },
  {
    row: "parts that hold nothing",
    body: { contents: [{ role: "user", parts: [{ text: "" }] }] },
    says: "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one initialized field",
  },
  {
    row: "calls that follow an answer, or nothing",
    body: { contents: [CALLS, RESULT] },
    says: "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
  },
  {
    row: "results that do not follow their calls",
    body: { contents: [HI, RESULT] },
    says: "Please ensure that function response turn comes immediately after a function call turn.",
  },
  {
    row: "names of functions that do not begin with a letter or _, or with other signs than _ . : -",
    body: declare({ name: "1" }, { name: "f" }, { name: "a b" }),
    says: "* GenerateContentRequest.tools[0].function_declarations[2].name: Invalid function name.",
  },
  {
    row: "two functions of one name",
    body: declare({ name: "f" }, { name: "f" }),
    says: "Duplicate function declaration found: f",
  },
  {
    row: "keywords of a schema in `parameters` that are not of its subset, and lists without items there",
    body: declare({ name: "f", parameters: { type: "object", additionalProperties: false } }),
    says: "Cannot find field.",
  },
  {
    row: "`const` in a JSON schema",
    body: declare({ name: "f", parametersJsonSchema: { type: "object", properties: { a: { const: 1 } } } }),
    says: "unsupported keyword",
  },
  {
    row: "references beside other keywords of a schema",
    body: declare({ name: "f", parametersJsonSchema: { properties: { a: { $ref: "#/$defs/a", title: "t" } } } }),
    says: "$ref '#/$defs/a' was set alongside unsupported fields.",
  },
  {
    row: "references to what is no definition of the schema",
    body: declare({ name: "f", parametersJsonSchema: { properties: { a: { anyOf: [{}, { $ref: "#/$defs/a" }] } } } }),
    says: "reference to undefined schema at schema.properties.a.anyOf.1",
  },
  {
    row: "values of a schema that are neither texts nor numbers",
    body: { generationConfig: { responseJsonSchema: { type: "object", properties: { a: { enum: ["a", null] } } } } },
    says: "Invalid value at 'schema.properties.a.enum': only strings and numbers are supported.",
  },
  {
    row: "definitions that require themselves",
    body: declare({
      name: "f",
      parametersJsonSchema: {
        properties: { n: { $ref: "#/$defs/N" } },
        $defs: { N: { type: "object", properties: { next: { $ref: "#/$defs/N" } }, required: ["next"] } },
      },
    }),
    says: "Cyclic reference in the required property 'next' of N.",
  },
  {
    row: "names of allowed functions where none must be called",
    body: {
      ...declare({ name: "f" }),
      toolConfig: { functionCallingConfig: { mode: "AUTO", allowedFunctionNames: ["f"] } },
    },
    says: "Allowed function names should only be set when the function calling mode is ANY or VALIDATED.",
  },
  {
    row: "media of types that it cannot read",
    body: { contents: [{ role: "user", parts: [{ inlineData: { mimeType: "image/svg+xml", data: "AA" } }] }] },
    says: "Unsupported MIME type: image/svg+xml",
  },
  {
    row: "numbers out of their range",
    body: { generationConfig: { temperature: 3 } },
    says: "Unable to submit request because it has a temperature value of 3 but the supported range is from 0 (inclusive) to 2 (inclusive).",
  },
  {
    row: "penalties",
    body: { generationConfig: { presencePenalty: 0.5 } },
    says: "Penalty is not enabled for this model",
  },
  {
    row: "JSON beside functions",
    model: "echo@like=gemini-2.5",
    body: { ...declare({ name: "f" }), generationConfig: { responseMimeType: "application/json" } },
    says: "Function calling with a response mime type: 'application/json' is unsupported",
  },
  {
    row: "levels of thinking",
    model: "echo@like=gemini-2.5",
    body: { generationConfig: { thinkingConfig: { thinkingLevel: "low" } } },
    says: "Thinking level is not supported for this model.",
  },
  {
    row: "media in the results of functions",
    model: "echo@like=gemini-2.5",
    body: {
      contents: [
        HI,
        CALLS,
        { role: "user", parts: [{ functionResponse: { name: "f", response: {}, parts: [{ inlineData: {} }] } }] },
      ],
    },
    says: "Multimodal function responses are not supported for this model.",
  },
];

const HELLO = { role: "user", content: [{ text: "Hi" }] };
const use = (toolUseId: string) => ({ toolUse: { toolUseId, name: "f", input: {} } });
const result = (toolUseId: string) => ({ toolResult: { toolUseId, content: [{ text: "1" }] } });
const spec = (name: string, more: object = {}) => ({
  toolSpec: { name, inputSchema: { json: { type: "object" } }, ...more },
});
const POINT = { cachePoint: { type: "default" } };
const talk = (...messages: object[]) => ({ messages, toolConfig: { tools: [spec("f")] } });

export const BEDROCK_EXAMPLES: readonly Example[] = [
  {
    row: "names of tools beyond letters, digits, _ and -, or above 64 characters, and empty descriptions",
    body: { toolConfig: { tools: [spec("a.b")] } },
    says: "1 validation error detected: Value 'a.b' at 'toolConfig.tools.1.member.toolSpec.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
  },
  {
    row: "names of tools beyond letters, digits, _ and -, or above 64 characters, and empty descriptions",
    body: { toolConfig: { tools: [spec("f", { description: "" })] } },
    says: "Member must have length greater than or equal to 1",
  },
  {
    row: "schemas of tools that are no objects, or unions at the top for Anthropic's models",
    body: { toolConfig: { tools: [spec("f", { inputSchema: { json: { oneOf: [] } } })] } },
    says: "The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the following: object.",
  },
  {
    row: "schemas of tools that are no objects, or unions at the top for Anthropic's models",
    model: "anthropic.echo",
    body: { toolConfig: { tools: [spec("f", { inputSchema: { json: { type: "object", oneOf: [] } } })] } },
    says: "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
  },
  {
    row: "one id for calls of several turns, for Anthropic's models",
    model: "anthropic.echo",
    body: talk(
      HELLO,
      { role: "assistant", content: [use("a")] },
      { role: "user", content: [result("a")] },
      { role: "assistant", content: [use("a")] },
      { role: "user", content: [result("a")] },
    ),
    says: "messages: `tool_use` ids must be unique",
  },
  {
    row: "two tools of one name",
    body: { toolConfig: { tools: [spec("f"), spec("f")] } },
    says: "duplicate tool names: f",
  },
  {
    row: "ids of calls beyond letters, digits and _ . : -, or above 64 characters",
    body: talk(HELLO, { role: "assistant", content: [use("a b")] }, { role: "user", content: [result("a b")] }),
    says: "Value 'a b' at 'messages.2.member.content.1.member.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+",
  },
  {
    row: "one id for two calls or two results of a turn",
    body: talk(
      HELLO,
      { role: "assistant", content: [use("a")] },
      { role: "user", content: [result("a"), result("a")] },
    ),
    says: "The toolResult blocks at messages.2.content contain duplicate Ids: a",
  },
  {
    row: "blocks of text that are blank",
    body: { messages: [{ role: "user", content: [{ text: " " }] }] },
    says: "The text field in the ContentBlock object at messages.0.content.0 is blank. Add text to the text field, and try again.",
  },
  {
    row: "a last answer that ends in white space",
    model: "anthropic.echo",
    body: { messages: [HELLO, { role: "assistant", content: [{ text: "So " }] }] },
    says: "messages: final assistant content cannot end with trailing whitespace",
  },
  {
    row: "more than four points of a cache",
    body: { messages: [{ role: "user", content: [1, 2, 3, 4, 5].flatMap((n) => [{ text: String(n) }, POINT]) }] },
    says: "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  },
  {
    row: "results and media in an answer",
    body: talk(HELLO, { role: "assistant", content: [{ image: {} }] }, HELLO),
    says: "The image block at messages.1 is not supported in a message with the assistant role.",
  },
];
