import type { ModelName } from "../../model-name.ts";
import { type Complaint, firstOf, type Rule } from "../../rules/rule.ts";
import { isObject, type Json, objectsOf, textOf } from "../read.ts";
import { SCHEMA_RULES } from "./schema-rules.ts";

/** The rules of the requested model: `@like=gemini-2.5` adds the refusals of that generation. */
export function rulesOf({ params }: ModelName): readonly Rule[] {
  return params.text("like", "") === "gemini-2.5" ? [...GEMINI_2_RULES, ...GEMINI_RULES] : GEMINI_RULES;
}

/**
 * The requests that Google refuses for every model. Source: its API reference for the limits, and for the sentences the
 * error objects in public reports of its clients; where a row's words come from one report, the row names it.
 */
export const GEMINI_RULES: readonly Rule[] = [
  ...SCHEMA_RULES,
  {
    refuses: "a conversation without contents",
    find: ({ body }) =>
      objectsOf(body.contents).length === 0
        ? { message: "* GenerateContentRequest.contents: contents is not specified\n" }
        : null,
  },
  {
    // router-for-me/CLIProxyAPI#176, genkit-ai/genkit#3690.
    refuses: "contents without parts",
    find: ({ body }) =>
      firstOf(objectsOf(body.contents), ({ parts }) =>
        objectsOf(parts).length === 0
          ? {
              message:
                "Unable to submit request because it must include at least one parts field, which describes the prompt input.",
            }
          : null,
      ),
  },
  {
    // router-for-me/CLIProxyAPI#1292, boldsoftware/sketch#68.
    refuses: "parts that hold nothing",
    find: ({ body }) =>
      firstOf(partsOf(body), ({ part, at }) =>
        DATA.some((name) => part[name] !== undefined && part[name] !== "") || typeof part.thoughtSignature === "string"
          ? null
          : {
              message: `* GenerateContentRequest.${at}.data: required oneof field 'data' must have one initialized field\n`,
            },
      ),
  },
  {
    // google-gemini/gemini-cli#26486, lobehub/lobehub#10049.
    refuses: "calls that follow an answer, or nothing",
    find: ({ body }) => {
      const contents = objectsOf(body.contents);
      return firstOf(contents.entries(), ([index, content]) =>
        holds(content, "functionCall") && (contents[index - 1]?.role ?? "model") === "model"
          ? {
              message:
                "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
            }
          : null,
      );
    },
  },
  {
    refuses: "results that do not follow their calls",
    find: ({ body }) => {
      const contents = objectsOf(body.contents);
      return firstOf(contents.entries(), ([index, content]) =>
        holds(content, "functionResponse") && !holds(contents[index - 1] ?? {}, "functionCall")
          ? { message: "Please ensure that function response turn comes immediately after a function call turn." }
          : null,
      );
    },
  },
  {
    // google-gemini/gemini-cli#2966, cline/cline#7339: the error lists all wrong names, each on its own line.
    refuses: "names of functions that do not begin with a letter or _, or with other signs than _ . : -",
    find: ({ body }) => {
      const wrong = [...declarationsOf(body)].filter(({ declared }) => !NAME.test(textOf(declared.name)));
      if (wrong.length === 0) return null;
      const lines = wrong.map(
        ({ at }) =>
          `* GenerateContentRequest.${at}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.\n`,
      );
      return { message: lines.join("") };
    },
  },
  {
    refuses: "two functions of one name",
    find: ({ body }) => {
      const seen = new Set<string>();
      return firstOf(declarationsOf(body), ({ declared }) => {
        const name = textOf(declared.name);
        if (seen.has(name)) return { message: `Duplicate function declaration found: ${name}` };
        seen.add(name);
        return null;
      });
    },
  },
  {
    refuses: "keywords of a schema in `parameters` that are not of its subset, and lists without items there",
    find: ({ body }) =>
      firstOf(declarationsOf(body), ({ declared, at }) => subsetFault(declared.parameters, `${at}.parameters`)),
  },
  {
    refuses: "`const` in a JSON schema",
    find: ({ body }) => {
      const config = isObject(body.generationConfig) ? body.generationConfig : {};
      const schemas = [
        config.responseJsonSchema,
        ...[...declarationsOf(body)].map(({ declared }) => declared.parametersJsonSchema),
      ];
      return schemas.some(hasConst)
        ? { message: 'Unable to submit request because the JSON schema has the unsupported keyword "const".' }
        : null;
    },
  },
  {
    refuses: "names of allowed functions where none must be called",
    find: ({ body }) => {
      const tool_config = isObject(body.toolConfig) ? body.toolConfig : {};
      const calling = isObject(tool_config.functionCallingConfig) ? tool_config.functionCallingConfig : {};
      const names = Array.isArray(calling.allowedFunctionNames) ? calling.allowedFunctionNames : [];
      if (names.length > 0 && calling.mode !== "ANY" && calling.mode !== "VALIDATED")
        return {
          message: "Allowed function names should only be set when the function calling mode is ANY or VALIDATED.",
        };
      return "mode" in calling && calling.mode !== "NONE" && [...declarationsOf(body)].length === 0
        ? { message: "Function calling config is set without function_declarations." }
        : null;
    },
  },
  {
    refuses: "media of types that it cannot read",
    find: ({ body }) =>
      firstOf(partsOf(body), ({ part }) => {
        const type = isObject(part.inlineData) ? textOf(part.inlineData.mimeType) : "";
        return type.startsWith("image/") && !IMAGES.has(type) ? { message: `Unsupported MIME type: ${type}` } : null;
      }),
  },
  {
    refuses: "numbers out of their range",
    find: ({ body }) => {
      const config = isObject(body.generationConfig) ? body.generationConfig : {};
      return firstOf(RANGES, ([name, least, most]) => {
        const value = config[name];
        if (typeof value !== "number" || (value >= least && value <= most)) return null;
        return {
          message: `Unable to submit request because it has a ${name} value of ${value} but the supported range is from ${least} (inclusive) to ${most} (inclusive). Update the value and try again.`,
        };
      });
    },
  },
  {
    // PublicAffairs/openai-gemini#63, google-gemini/cookbook#1290: the value 0 is accepted, any other value is refused.
    refuses: "penalties",
    find: ({ body }) => {
      const config = isObject(body.generationConfig) ? body.generationConfig : {};
      return firstOf(["presencePenalty", "frequencyPenalty"], (name) =>
        typeof config[name] === "number" && config[name] !== 0
          ? { message: "Penalty is not enabled for this model" }
          : null,
      );
    },
  },
];

/** The requests that only models before Gemini 3 refuse. Source: its guides to structured output and to thinking. */
export const GEMINI_2_RULES: readonly Rule[] = [
  {
    refuses: "JSON beside functions",
    find: ({ body }) => {
      const config = isObject(body.generationConfig) ? body.generationConfig : {};
      return config.responseMimeType === "application/json" && [...declarationsOf(body)].length > 0
        ? { message: "Function calling with a response mime type: 'application/json' is unsupported" }
        : null;
    },
  },
  {
    refuses: "levels of thinking",
    find: ({ body }) => {
      const config = isObject(body.generationConfig) ? body.generationConfig : {};
      return isObject(config.thinkingConfig) && config.thinkingConfig.thinkingLevel !== undefined
        ? { message: "Thinking level is not supported for this model." }
        : null;
    },
  },
  {
    refuses: "media in the results of functions",
    find: ({ body }) =>
      firstOf(partsOf(body), ({ part }) =>
        isObject(part.functionResponse) && objectsOf(part.functionResponse.parts).length > 0
          ? { message: "Multimodal function responses are not supported for this model." }
          : null,
      ),
  },
];

const DATA = [
  ...["text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult"],
];
const NAME = /^[A-Za-z_][\w.:-]{0,127}$/;
const IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"]);
const RANGES = [
  ["temperature", 0, 2],
  ["topP", 0, 1],
  ["maxOutputTokens", 1, 65_536],
  ["logprobs", 0, 20],
] as const;

function* partsOf(body: Json): Generator<{ readonly part: Json; readonly at: string }> {
  for (const [index, { parts }] of objectsOf(body.contents).entries()) {
    for (const [nth, part] of objectsOf(parts).entries()) yield { part, at: `contents[${index}].parts[${nth}]` };
  }
}

function* declarationsOf(body: Json): Generator<{ readonly declared: Json; readonly at: string }> {
  for (const [index, tool] of objectsOf(body.tools).entries()) {
    for (const [nth, declared] of objectsOf(tool.functionDeclarations).entries())
      yield { declared, at: `tools[${index}].function_declarations[${nth}]` };
  }
}

function holds({ parts }: Json, name: string): boolean {
  return objectsOf(parts).some((part) => isObject(part[name]));
}

/** The keywords of OpenAPI's schema that the older `parameters` supports; `parametersJsonSchema` supports more. */
const SUBSET: ReadonlySet<string> = new Set([
  ...["type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required"],
  ...["minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "propertyOrdering"],
  ...["default", "items", "minimum", "maximum"],
]);

function subsetFault(schema: unknown, at: string): Complaint | null {
  if (!isObject(schema)) return null;
  const unknown = Object.keys(schema).find((name) => !SUBSET.has(name));
  if (unknown !== undefined)
    return { message: `Invalid JSON payload received. Unknown name "${unknown}" at '${at}': Cannot find field.` };
  if (/^array$/i.test(textOf(schema.type)) && schema.items === undefined)
    return { message: `* GenerateContentRequest.${at}.items: missing field.\n` };
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  return firstOf([...properties, ["items", schema.items] as const], ([name, inner]) =>
    subsetFault(inner, `${at}.properties[${name}]`),
  );
}

/** Whether a schema has the keyword, not a property of that name. */
function hasConst(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasConst);
  if (!isObject(schema)) return false;
  if ("const" in schema) return true;
  const maps = [schema.properties, schema.$defs].flatMap((map) => (isObject(map) ? Object.values(map) : []));
  return [...maps, schema.items, schema.anyOf, schema.oneOf].some(hasConst);
}
