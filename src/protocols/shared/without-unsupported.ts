import type { RequestField } from "../../core/answer/codec.ts";
import type { JsonRecord } from "../../core/json.ts";
import { withChoiceOfTools } from "./tool-lists.ts";

/** A protocol's rules for the fields that a vendor refuses. */
export interface FieldRules {
  /** Fields without which there is no request, or no answer of the shape that the client asked for: they are always sent. */
  readonly indispensable: ReadonlySet<string>;
  /** How a left-out field is reported to the client; the other fields are not the client's own and are not reported. */
  readonly reported: Readonly<Record<string, RequestField>>;
}

/**
 * Leaves out the fields that the vendor refuses whatever their value, which the traits do not cover. The client's own
 * fields among them are added to `ignored`.
 */
export function withoutUnsupported(
  body: JsonRecord,
  unsupported: readonly string[],
  { indispensable, reported }: FieldRules,
  ignored: RequestField[],
): JsonRecord {
  const sent: Record<string, unknown> = { ...body };
  for (const field of withChoiceOfTools(unsupported)) {
    if (indispensable.has(field) || sent[field] === undefined) continue;
    delete sent[field];
    const named = reported[field];
    if (named !== undefined) ignored.push(named);
  }
  return sent;
}
