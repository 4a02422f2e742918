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
 * The requests that OpenAI refuses on chat completions. Source: its API reference for the limits, and for the sentences
 * the error objects in public reports of its clients; where a row's words come from one report, the row names it.
 */
export const OPENAI_RULES: readonly Rule[] = [
  {
    // nashsu/llm_wiki#336, xlinx/sd-webui-decadetw-auto-prompt-llm#29.
    refuses: "arguments that it does not know",
    find: ({ body, thinks }) => {
      const unknown = unknownOf(body, thinks ? ARGUMENTS_WITH_THINKING : ARGUMENTS);
      if (unknown.length === 0) return null;
      return {
        message: `Unrecognized request argument${unknown.length > 1 ? "s" : ""} supplied: ${unknown.join(", ")}`,
      };
    },
  },
  {
    // transitive-bullshit/agentic#531, adamrushy/OpenAISwift#99: the older sentence of this refusal names the member
    // too.
    refuses: "members of a message that it does not know",
    find: ({ body, thinks }) =>
      firstOf(messagesOf(body), ({ message, at }) => {
        const [unknown] = unknownOf(message, thinks ? MESSAGE_WITH_REASONING : MESSAGE);
        return unknown === undefined ? null : unknownParameter(`${at}.${unknown}`);
      }),
  },
  {
    refuses: "both names of the cap at once",
    find: ({ body }) =>
      isGiven(body.max_tokens) && isGiven(body.max_completion_tokens)
        ? {
            message: "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
            param: "max_tokens",
            code: "invalid_parameter_combination",
          }
        : null,
  },
  {
    // vercel/ai#5171, agno-agi/agno#5382: the limit is 64 characters on responses and 40 on chat.
    refuses: "ids of calls above 40 characters",
    find: ({ body }) =>
      firstOf(messagesOf(body), ({ message, at }) => {
        const calls = [...objectsOf(message.tool_calls).entries()];
        return (
          firstOf(calls, ([index, { id }]) => tooLongText(`${at}.tool_calls[${index}].id`, id, LONGEST_CALL_ID)) ??
          tooLongText(`${at}.tool_call_id`, message.tool_call_id, LONGEST_CALL_ID)
        );
      }),
  },
  {
    refuses: "an answer with calls whose results do not follow",
    find: ({ body }) => unansweredCalls(objectsOf(body.messages)),
  },
  {
    refuses: "content of null where there is nothing else",
    find: ({ body }) =>
      firstOf(messagesOf(body), ({ message, index }) =>
        isGiven(message.content) ||
        message.role === "function" ||
        MAY_LACK_CONTENT.some((name) => isGiven(message[name]))
          ? null
          : {
              message: "Invalid value for 'content': expected a string, got null.",
              param: `messages.[${index}].content`,
            },
      ),
  },
  {
    refuses: "empty lists of content",
    find: ({ body }) => firstOf(messagesOf(body), ({ message, at }) => emptyList(`${at}.content`, message.content)),
  },
  {
    refuses: "images outside of a user's message",
    find: ({ body }) =>
      firstOf(partsOf(body), ({ part, message_at, role }) =>
        part.type !== "image_url" || role === "user"
          ? null
          : {
              message: `Invalid '${message_at}'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`,
              param: message_at,
              code: "invalid_value",
            },
      ),
  },
  {
    refuses: "blocks of content of an unknown type",
    find: ({ body }) =>
      firstOf(partsOf(body), ({ part, at }) =>
        PART_TYPES.includes(textOf(part.type)) ? null : invalidValue(`${at}.type`, String(part.type), PART_TYPES),
      ),
  },
  {
    refuses: "images in formats that it cannot read",
    find: ({ body }) =>
      firstOf(partsOf(body), ({ part }) => {
        const url = isObject(part.image_url) ? textOf(part.image_url.url) : "";
        const type = /^data:([^;,]*)/.exec(url)?.[1];
        return type === undefined || IMAGE_TYPES.has(type) ? null : UNSUPPORTED_IMAGE;
      }),
  },
  {
    // OpenAI's guide to files: chat completions accepts only PDFs; responses accepts other text files too.
    refuses: "files by value that are no PDF",
    find: ({ body }) =>
      firstOf(partsOf(body), ({ part, at }) => {
        const data = isObject(part.file) ? textOf(part.file.file_data) : "";
        const type = /^data:([^;,]*)/.exec(data)?.[1];
        if (type === undefined || type === "application/pdf") return null;
        return {
          message: `Invalid file data: '${at}.file.file_data'. Expected a base64-encoded data URL with an application/pdf MIME type (e.g. 'data:application/pdf;base64,aW1nIGJ5dGVzIGhlcmU='), but got unsupported MIME type '${type}'.`,
          param: `${at}.file.file_data`,
          code: "invalid_value",
        };
      }),
  },
  {
    refuses: "names of people with white space or brackets",
    find: ({ body }) =>
      firstOf(messagesOf(body), ({ message, at }) => unlikePattern(`${at}.name`, message.name, PERSON_NAME)),
  },
  {
    refuses: "an empty list of tools, or more than 128",
    find: ({ body }) => emptyList("tools", body.tools) ?? tooLongList("tools", body.tools, MOST_TOOLS),
  },
  {
    refuses: "names of functions beyond letters, digits, _ and -, or above 64 characters",
    find: ({ body }) =>
      firstOf(functionsOf(body), ({ declared, at }) => {
        const place = `${at}.name`;
        return unlikePattern(place, declared.name, NAME) ?? tooLongText(place, declared.name, LONGEST_NAME);
      }),
  },
  {
    refuses: "schemas of functions that are no objects, have lists without items, or are not as strict as they say",
    find: ({ body }) =>
      firstOf(functionsOf(body), ({ declared, at }) => {
        const fault = schemaFault(declared.parameters, declared.strict === true);
        if (fault === null) return null;
        const message = `Invalid schema for function '${textOf(declared.name)}': ${fault}`;
        return { message, param: `${at}.parameters`, code: "invalid_function_parameters" };
      }),
  },
  {
    refuses: "settings of tools where there are none",
    find: ({ body }) =>
      isGiven(body.tools)
        ? null
        : firstOf(["tool_choice", "parallel_tool_calls"], (name) =>
            isGiven(body[name])
              ? {
                  message: `Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`,
                  param: name,
                }
              : null,
          ),
  },
  {
    refuses: "stop sequences above four",
    find: ({ body }) => tooLongList("stop", body.stop, MOST_STOPS),
  },
  {
    refuses: "metadata beyond 16 pairs, or with long names or values",
    find: ({ body }) => wrongMetadata(body.metadata),
  },
  {
    refuses: "metadata of what is not stored",
    find: ({ body }) =>
      isObject(body.metadata) && Object.keys(body.metadata).length > 0 && body.store !== true
        ? { message: "The 'metadata' parameter is only allowed when 'store' is enabled.", param: "metadata" }
        : null,
  },
  {
    refuses: "numbers out of their range",
    find: ({ body }) =>
      firstOf(RANGES, ([name, least, most, kind]) => outOfRange(name, body[name], { least, most, kind })),
  },
  {
    refuses: "ids of users and caches above 64 characters",
    find: ({ body }) =>
      firstOf(["safety_identifier", "prompt_cache_key", "user"], (name) => tooLongText(name, body[name], LONGEST_NAME)),
  },
  {
    refuses: "options of a stream where there is none",
    find: ({ body }) =>
      isGiven(body.stream_options) && body.stream !== true
        ? {
            message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
            param: "stream_options",
          }
        : null,
  },
  {
    // ultimatejimmy/xray.koplugin#33.
    refuses: "JSON without a schema where no message speaks of JSON",
    find: ({ body }) =>
      isObject(body.response_format) &&
      body.response_format.type === "json_object" &&
      !/json/i.test(JSON.stringify(body.messages))
        ? {
            message:
              "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
            param: "messages",
          }
        : null,
  },
  {
    refuses: "names of formats beyond letters, digits, _ and -",
    find: ({ body }) => {
      const place = "response_format.json_schema.name";
      const { name } = formatOf(body);
      return unlikePattern(place, name, NAME) ?? tooLongText(place, name, LONGEST_NAME);
    },
  },
  {
    refuses: "strict formats whose schema is not",
    find: ({ body }) => {
      const { name, schema, strict } = formatOf(body);
      const fault = schemaFault(schema, strict === true);
      if (fault === null) return null;
      return { message: `Invalid schema for response_format '${textOf(name)}': ${fault}`, param: "response_format" };
    },
  },
];

/**
 * The requests that only OpenAI's reasoning models refuse (`@like=openai-reasoning`). Source: its guide to reasoning
 * models.
 */
export const OPENAI_REASONING_RULES: readonly Rule[] = [
  {
    refuses: "the older name of the cap",
    find: ({ body }) =>
      isGiven(body.max_tokens)
        ? {
            message:
              "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            param: "max_tokens",
            code: "unsupported_parameter",
          }
        : null,
  },
  {
    // diffbot/code-gpt-docs#445, johny-b/llmcomp#69.
    refuses: "another temperature or top_p than 1",
    find: ({ body }) =>
      firstOf(["temperature", "top_p"], (name) =>
        isGiven(body[name]) && body[name] !== 1
          ? {
              message: `Unsupported value: '${name}' does not support ${String(body[name])} with this model. Only the default (1) value is supported.`,
              param: name,
              code: "unsupported_value",
            }
          : null,
      ),
  },
  {
    refuses: "penalties, stop sequences, biases and log-probabilities",
    find: ({ body }) =>
      firstOf(["presence_penalty", "frequency_penalty", "logit_bias", "logprobs", "top_logprobs", "stop"], (name) =>
        isGiven(body[name])
          ? {
              message: `Unsupported parameter: '${name}' is not supported with this model.`,
              param: name,
              code: "unsupported_parameter",
            }
          : null,
      ),
  },
];

const ARGUMENTS: ReadonlySet<string> = new Set([
  ...["model", "messages", "audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs"],
  ...["max_completion_tokens", "max_tokens", "metadata", "modalities", "moderation", "n", "parallel_tool_calls"],
  ...["prediction", "presence_penalty", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"],
  ...["reasoning_effort", "response_format", "safety_identifier", "seed", "service_tier", "stop", "store", "stream"],
  ...["stream_options", "temperature", "tool_choice", "tools", "top_logprobs", "top_p", "user", "verbosity"],
  "web_search_options",
]);
/** The arguments of models that think: they have DeepSeek's dialect, with its switch `thinking`. */
const ARGUMENTS_WITH_THINKING: ReadonlySet<string> = new Set([...ARGUMENTS, "thinking"]);
const MESSAGE: ReadonlySet<string> = new Set([
  ...["role", "content", "name", "refusal", "audio", "tool_calls", "function_call", "tool_call_id", "annotations"],
]);
const MESSAGE_WITH_REASONING: ReadonlySet<string> = new Set([
  ...MESSAGE,
  ...["reasoning_content", "reasoning", "reasoning_details"],
]);
const MAY_LACK_CONTENT = ["tool_calls", "function_call", "refusal", "audio"];
const PART_TYPES = ["text", "image_url", "input_audio", "refusal", "audio", "file"];
const LONGEST_CALL_ID = 40;
const LONGEST_NAME = 64;
const MOST_TOOLS = 128;
const MOST_STOPS = 4;
const NAME = /^[a-zA-Z0-9_-]+$/;
const PERSON_NAME = /^[^\s<|\\/>]+$/;
const RANGES = [
  ["n", 1, 128, "integer"],
  ["temperature", 0, 2, "decimal"],
  ["top_p", 0, 1, "decimal"],
  ["presence_penalty", -2, 2, "decimal"],
  ["frequency_penalty", -2, 2, "decimal"],
  ["max_tokens", 1, Number.POSITIVE_INFINITY, "integer"],
  ["max_completion_tokens", 1, Number.POSITIVE_INFINITY, "integer"],
] as const;
const UNSUPPORTED_IMAGE: Complaint = {
  message:
    "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
  code: "invalid_image_format",
};

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function* messagesOf(body: Json): Generator<{ readonly message: Json; readonly at: string; readonly index: number }> {
  for (const [index, message] of objectsOf(body.messages).entries()) yield { message, at: `messages[${index}]`, index };
}

interface PartPlace {
  readonly part: Json;
  readonly at: string;
  readonly message_at: string;
  readonly role: string;
}

function* partsOf(body: Json): Generator<PartPlace> {
  for (const { message, at } of messagesOf(body)) {
    for (const [index, part] of objectsOf(message.content).entries())
      yield { part, at: `${at}.content[${index}]`, message_at: at, role: textOf(message.role) };
  }
}

function* functionsOf(body: Json): Generator<{ readonly declared: Json; readonly at: string }> {
  for (const [index, tool] of objectsOf(body.tools).entries()) {
    if (isObject(tool.function)) yield { declared: tool.function, at: `tools[${index}].function` };
  }
}

function formatOf(body: Json): Json {
  const format = isObject(body.response_format) ? body.response_format : {};
  return isObject(format.json_schema) ? format.json_schema : {};
}

/** Checks that the results of all of an answer's calls follow it directly. */
function unansweredCalls(messages: readonly Json[]): Complaint | null {
  let open = new Set<string>();
  for (const [index, message] of [...messages, { role: "end" }].entries()) {
    if (message.role === "tool") open.delete(textOf(message.tool_call_id));
    else if (open.size > 0) {
      return {
        message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`,
        param: `messages.[${index}].role`,
      };
    } else open = new Set(objectsOf((message as Json).tool_calls).map(({ id }) => textOf(id)));
  }
  return null;
}
