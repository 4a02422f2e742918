import type { CustomTool, FunctionTool, OutputFormat } from "../../core/answer/generation.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";

/** What style A declares alike in all its endpoints: members that say nothing are left out. */

/** A function, whose declaration was checked. */
export function declaredFunction({ description, parameters, strict }: JsonRecord, name: string): FunctionTool {
  return {
    kind: "function",
    name,
    ...(typeof description === "string" && description !== "" && { description }),
    ...(isObject(parameters) && { parameters }),
    ...(typeof strict === "boolean" && { strict }),
  };
}

export function declaredCustom({ description, format }: JsonRecord, name: string): CustomTool {
  return {
    kind: "custom",
    name,
    ...(typeof description === "string" && description !== "" && { description }),
    ...(isObject(format) && { format }),
  };
}

export function declaredFormat({ name, description, strict }: JsonRecord, schema: JsonRecord): OutputFormat {
  return {
    type: "json-schema",
    name: typeof name === "string" ? name : "answer",
    ...(typeof description === "string" && { description }),
    schema,
    ...(typeof strict === "boolean" && { strict }),
  };
}
