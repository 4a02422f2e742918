import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { GatewayError } from "../../core/errors.ts";
import { type CodeOf, problemError } from "./check-body.ts";
import { explain, pathOf } from "./explain.ts";

/** Checks one part of a body, found at `steps` in it. Throws a GatewayError that names the place in the whole body. */
export type PartCheck = (part: unknown, steps: readonly (string | number)[]) => void;

/**
 * Makes the check of one kind of part, such as a content block of one type. Parts are checked one by one where a body
 * may hold kinds that no schema here knows: such parts go to the vendor unchanged (docs/rulings.md 1). It is compiled at its first use.
 */
export function compilePartCheck(schema: TSchema, codeOf: CodeOf): PartCheck {
  let compiled: Validator | null = null;
  return (part, steps) => {
    compiled ??= Compile(schema);
    if (compiled.Check(part)) return;
    const found = explain(schema, part);
    if (found === null) throw new GatewayError("internal_error", "A check and its explanation disagree.");
    const all_steps = [...steps, ...found.steps];
    const placed = { ...found, steps: all_steps, path: pathOf(all_steps) };
    throw problemError(placed, codeOf(placed));
  };
}
