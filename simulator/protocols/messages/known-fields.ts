/**
 * The members that the API knows, including beta members. Source: the request types of Anthropic's own client, which
 * are generated from the API.
 */

export const PARAMETERS: ReadonlySet<string> = new Set([
  ...["model", "messages", "max_tokens", "cache_control", "container", "diagnostics", "inference_geo", "metadata"],
  ...["output_config", "output_format", "service_tier", "speed", "stop_sequences", "stream", "system", "temperature"],
  ...["thinking", "tool_choice", "tools", "top_k", "top_p", "user_profile_id", "workspace_id", "billing_policy"],
  ...["compaction", "context_management", "fallback_credit_token", "fallbacks", "mcp_servers", "thread"],
]);

/** The last two belong to system messages amid a conversation. */
export const MESSAGE: ReadonlySet<string> = new Set(["role", "content", "output_config", "clear_at"]);

export const BLOCKS: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(["type", "text", "cache_control", "citations"]),
  image: new Set(["type", "source", "cache_control"]),
  document: new Set(["type", "source", "cache_control", "citations", "context", "title"]),
  tool_use: new Set(["type", "id", "name", "input", "cache_control", "caller"]),
  tool_result: new Set(["type", "tool_use_id", "content", "is_error", "cache_control"]),
  thinking: new Set(["type", "thinking", "signature"]),
  redacted_thinking: new Set(["type", "data"]),
};

export const TOOL: ReadonlySet<string> = new Set([
  ...["type", "name", "description", "input_schema", "cache_control", "strict", "input_examples", "defer_loading"],
  ...["allowed_callers", "eager_input_streaming"],
]);
