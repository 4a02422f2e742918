import type { ModelName } from "../../model-name.ts";
import { type Complaint, firstOf, type Rule, unknownOf } from "../../rules/rule.ts";
import { isObject, type Json, objectsOf, textOf } from "../read.ts";
import { OPENAI_REASONING_RULES, OPENAI_RULES } from "./rules.ts";

/**
 * The rules of the vendor that a model imitates: `echo@like=mistral`. Default: OpenAI's rules. `@like=any` and judges
 * with constrained output have no rules: they imitate servers that ignore unknown fields.
 */
export function rulesOf({ params }: ModelName): readonly Rule[] {
  return CHAT_DIALECTS[params.text("like", params.has("constrained") ? "any" : "openai")] ?? [];
}

/** Source: Mistral's API reference (`additionalProperties: false`), and the error objects in public reports. */
const MISTRAL: readonly Rule[] = [
  {
    refuses: "arguments that it does not know",
    find: ({ body }) => {
      const unknown = unknownOf(body, MISTRAL_ARGUMENTS);
      if (unknown.length === 0) return null;
      const detail = unknown.map((name) => ({
        type: "extra_forbidden",
        loc: ["body", name],
        msg: "Extra inputs are not permitted",
        input: body[name],
      }));
      return { message: "Extra inputs are not permitted", status: 422, body: { detail } };
    },
  },
  {
    refuses: "roles that it does not know",
    find: ({ body }) =>
      firstOf(objectsOf(body.messages).entries(), ([index, { role }]) => {
        if (MISTRAL_ROLES.includes(textOf(role))) return null;
        const msg = `Input tag '${String(role)}' found using 'role' does not match any of the expected tags: 'system', 'user', 'assistant', 'tool'`;
        const detail = [{ type: "union_tag_invalid", loc: ["body", "messages", index], msg }];
        return { message: msg, status: 422, body: { detail } };
      }),
  },
  {
    // anomalyco/opencode#1680, karthink/gptel#1203.
    refuses: "ids of calls that are not nine letters and digits",
    find: ({ body }) =>
      firstOf(idsIn(body), (id) =>
        /^[a-zA-Z0-9]{9}$/.test(id)
          ? null
          : mistralError(
              `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
              "invalid_function_call",
              "3280",
            ),
      ),
  },
  {
    // datapizza-labs/datapizza-ai#98, charmbracelet/crush#279.
    refuses: "a user's message right after a tool's result",
    find: ({ body }) => {
      const roles = objectsOf(body.messages).map(({ role }) => role);
      const wrong = roles.some((role, index) => role === "user" && roles[index - 1] === "tool");
      return wrong ? mistralOrder("Unexpected role 'user' after role 'tool'") : null;
    },
  },
  {
    refuses: "a conversation that ends with an answer, unless it is marked as the beginning of the next",
    find: ({ body }) => {
      const last = objectsOf(body.messages).at(-1);
      if (last?.role !== "assistant" || last.prefix === true) return null;
      return mistralOrder(
        "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
      );
    },
  },
  {
    refuses: "calls and results of different number",
    find: ({ body }) => {
      const messages = objectsOf(body.messages);
      const calls = messages.reduce((sum, { tool_calls }) => sum + objectsOf(tool_calls).length, 0);
      const results = messages.filter(({ role }) => role === "tool").length;
      return calls === results ? null : mistralOrder("Not the same number of function calls and responses");
    },
  },
];

const MISTRAL_ARGUMENTS: ReadonlySet<string> = new Set([
  ...["model", "messages", "temperature", "top_p", "max_tokens", "stream", "stop", "random_seed", "metadata"],
  ...["response_format", "tools", "tool_choice", "presence_penalty", "frequency_penalty", "n", "prediction"],
  ...["parallel_tool_calls", "prompt_mode", "reasoning_effort", "safe_prompt", "guardrails", "prompt_cache_key"],
]);
const MISTRAL_ROLES = ["system", "user", "assistant", "tool"];

function mistralError(message: string, type: string, code: string): Complaint {
  return { message, code, body: { object: "error", message, type, param: null, code } };
}

function mistralOrder(message: string): Complaint {
  return mistralError(message, "invalid_request_message_order", "3230");
}

/** Source: janhq/jan#8136, karthink/gptel#774, musistudio/claude-code-router#1204. */
const GROQ: readonly Rule[] = [
  {
    refuses: "arguments that it does not know",
    find: ({ body }) => {
      const [unknown] = unknownOf(body, GROQ_ARGUMENTS);
      return unknown === undefined ? null : { message: `property '${unknown}' is unsupported` };
    },
  },
  {
    refuses: "members of a message that it does not know",
    find: ({ body }) =>
      firstOf(objectsOf(body.messages).entries(), ([index, message]) => {
        const [unknown] = unknownOf(message, GROQ_MESSAGE);
        if (unknown === undefined) return null;
        const place = `'messages.${index}'`;
        return {
          message: `${place} : for 'role:${textOf(message.role)}' the following must be satisfied[(${place} : property '${unknown}' is unsupported)]`,
        };
      }),
  },
];

const GROQ_MESSAGE: ReadonlySet<string> = new Set(["role", "content", "name", "tool_calls", "tool_call_id", "refusal"]);
const GROQ_ARGUMENTS: ReadonlySet<string> = new Set([
  ...["model", "messages", "temperature", "top_p", "max_tokens", "max_completion_tokens", "stream", "stream_options"],
  ...["stop", "seed", "tools", "tool_choice", "parallel_tool_calls", "response_format", "reasoning_effort", "user"],
  ...["reasoning_format", "include_reasoning", "service_tier", "metadata", "store", "presence_penalty"],
  ...["frequency_penalty", "functions", "function_call", "search_settings", "compound_custom", "documents"],
  ...["citation_options", "disable_tool_validation", "safety_identifier", "prompt_cache_key", "verbosity"],
]);

/** Source: Kilo-Org/kilocode#10375, CherryHQ/cherry-studio#16790. */
const CEREBRAS: readonly Rule[] = [
  {
    refuses: "reasoning in a message under a name that it does not know",
    find: ({ body }) =>
      firstOf(objectsOf(body.messages).entries(), ([index, message]) => {
        if (!("reasoning_content" in message)) return null;
        const place = `messages.${index}.${textOf(message.role)}.reasoning_content`;
        const text = `${place}: property '${place}' is unsupported`;
        const error = { type: "invalid_request_error", param: "validation_error", code: "wrong_api_format" };
        return { message: text, body: { message: text, ...error } };
      }),
  },
];

/** Source: DeepSeek's API reference; the sentences are from its JSON parser, in public reports. */
const DEEPSEEK: readonly Rule[] = [
  {
    refuses: "roles that it does not know",
    find: ({ body }) =>
      firstOf(objectsOf(body.messages).entries(), ([index, { role }]) =>
        DEEPSEEK_ROLES.includes(textOf(role))
          ? null
          : unknownVariant(`messages[${index}].role`, String(role), DEEPSEEK_ROLES),
      ),
  },
  {
    refuses: "content that is no text",
    find: ({ body }) =>
      firstOf(objectsOf(body.messages).entries(), ([index, { content }]) => {
        const part = objectsOf(content).find(({ type }) => type !== "text");
        return part === undefined ? null : unknownVariant(`messages[${index}]`, String(part.type), ["text"]);
      }),
  },
  {
    refuses: "formats with a schema",
    find: ({ body }) =>
      isObject(body.response_format) && body.response_format.type === "json_schema"
        ? { message: "This response_format type is unavailable now" }
        : null,
  },
];

const DEEPSEEK_ROLES = ["system", "user", "assistant", "tool", "latest_reminder"];

function unknownVariant(place: string, found: string, expected: readonly string[]): Complaint {
  const list = expected.map((name) => `\`${name}\``).join(", ");
  return {
    message: `Failed to deserialize the JSON body into the target type: ${place}: unknown variant \`${found}\`, expected ${expected.length > 1 ? "one of " : ""}${list} at line 1 column 1`,
    code: "invalid_request_error",
  };
}

/** Source: public reports of Moonshot's error objects. */
const MOONSHOT: readonly Rule[] = [
  {
    refuses: "answers that say nothing and call nothing",
    find: ({ body }) =>
      firstOf(objectsOf(body.messages).entries(), ([index, { role, content, tool_calls }]) =>
        role === "assistant" && (content === "" || content === null) && objectsOf(tool_calls).length === 0
          ? { message: `Invalid request: the message at position ${index} with role 'assistant' must not be empty` }
          : null,
      ),
  },
  {
    refuses: "names of functions that do not begin with a letter",
    find: ({ body }) =>
      firstOf(objectsOf(body.tools), ({ function: declared }) =>
        isObject(declared) && !/^[a-zA-Z][a-zA-Z0-9_-]*$/.test(textOf(declared.name))
          ? {
              message:
                "Invalid request: function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes",
            }
          : null,
      ),
  },
];

/** Source: xAI's guide to reasoning models, and public reports of its error objects. */
const XAI_REASONING: readonly Rule[] = [
  {
    refuses: "penalties and stop sequences",
    find: ({ body }) =>
      firstOf(
        [
          ["presence_penalty", "presencePenalty"],
          ["frequency_penalty", "frequencyPenalty"],
          ["stop", "stop"],
        ] as const,
        ([name, said]) => {
          if (body[name] === undefined || body[name] === null) return null;
          const error = `Argument not supported on this model: ${said}`;
          return { message: error, body: { code: "Client specified an invalid argument", error } };
        },
      ),
  },
];

/**
 * Source: the errors of Google's compatibility layer in public reports; the layer parses requests into the types of
 * Google's own API.
 */
const GOOGLE: readonly Rule[] = [
  {
    refuses: "arguments that it does not know",
    find: ({ body }) => {
      const [unknown] = unknownOf(body, GOOGLE_ARGUMENTS);
      if (unknown === undefined) return null;
      const message = `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`;
      return { message, body: [{ error: { code: 400, message, status: "INVALID_ARGUMENT" } }] };
    },
  },
];

const GOOGLE_ARGUMENTS: ReadonlySet<string> = new Set([
  ...["model", "messages", "temperature", "top_p", "max_tokens", "max_completion_tokens", "stream", "stream_options"],
  ...["stop", "n", "tools", "tool_choice", "parallel_tool_calls", "response_format", "reasoning_effort", "user"],
  ...["modalities", "audio", "extra_body", "service_tier", "logprobs", "top_logprobs", "safety_identifier"],
]);

/** Every table, by its `@like` name. */
export const CHAT_DIALECTS: Readonly<Record<string, readonly Rule[]>> = {
  openai: OPENAI_RULES,
  "openai-reasoning": [...OPENAI_REASONING_RULES, ...OPENAI_RULES],
  mistral: MISTRAL,
  groq: GROQ,
  cerebras: CEREBRAS,
  deepseek: DEEPSEEK,
  moonshot: MOONSHOT,
  "xai-reasoning": XAI_REASONING,
  google: GOOGLE,
};

/** A message's calls and the calls that it answers. */
function* idsIn(body: Json): Generator<string> {
  for (const { tool_calls, tool_call_id } of objectsOf(body.messages)) {
    for (const { id } of objectsOf(tool_calls)) yield textOf(id);
    if (tool_call_id !== undefined) yield textOf(tool_call_id);
  }
}
