import type { ModelName } from "../../model-name.ts";
import { type Complaint, firstOf, type Rule, unknownOf } from "../../rules/rule.ts";
import { isObject, type Json, objectsOf, textOf } from "../read.ts";
import { CLAUDE_GENERATIONS } from "./generation-rules.ts";

/**
 * The rules of the requested model: `@like=claude-4.7` and similar names add the rules of a generation; `@like=any` has
 * no rules.
 */
export function rulesOf({ params }: ModelName): readonly Rule[] {
  const like = params.text("like", "");
  if (like === "any") return [];
  return [...(CLAUDE_GENERATIONS[like] ?? []), ...MESSAGES_RULES];
}

/**
 * The requests that Anthropic refuses on messages for every model. Source: its API reference for the limits, and for
 * the sentences the error objects in public reports of its clients; where a row's words come from one report, the row
 * names it.
 */
export const MESSAGES_RULES: readonly Rule[] = [
  {
    refuses: "parameters that it does not know",
    find: ({ body, path }) => {
      // On Vertex AI the version is a member of the body.
      const known = path.endsWith("awPredict")
        ? new Set([...PARAMETERS, "anthropic_version", "anthropic_beta"])
        : PARAMETERS;
      return extraInput(body, known, "");
    },
  },
  {
    refuses: "members of a message or a block that it does not know",
    find: ({ body }) =>
      firstOf(objectsOf(body.messages).entries(), ([index, message]) =>
        extraInput(message, MESSAGE, `messages.${index}.`),
      ) ??
      firstOf(blocksOf(body), ({ block, at }) => {
        const known = BLOCKS[textOf(block.type)];
        return known === undefined ? null : extraInput(block, known, `${at}.${textOf(block.type)}.`);
      }),
  },
  {
    refuses: "members of a tool that it does not know",
    find: ({ body }) => firstOf(toolsOf(body), ({ tool, at }) => extraInput(tool, TOOL, `${at}.custom.`)),
  },
  {
    refuses: "members of metadata beside user_id, and one above 256 characters",
    find: ({ body }) => {
      const metadata = isObject(body.metadata) ? body.metadata : {};
      if (textOf(metadata.user_id).length > LONGEST_USER_ID)
        return { message: `metadata.user_id: String should have at most ${LONGEST_USER_ID} characters` };
      return extraInput(metadata, new Set(["user_id"]), "metadata.");
    },
  },
  {
    // anthropics/claude-code#59812, home-assistant/core#175637.
    refuses: "blocks of text that are empty or blank",
    find: ({ body }) => blankText("messages", allTexts(body)) ?? blankText("system", textsOf(body.system)),
  },
  {
    refuses: "turns that say nothing, except for a last answer",
    find: ({ body }) => {
      const messages = objectsOf(body.messages);
      return firstOf(messages.entries(), ([index, { role, content }]) => {
        const says = typeof content === "string" ? content !== "" : objectsOf(content).length > 0;
        if (says || role === "system" || (role === "assistant" && index === messages.length - 1)) return null;
        return {
          message: `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
        };
      });
    },
  },
  {
    refuses: "a last answer that ends in white space",
    find: ({ body }) => {
      const last = objectsOf(body.messages).at(-1);
      if (last?.role !== "assistant") return null;
      const text = typeof last.content === "string" ? last.content : textOf(objectsOf(last.content).at(-1)?.text);
      return text !== text.trimEnd()
        ? { message: "messages: final assistant content cannot end with trailing whitespace" }
        : null;
    },
  },
  {
    refuses: "ids of calls beyond letters, digits, _ and -",
    find: ({ body }) =>
      firstOf(blocksOf(body), ({ block, at }) => {
        const [id, place] =
          block.type === "tool_use" ? [block.id, "tool_use.id"] : [block.tool_use_id, "tool_result.tool_use_id"];
        return typeof id === "string" && !CALL_ID.test(id)
          ? { message: `${at}.${place}: String should match pattern '${CALL_ID.source}'` }
          : null;
      }),
  },
  {
    refuses: "one id for two calls",
    find: ({ body }) => {
      const seen = new Set<string>();
      return firstOf(blocksOf(body), ({ block }) => {
        if (block.type !== "tool_use") return null;
        if (seen.has(textOf(block.id))) return { message: "messages: `tool_use` ids must be unique" };
        seen.add(textOf(block.id));
        return null;
      });
    },
  },
  {
    refuses: "two results for one call",
    find: ({ body }) => {
      const seen = new Set<string>();
      return firstOf(blocksOf(body), ({ block, at }) => {
        if (block.type !== "tool_result") return null;
        const id = textOf(block.tool_use_id);
        if (seen.has(id))
          return {
            message: `${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
          };
        seen.add(id);
        return null;
      });
    },
  },
  {
    refuses: "images in formats that it cannot read",
    find: ({ body }) =>
      firstOf(blocksOf(body), ({ block, at }) => {
        const source = block.type === "image" && isObject(block.source) ? block.source : {};
        if (source.type !== "base64" || IMAGES.has(textOf(source.media_type))) return null;
        return {
          message: `${at}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
        };
      }),
  },
  {
    refuses: "names of tools beyond letters, digits, _ and -, or above 128 characters",
    find: ({ body }) =>
      firstOf(toolsOf(body), ({ tool, at }) =>
        TOOL_NAME.test(textOf(tool.name))
          ? null
          : { message: `${at}.custom.name: String should match pattern '${TOOL_NAME.source}'` },
      ),
  },
  {
    refuses: "two tools of one name",
    find: ({ body }) => {
      const names = [...toolsOf(body)].map(({ tool }) => tool.name);
      return new Set(names).size < names.length ? { message: "tools: Tool names must be unique." } : null;
    },
  },
  {
    refuses: "schemas of tools that are no objects, or unions at the top",
    find: ({ body }) =>
      firstOf(toolsOf(body), ({ tool, at }) => {
        const schema = isObject(tool.input_schema) ? tool.input_schema : {};
        if (schema.type === undefined) return { message: `${at}.custom.input_schema.type: Field required` };
        if (schema.type !== "object") return { message: `${at}.custom.input_schema.type: Input should be 'object'` };
        return ["oneOf", "allOf", "anyOf"].some((name) => name in schema)
          ? {
              message: `${at}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
            }
          : null;
      }),
  },
  {
    refuses: "a choice among tools where there are none",
    find: ({ body }) =>
      isObject(body.tool_choice) && objectsOf(body.tools).length === 0
        ? { message: "tool_choice: tool_choice may only be specified while providing tools." }
        : null,
  },
  {
    refuses: "a choice of a tool that is not there",
    find: ({ body }) => {
      const choice = isObject(body.tool_choice) ? body.tool_choice : {};
      const is_there = objectsOf(body.tools).some(({ name }) => name === choice.name);
      return choice.type === "tool" && !is_there
        ? { message: `Tool '${textOf(choice.name)}' not found in provided tools` }
        : null;
    },
  },
  {
    refuses: "more than four blocks that are to be cached",
    find: ({ body }) => {
      const all = [
        ...objectsOf(body.system),
        ...objectsOf(body.tools),
        ...[...blocksOf(body)].map(({ block }) => block),
      ];
      const marked = all.filter((block) => isObject(block.cache_control)).length;
      return marked > MOST_CACHED
        ? { message: `A maximum of ${MOST_CACHED} blocks with cache_control may be provided. Found ${marked}.` }
        : null;
    },
  },
  {
    refuses: "stop sequences of white space",
    find: ({ body }) =>
      Array.isArray(body.stop_sequences) && body.stop_sequences.some((stop) => textOf(stop).trim() === "")
        ? { message: "stop_sequences: each stop sequence must contain non-whitespace" }
        : null,
  },
  {
    refuses: "a temperature above 1 or below 0",
    find: ({ body: { temperature } }) =>
      typeof temperature === "number" && (temperature < 0 || temperature > 1)
        ? { message: "temperature: range: 0..1" }
        : null,
  },
  {
    refuses: "forced calls and most sampling beside thinking",
    find: ({ body }) => {
      const thinking = isObject(body.thinking) ? body.thinking.type : undefined;
      if (thinking !== "enabled" && thinking !== "adaptive") return null;
      const choice = isObject(body.tool_choice) ? body.tool_choice.type : undefined;
      if (choice === "any" || choice === "tool")
        return { message: "Thinking may not be enabled when tool_choice forces tool use." };
      if (body.temperature !== undefined && body.temperature !== 1)
        return { message: "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode." };
      if (typeof body.top_p === "number" && body.top_p < LEAST_TOP_P)
        return { message: "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled." };
      return body.top_k === undefined ? null : { message: "`top_k` must be unset when thinking is enabled." };
    },
  },
  {
    refuses: "a budget for thinking where the answer that was begun has no thinking",
    find: ({ body }) => {
      if (!isObject(body.thinking) || body.thinking.type !== "enabled") return null;
      const messages = objectsOf(body.messages);
      const last = messages.findLastIndex(({ role }) => role === "assistant");
      const [first] = objectsOf(messages[last]?.content);
      const goes_on = objectsOf(messages[last + 1]?.content).some(({ type }) => type === "tool_result");
      if (first === undefined || !goes_on || /thinking$/.test(textOf(first.type))) return null;
      return {
        message: `messages.${last}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${textOf(first.type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`.`,
      };
    },
  },
  {
    // Anthropic's guide to structured outputs: the objects of a format must be closed.
    refuses: "formats whose objects are open",
    find: ({ body }) => {
      const format = isObject(body.output_config) ? body.output_config.format : undefined;
      return isObject(format) && hasOpenObject(format.schema)
        ? {
            message:
              "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
          }
        : null;
    },
  },
];

const CALL_ID = /^[a-zA-Z0-9_-]+$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const IMAGES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);
const LONGEST_USER_ID = 256;
const MOST_CACHED = 4;
const LEAST_TOP_P = 0.95;

function extraInput(value: Json, known: ReadonlySet<string>, at: string): Complaint | null {
  const [unknown] = unknownOf(value, known);
  return unknown === undefined ? null : { message: `${at}${unknown}: Extra inputs are not permitted` };
}

/** Every block of every message, including blocks inside tool results. */
function* blocksOf(body: Json): Generator<{ readonly block: Json; readonly at: string }> {
  for (const [index, { content }] of objectsOf(body.messages).entries()) {
    for (const [nth, block] of objectsOf(content).entries()) {
      const at = `messages.${index}.content.${nth}`;
      yield { block, at };
      for (const [inner, part] of objectsOf(block.type === "tool_result" ? block.content : []).entries())
        yield { block: part, at: `${at}.tool_result.content.${inner}` };
    }
  }
}

/** The client's own tools, without the vendor's tools. */
function* toolsOf(body: Json): Generator<{ readonly tool: Json; readonly at: string }> {
  for (const [index, tool] of objectsOf(body.tools).entries()) {
    if (tool.type === undefined || tool.type === null || tool.type === "custom") yield { tool, at: `tools.${index}` };
  }
}

function textsOf(content: unknown): string[] {
  return objectsOf(content).flatMap(({ type, text }) => (type === "text" ? [textOf(text)] : []));
}

function allTexts(body: Json): string[] {
  return [...blocksOf(body)].flatMap(({ block }) => (block.type === "text" ? [textOf(block.text)] : []));
}

function blankText(where: string, texts: readonly string[]): Complaint | null {
  const blank = texts.find((text) => text.trim() === "");
  if (blank === undefined) return null;
  return {
    message:
      blank === ""
        ? `${where}: text content blocks must be non-empty`
        : `${where}: text content blocks must contain non-whitespace text`,
  };
}

function hasOpenObject(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasOpenObject);
  if (!isObject(schema)) return false;
  if (schema.type === "object" && schema.additionalProperties !== false) return true;
  const maps = [schema.properties, schema.$defs].flatMap((map) => (isObject(map) ? Object.values(map) : []));
  return [...maps, schema.items, schema.anyOf, schema.allOf].some(hasOpenObject);
}

/**
 * The members that the API knows, including beta members. Source: the request types of Anthropic's own client, which
 * are generated from the API.
 */

const PARAMETERS: ReadonlySet<string> = new Set([
  ...["model", "messages", "max_tokens", "cache_control", "container", "diagnostics", "inference_geo", "metadata"],
  ...["output_config", "output_format", "service_tier", "speed", "stop_sequences", "stream", "system", "temperature"],
  ...["thinking", "tool_choice", "tools", "top_k", "top_p", "user_profile_id", "workspace_id", "billing_policy"],
  ...["compaction", "context_management", "fallback_credit_token", "fallbacks", "mcp_servers", "thread"],
]);

/** The last two belong to system messages in mid-conversation. */
const MESSAGE: ReadonlySet<string> = new Set(["role", "content", "output_config", "clear_at"]);

const BLOCKS: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(["type", "text", "cache_control", "citations"]),
  image: new Set(["type", "source", "cache_control"]),
  document: new Set(["type", "source", "cache_control", "citations", "context", "title"]),
  tool_use: new Set(["type", "id", "name", "input", "cache_control", "caller"]),
  tool_result: new Set(["type", "tool_use_id", "content", "is_error", "cache_control"]),
  thinking: new Set(["type", "thinking", "signature"]),
  redacted_thinking: new Set(["type", "data"]),
};

const TOOL: ReadonlySet<string> = new Set([
  ...["type", "name", "description", "input_schema", "cache_control", "strict", "input_examples", "defer_loading"],
  ...["allowed_callers", "eager_input_streaming"],
]);
