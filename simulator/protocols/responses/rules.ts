import type { ModelName } from "../../model-name.ts";
import { schemaFault } from "../../rules/openai-schema.ts";
import {
  emptyList,
  IMAGE_TYPES,
  invalidValue,
  outOfRange,
  tooLongList,
  tooLongText,
  unknownParameter,
  unlikePattern,
  wrongMetadata,
} from "../../rules/openai-words.ts";
import { type Complaint, firstOf, type Rule, unknownOf } from "../../rules/rule.ts";
import { isObject, type Json, objectsOf, textOf } from "../read.ts";

/**
 * The rules of the requested model: `@like=openai-reasoning` accepts no sampling; `@like=any` has no rules, like other
 * vendors' servers.
 */
export function rulesOf({ params }: ModelName): readonly Rule[] {
  const like = params.text("like", "openai");
  if (like === "any") return [];
  return like === "openai-reasoning" ? [...RESPONSES_REASONING_RULES, ...RESPONSES_RULES] : RESPONSES_RULES;
}

/**
 * The requests that OpenAI refuses on responses. Source: its API reference for the limits, and for the sentences the
 * error objects in public reports of its clients; where a row's words come from one report, the row names it.
 */
export const RESPONSES_RULES: readonly Rule[] = [
  {
    refuses: "parameters that it does not know",
    find: ({ body }) => {
      const [unknown] = unknownOf(body, PARAMETERS);
      return unknown === undefined ? null : unknownParameter(unknown);
    },
  },
  {
    refuses: "a request that asks nothing",
    find: ({ body }) =>
      ["input", "previous_response_id", "prompt", "conversation"].some((name) => isGiven(body[name]))
        ? null
        : {
            message: "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided.",
            param: "input",
            code: "missing_required_parameter",
          },
  },
  {
    // BerriAI/litellm#13420, 1jehuang/jcode#1028, pydantic/pydantic-ai#3653.
    refuses: "members of an item that it does not know",
    find: ({ body }) =>
      firstOf(itemsOf(body), ({ item, at }) => {
        const known = ITEMS[textOf(item.type ?? "message")];
        const [unknown] = known === undefined ? [] : unknownOf(item, known);
        return unknown === undefined ? null : unknownParameter(`${at}.${unknown}`);
      }),
  },
  {
    refuses: "ids of items that begin in another way than its own",
    find: ({ body }) =>
      firstOf(itemsOf(body), ({ item, at }) => {
        const begins = ID_BEGINNINGS[textOf(item.type ?? "message")];
        if (begins === undefined || typeof item.id !== "string" || item.id.startsWith(begins)) return null;
        return {
          message: `Invalid '${at}.id': '${item.id}'. Expected an ID that begins with '${begins}'.`,
          param: `${at}.id`,
          code: "invalid_value",
        };
      }),
  },
  {
    refuses: "one item twice",
    find: ({ body }) => {
      const seen = new Set<string>();
      return firstOf(itemsOf(body), ({ item, at }) => {
        if (typeof item.id !== "string" || item.type === "item_reference") return null;
        if (!seen.has(item.id)) return seen.add(item.id) && null;
        const message = `Duplicate item found with id ${item.id}. Remove duplicate items from your input and try again.`;
        return { message, param: `${at}.id` };
      });
    },
  },
  {
    // openai/codex#14355, AnswerDotAI/fastllm#45.
    refuses: "ids of calls above 64 characters",
    find: ({ body }) => firstOf(itemsOf(body), ({ item, at }) => tooLongText(`${at}.call_id`, item.call_id, LONGEST)),
  },
  {
    refuses: "what a user says in an answer's message",
    find: ({ body }) =>
      firstOf(itemsOf(body), ({ item, at }) => {
        if (item.role !== "assistant") return null;
        const parts = [...objectsOf(item.content).entries()];
        return firstOf(parts, ([index, { type }]) =>
          ANSWER_PARTS.includes(textOf(type))
            ? null
            : invalidValue(`${at}.content[${index}]`, String(type), ["output_text", "refusal"]),
        );
      }),
  },
  {
    refuses: "images that are none",
    find: ({ body }) =>
      firstOf(imagesOf(body), ({ url, at }) => {
        const type = /^data:([^;,]*)/.exec(url)?.[1];
        if (type === undefined) return URL.canParse(url) ? null : invalidUrl(at);
        if (IMAGE_TYPES.has(type)) return null;
        return {
          message: `Invalid '${at}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got unsupported MIME type '${type}'.`,
          param: at,
          code: "invalid_value",
        };
      }),
  },
  {
    // LangChain's and the Agents SDK's own checks quote this sentence; the API names the first call.
    refuses: "calls without their outputs",
    find: ({ body }) => {
      const items = objectsOf(body.input);
      const answered = new Set(items.filter(isOutput).map(({ call_id }) => textOf(call_id)));
      const open = items.find(({ type, call_id }) => CALLS.has(textOf(type)) && !answered.has(textOf(call_id)));
      if (open === undefined) return null;
      const what = open.type === "custom_tool_call" ? "custom tool call" : "function call";
      return { message: `No tool output found for ${what} ${textOf(open.call_id)}.`, param: "input" };
    },
  },
  {
    refuses: "outputs without their calls",
    find: ({ body }) => {
      if (isGiven(body.previous_response_id) || isGiven(body.conversation)) return null;
      const items = objectsOf(body.input);
      // A reference may stand for the call.
      if (items.some(({ type }) => type === "item_reference")) return null;
      const called = new Set(items.filter(({ type }) => CALLS.has(textOf(type))).map(({ call_id }) => textOf(call_id)));
      const stray = items.find((item) => isOutput(item) && !called.has(textOf(item.call_id)));
      if (stray === undefined) return null;
      const what = stray.type === "custom_tool_call_output" ? "custom tool call" : "function call";
      const message = `No tool call found for ${what} output with call_id ${textOf(stray.call_id)}.`;
      return { message, param: "input" };
    },
  },
  {
    // continuedev/continue#8933, vercel/ai#7099, openai/openai-node#1567.
    refuses: "reasoning without what it led to",
    find: ({ body }) => {
      const items = objectsOf(body.input);
      return firstOf(items.entries(), ([index, item]) => {
        if (item.type !== "reasoning") return null;
        const next = items.slice(index + 1).find(({ type }) => type !== "reasoning");
        if (next !== undefined && isOfAnAnswer(next)) return null;
        const message = `Item '${String(item.id)}' of type 'reasoning' was provided without its required following item.`;
        return { message, param: "input" };
      });
    },
  },
  {
    // vectorize-io/hindsight#58, UKGovernmentBEIS/inspect_evals#694.
    refuses: "a cap below 16, and other numbers out of their range",
    find: ({ body }) =>
      firstOf(RANGES, ([name, least, most, kind]) => outOfRange(name, body[name], { least, most, kind })),
  },
  { refuses: "more than 128 tools", find: ({ body }) => tooLongList("tools", body.tools, MOST_TOOLS) },
  {
    refuses: "names of functions beyond letters, digits, _ and -, or above 64 characters",
    find: ({ body }) =>
      firstOf(functionsOf(body), ({ tool, at }) => {
        const place = `${at}.name`;
        return unlikePattern(place, tool.name, NAME) ?? tooLongText(place, tool.name, LONGEST);
      }),
  },
  {
    refuses: "schemas of functions that are no objects, have lists without items, or are not as strict as they say",
    find: ({ body }) =>
      firstOf(functionsOf(body), ({ tool, at }) => {
        const fault = schemaFault(tool.parameters, tool.strict === true);
        if (fault === null) return null;
        const message = `Invalid schema for function '${textOf(tool.name)}': ${fault}`;
        return { message, param: `${at}.parameters`, code: "invalid_function_parameters" };
      }),
  },
  {
    refuses: "a choice among tools where there are none",
    find: ({ body }) => {
      const has_tools = objectsOf(body.tools).length > 0;
      if (has_tools || !isGiven(body.tool_choice) || body.tool_choice === "none" || body.tool_choice === "auto")
        return null;
      const choice = isObject(body.tool_choice) ? textOf(body.tool_choice.type) : String(body.tool_choice);
      return choice === "required"
        ? { message: "Tool choice 'required' must be specified with 'tools' parameter.", param: "tool_choice" }
        : { message: `Tool choice '${choice}' not found in 'tools' parameter.`, param: "tool_choice" };
    },
  },
  {
    refuses: "metadata beyond 16 pairs, or with long names or values",
    find: ({ body }) => wrongMetadata(body.metadata),
  },
  {
    refuses: "ids of users and caches above 64 characters",
    find: ({ body }) =>
      firstOf(["safety_identifier", "prompt_cache_key", "user"], (name) => tooLongText(name, body[name], LONGEST)),
  },
  {
    // The instructions do not count here, unlike chat's system message.
    refuses: "JSON without a schema where no message of the input speaks of JSON",
    find: ({ body }) =>
      formatOf(body).type === "json_object" && !/json/i.test(JSON.stringify(body.input ?? ""))
        ? {
            message:
              "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
            param: "input",
          }
        : null,
  },
  {
    refuses: "names of formats beyond letters, digits, _ and -",
    find: ({ body }) => {
      const { name } = formatOf(body);
      return unlikePattern("text.format.name", name, NAME) ?? tooLongText("text.format.name", name, LONGEST);
    },
  },
  {
    refuses: "formats whose schema is no object, or not as strict as it says",
    find: ({ body }) => {
      const { name, schema, strict } = formatOf(body);
      const fault = schemaFault(schema, strict === true);
      if (fault === null) return null;
      const message = `Invalid schema for response_format '${textOf(name)}': ${fault}`;
      return { message, param: "text.format.schema", code: "invalid_json_schema" };
    },
  },
  {
    refuses: "empty lists of content",
    find: ({ body }) => firstOf(itemsOf(body), ({ item, at }) => emptyList(`${at}.content`, item.content)),
  },
];

/** The requests that only reasoning models refuse. Source: OpenHands/software-agent-sdk#1837. */
export const RESPONSES_REASONING_RULES: readonly Rule[] = [
  {
    refuses: "temperature and top_p",
    find: ({ body }) =>
      firstOf(["temperature", "top_p"], (name) =>
        isGiven(body[name]) && body[name] !== 1
          ? { message: `Unsupported parameter: '${name}' is not supported with this model.`, param: name }
          : null,
      ),
  },
  {
    refuses: "log-probabilities",
    find: ({ body }) =>
      isGiven(body.top_logprobs) || includes(body, "message.output_text.logprobs")
        ? { message: "logprobs are not supported with reasoning models.", param: "include" }
        : null,
  },
];

const PARAMETERS: ReadonlySet<string> = new Set([
  ...["model", "input", "instructions", "access_programs", "background", "context_management", "conversation", "image"],
  ...["include", "max_output_tokens", "max_tool_calls", "metadata", "moderation", "parallel_tool_calls"],
  ...["previous_response_id", "prompt", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"],
  ...["reasoning", "safety_identifier", "service_tier", "store", "stream", "stream_options", "temperature", "text"],
  // `client_metadata` is a field that Codex sends.
  ...["tool_choice", "tools", "top_logprobs", "top_p", "truncation", "user", "client_metadata"],
]);
const CALL = ["type", "id", "call_id", "name", "status", "namespace", "caller"];
const OUTPUT = ["type", "id", "call_id", "output", "status", "caller", "name"];
const ITEMS: Readonly<Record<string, ReadonlySet<string>>> = {
  message: new Set(["type", "id", "role", "content", "status", "phase"]),
  function_call: new Set([...CALL, "arguments"]),
  custom_tool_call: new Set([...CALL, "input"]),
  function_call_output: new Set(OUTPUT),
  custom_tool_call_output: new Set(OUTPUT),
  reasoning: new Set(["type", "id", "summary", "content", "encrypted_content"]),
};
const ID_BEGINNINGS: Readonly<Record<string, string>> = {
  message: "msg",
  function_call: "fc",
  custom_tool_call: "ctc",
  reasoning: "rs",
};
const CALLS: ReadonlySet<string> = new Set(["function_call", "custom_tool_call"]);
const ANSWER_PARTS = ["output_text", "refusal"];
const LONGEST = 64;
const MOST_TOOLS = 128;
const NAME = /^[a-zA-Z0-9_-]+$/;
const RANGES = [
  ["max_output_tokens", 16, Number.POSITIVE_INFINITY, "integer"],
  ["top_logprobs", 0, 20, "integer"],
  ["temperature", 0, 2, "decimal"],
  ["top_p", 0, 1, "decimal"],
] as const;

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function includes({ include }: Json, what: string): boolean {
  return Array.isArray(include) && include.includes(what);
}

function isOutput({ type }: Json): boolean {
  return type === "function_call_output" || type === "custom_tool_call_output";
}

/** Whether an item belongs to an answer: all items except a user's messages and outputs do. */
function isOfAnAnswer(item: Json): boolean {
  return !isOutput(item) && (item.role === undefined || item.role === "assistant");
}

function* itemsOf(body: Json): Generator<{ readonly item: Json; readonly at: string }> {
  for (const [index, item] of objectsOf(body.input).entries()) yield { item, at: `input[${index}]` };
}

function* imagesOf(body: Json): Generator<{ readonly url: string; readonly at: string }> {
  for (const { item, at } of itemsOf(body)) {
    for (const name of ["content", "output"]) {
      for (const [index, part] of objectsOf(item[name]).entries()) {
        if (typeof part.image_url === "string") yield { url: part.image_url, at: `${at}.${name}[${index}].image_url` };
      }
    }
  }
}

function invalidUrl(param: string): Complaint {
  return {
    message: `Invalid '${param}'. Expected a valid URL, but got a value with an invalid format.`,
    param,
    code: "invalid_value",
  };
}

function* functionsOf(body: Json): Generator<{ readonly tool: Json; readonly at: string }> {
  for (const [index, tool] of objectsOf(body.tools).entries()) {
    if (tool.type === "function") yield { tool, at: `tools[${index}]` };
  }
}

function formatOf({ text }: Json): Json {
  return isObject(text) && isObject(text.format) ? text.format : {};
}
