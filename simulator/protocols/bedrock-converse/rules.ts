import type { ModelName } from "../../model-name.ts";
import { type Complaint, firstOf, type Rule } from "../../rules/rule.ts";
import { isObject, type Json, objectsOf, textOf } from "../read.ts";
import { readPath } from "./path.ts";

/** The rules of every model on Converse, whoever made the model. */
export function rulesOf(_model: ModelName): readonly Rule[] {
  return CONVERSE_RULES;
}

/**
 * The requests that Amazon Bedrock's Converse refuses. Source: the constraints of its API reference, and for the
 * sentences the error objects in public reports of its clients; where a row's words come from one report, the row names
 * it.
 */
export const CONVERSE_RULES: readonly Rule[] = [
  {
    // openclaw/openclaw#12949, aws-samples/remote-swe-agents#457, BerriAI/litellm#24668.
    refuses: "names of tools beyond letters, digits, _ and -, or above 64 characters, and empty descriptions",
    find: ({ body }) => {
      const specs = objectsOf(isObject(body.toolConfig) ? body.toolConfig.tools : undefined);
      return firstOf(specs.entries(), ([index, { toolSpec: spec }]) => {
        if (!isObject(spec)) return null;
        const at = `toolConfig.tools.${index + 1}.member.toolSpec`;
        return (
          unlike(`${at}.name`, spec.name, TOOL_NAME) ?? (spec.description === "" ? tooShort(`${at}.description`) : null)
        );
      });
    },
  },
  {
    // earendil-works/pi#8279; elie222/rakazo#962 for Anthropic's models.
    refuses: "schemas of tools that are no objects, or unions at the top for Anthropic's models",
    find: ({ body, path }) => {
      const specs = objectsOf(isObject(body.toolConfig) ? body.toolConfig.tools : undefined);
      return firstOf(specs.entries(), ([index, { toolSpec: spec }]) => {
        const schema = isObject(spec) && isObject(spec.inputSchema) ? spec.inputSchema.json : undefined;
        if (!isObject(schema)) return null;
        if (schema.type !== "object")
          return {
            message: `The value at toolConfig.tools.${index}.toolSpec.inputSchema.json.type must be one of the following: object.`,
          };
        const is_union = ["oneOf", "allOf", "anyOf"].some((name) => name in schema);
        return is_union && readPath(path)?.family === "anthropic"
          ? {
              message: `The model returned the following errors: tools.${index}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
            }
          : null;
      });
    },
  },
  {
    refuses: "two tools of one name",
    find: ({ body }) => {
      const specs = objectsOf(isObject(body.toolConfig) ? body.toolConfig.tools : undefined);
      const names = specs.flatMap(({ toolSpec: spec }) => (isObject(spec) ? [textOf(spec.name)] : []));
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      return twice === undefined
        ? null
        : {
            message: `The toolConfig.tools field contains duplicate tool names: ${twice}. Remove the duplicates and try again.`,
          };
    },
  },
  {
    // run-llama/llama_index#22775, maximhq/bifrost#6300.
    refuses: "ids of calls beyond letters, digits and _ . : -, or above 64 characters",
    find: ({ body }) =>
      firstOf(blocksOf(body), ({ block, member }) => {
        const use = isObject(block.toolUse) ? block.toolUse : null;
        const result = isObject(block.toolResult) ? block.toolResult : null;
        if (use !== null) {
          const at = `${member}.toolUse`;
          return unlike(`${at}.toolUseId`, use.toolUseId, CALL_ID) ?? unlike(`${at}.name`, use.name, TOOL_NAME);
        }
        return result === null ? null : unlike(`${member}.toolResult.toolUseId`, result.toolUseId, CALL_ID);
      }),
  },
  {
    refuses: "one id for two calls or two results of a turn",
    find: ({ body }) =>
      firstOf(objectsOf(body.messages).entries(), ([index, { content }]) =>
        firstOf(["toolUse", "toolResult"], (name) => {
          const ids = objectsOf(content).flatMap((block) => {
            const held = block[name];
            return isObject(held) ? [textOf(held.toolUseId)] : [];
          });
          const twice = ids.find((id, nth) => ids.indexOf(id) !== nth);
          if (twice === undefined) return null;
          return { message: `The ${name} blocks at messages.${index}.content contain duplicate Ids: ${twice}` };
        }),
      ),
  },
  {
    // anomalyco/opencode#1279, in Anthropic's own words: its models see the whole conversation.
    refuses: "one id for calls of several turns, for Anthropic's models",
    find: ({ body, path }) => {
      const ids = [...blocksOf(body)].flatMap(({ block }) =>
        isObject(block.toolUse) ? [textOf(block.toolUse.toolUseId)] : [],
      );
      return readPath(path)?.family === "anthropic" && new Set(ids).size < ids.length
        ? { message: "The model returned the following errors: messages: `tool_use` ids must be unique" }
        : null;
    },
  },
  {
    refuses: "blocks of text that are blank",
    find: ({ body }) =>
      firstOf(blocksOf(body), ({ block, at }) =>
        typeof block.text === "string" && block.text.trim() === ""
          ? {
              message: `The text field in the ContentBlock object at ${at} is blank. Add text to the text field, and try again.`,
            }
          : null,
      ),
  },
  {
    refuses: "a last answer that ends in white space",
    find: ({ body, path }) => {
      const last = objectsOf(body.messages).at(-1);
      const text = textOf(objectsOf(last?.content).at(-1)?.text);
      if (readPath(path)?.family !== "anthropic" || last?.role !== "assistant" || text === text.trimEnd()) return null;
      return {
        message:
          "The model returned the following errors: messages: final assistant content cannot end with trailing whitespace",
      };
    },
  },
  {
    refuses: "more than four points of a cache",
    find: ({ body }) => {
      const tools = objectsOf(isObject(body.toolConfig) ? body.toolConfig.tools : undefined);
      const all = [...objectsOf(body.system), ...tools, ...[...blocksOf(body)].map(({ block }) => block)];
      const points = all.filter((block) => isObject(block.cachePoint)).length;
      return points > MOST_CACHED
        ? {
            message: `The model returned the following errors: A maximum of ${MOST_CACHED} blocks with cache_control may be provided. Found ${points}.`,
          }
        : null;
    },
  },
  {
    refuses: "results and media in an answer",
    find: ({ body }) =>
      firstOf(objectsOf(body.messages).entries(), ([index, { role, content }]) => {
        const wrong = ["toolResult", "image", "document"].find((name) =>
          objectsOf(content).some((block) => name in block),
        );
        return role === "assistant" && wrong !== undefined
          ? {
              message: `The ${wrong} block at messages.${index} is not supported in a message with the assistant role.`,
            }
          : null;
      }),
  },
];

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const CALL_ID = /^[a-zA-Z0-9_.:-]{1,64}$/;
const LONGEST = 64;
const MOST_CACHED = 4;

function* blocksOf(body: Json): Generator<{ readonly block: Json; readonly at: string; readonly member: string }> {
  for (const [index, { content }] of objectsOf(body.messages).entries()) {
    for (const [nth, block] of objectsOf(content).entries())
      yield {
        block,
        at: `messages.${index}.content.${nth}`,
        member: `messages.${index + 1}.member.content.${nth + 1}.member`,
      };
  }
}

/** The constraint that a text breaks, in AWS's words; null for a text that matches. */
function unlike(place: string, value: unknown, pattern: RegExp): Complaint | null {
  const text = textOf(value);
  if (pattern.test(text)) return null;
  const signs = pattern.source.slice(1).replace(/\{.*$/, "+");
  const constraint =
    text.length > LONGEST
      ? `Member must have length less than or equal to ${LONGEST}`
      : `Member must satisfy regular expression pattern: ${signs}`;
  return {
    message: `1 validation error detected: Value '${text}' at '${place}' failed to satisfy constraint: ${constraint}`,
  };
}

function tooShort(place: string): Complaint {
  return {
    message: `1 validation error detected: Value '' at '${place}' failed to satisfy constraint: Member must have length greater than or equal to 1`,
  };
}
