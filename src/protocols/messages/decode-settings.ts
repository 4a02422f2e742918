import type { OutputFormat, ReasoningSetting } from "../../core/generation.ts";
import { isObject } from "../../core/json.ts";
import { onlyInMessages } from "./decode-content.ts";
import { isStrict } from "./strict-schema.ts";
import type { WireRequest } from "./wire-blocks.ts";

/**
 * The reasoning setting of `thinking` and `output_config.effort` (docs/rulings.md 12). Undefined where neither is set.
 */
export function decodeReasoning({ thinking, output_config }: WireRequest): ReasoningSetting | undefined {
  const effort = output_config?.effort;
  const level = effort ? { effort } : {};
  if (thinking === undefined) return effort ? level : undefined;
  if (thinking.type === "disabled") return { enabled: false };
  return {
    enabled: true,
    ...level,
    ...(thinking.budget_tokens !== undefined && { budget_tokens: thinking.budget_tokens }),
    ...(thinking.display === "summarized" && { show: "auto" as const }),
    ...(thinking.display === "omitted" && { show: "none" as const }),
    // Clients of this protocol always get the signed form, and send it back.
    want_opaque: true,
  };
}

/**
 * `output_config.format`. Other protocols require a name for a format; this protocol has none, so a fixed name is used.
 */
export function decodeFormat(format: unknown, place: string): OutputFormat | undefined {
  if (!isObject(format)) return undefined;
  const { type, schema } = format;
  if (type !== "json_schema" || !isObject(schema)) {
    throw onlyInMessages(place, `a format of the type ${JSON.stringify(type)} or without a schema`);
  }
  return { type: "json-schema", name: "answer", schema, ...(isStrict(schema) && { strict: true }) };
}
