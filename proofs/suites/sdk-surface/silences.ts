/**
 * What may have no effect on a way and is not named there, each kind with its reason (docs/rulings.md 75). A new member
 * that fits none of these has to be read, relayed, named or refused.
 */

export interface Silence {
  readonly what: RegExp;
  readonly why: string;
}

/** Members of requests, in translation. */
export const SILENT_IN_TRANSLATION: readonly Silence[] = [
  { what: /^(?!.*parallel_tool_calls).* = false$/, why: "false asks for nothing" },
  { what: / = "(auto|default|standard|standard_only|disabled|medium)"$/, why: "asks for what happens anyway" },
  {
    what: /\.(n = number|modalities = \["text"\]|allowed_callers = \["direct"\])$/,
    why: "asks for what happens anyway",
  },
  { what: /\.(parallel_tool_calls = true|ttl = "5m"|type = "(message|custom)")$/, why: "asks for what happens anyway" },
  { what: /format = (ResponseFormatText|.*\.Text)$/, why: "text is the usual format" },
  {
    what: / = (Beta)?(Reasoning|ResponseTextConfig|OutputConfig|ThinkingConfigAdaptive|CitationsConfigParam)$/,
    why: "says nothing without members",
  },
  {
    what: /\.(stream|stream_options|include_usage|include_obfuscation) = /,
    why: "the gateway itself delivers the answer",
  },
  { what: /\.stop(_sequences)? = /, why: "the gateway itself ends the answer there" },
  {
    what: /^(ResponseOutput|ResponseFunctionToolCall|ResponseCustomToolCall|(Beta)?ToolUse|(Beta)?ToolResult).*\.(id|status|phase|async|caller|toolset_name|annotations|logprobs) = /,
    why: "what an earlier answer says of itself is for its vendor alone",
  },
  {
    what: /^(EasyInputMessage|ResponseInputItem\.\w+)\.(id|status|phase|caller) = /,
    why: "bookkeeping of the history",
  },
  { what: /^ResponseToolSearchOutputItemParam\.(id|call_id|execution|status) = /, why: "its tools are declared" },
  {
    what: /^ResponseInputItem\.FunctionCallOutput\.(name|namespace) = /,
    why: "the call's id says which call it answers",
  },
  { what: /(\.caller_id|ToolCaller\w*\.tool_id) = /, why: "bookkeeping of the history" },
  { what: /^ResponseOutputText\.\w+(\.\w+)+ = /, why: "sources and probabilities of an earlier answer" },
  {
    what: /^(Beta)?TextBlockParam\.citations = |^(Beta)?Citation\w*Location\w*\./,
    why: "sources of an earlier answer",
  },
  {
    what: /ResponseReasoningItem|^(Beta)?(Redacted)?ThinkingBlockParam\./,
    why: "thoughts belong to their vendor (192)",
  },
  {
    what: /^Reasoning\.(generate_)?summary = |ThinkingConfig\w+\.display = /,
    why: "the answer shows thoughts so, or none",
  },
  { what: /\.include = \["reasoning\.encrypted_content"\]$/, why: "the answer brings it" },
  { what: /ThinkingConfigEnabled\.budget_tokens = /, why: "a budget becomes an effort" },
  { what: /AllowedToolChoice$|ToolChoiceAllowed$|Allowed\w*\.tools = /, why: "all given tools are allowed" },
  { what: /JSONSchema(Config)?\.(name|description|strict) = /, why: "formats there have no names, and always hold" },
  {
    what: /(File(Content)?\.filename|(DocumentBlockParam|RequestDocumentBlock)\.title) = /,
    why: "files there have no names",
  },
  { what: /NamespaceTool\.description = /, why: "a namespace is a part of its tools' names there" },
  { what: /^ResponseInput(Image|File)(Content)?\.file_id = /, why: "the data itself stands beside it" },
  { what: /\.messages = \[ChatCompletion(Developer|System)MessageParam\]$/, why: "one kind of instructions there" },
  { what: /\.top_logprobs = /, why: "asks for nothing without logprobs" },
  { what: /SystemMessageParam\.clear_at = /, why: "the gateway keeps or clears by it" },
  { what: /ToolReferenceBlockParam\.cache_control = /, why: "a result has one hint" },
];

/** Members of requests, on relay. */
export const SILENT_ON_RELAY: readonly Silence[] = [
  { what: /\.include_usage = |\.stream_options = /, why: "every stream is asked for its usage" },
];

/** Members of answers, on relay. */
export const SILENT_IN_ANSWERS: readonly Silence[] = [
  { what: /Usage/, why: "the usage is the one that is billed" },
  { what: /\.(\w*index|sequence_number|item_id) = /, why: "places are the gateway's, by the names of items" },
  { what: /^ResponseErrorEvent\./, why: "a failure is told by the gateway" },
  { what: /^Response\.(id|status) = |\.role = "\w+"$/, why: "an answer has an id, an end and the assistant's role" },
];
