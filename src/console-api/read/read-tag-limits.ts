import type { TagLimit as Given, SetTagValue } from "../../../contract/tag-limits.ts";
import { tagValueProblem } from "../../../contract/tag-rules.ts";
import { invalidRequest } from "../../core/errors.ts";
import { OTHER_TAGS } from "../../core/people/keys.ts";
import type { OwnLimits, TagLimit } from "../../core/people/principal.ts";
import { readAmount } from "./read-amount.ts";

/** Limits by tag of a body; null: none. Throws a 400 for a tag that is there twice, and for a limit that limits nothing. */
export function readTagLimits(given: readonly Given[] | null): readonly TagLimit[] | null {
  if (given === null || given.length === 0) return null;
  const tags = new Set<string>();
  return given.map(({ tag, required = false, ...limits }, at) => {
    const param = `tag_limits[${at}]`;
    if (tags.has(tag)) throw invalidRequest(`'${tag}' is twice in 'tag_limits'; allowed: each tag once.`, param);
    tags.add(tag);
    const { rpm = null, tpm = null, concurrent = null, budget = null } = readOwn(limits, param);
    if (!required && rpm === null && tpm === null && concurrent === null && budget === null)
      throw invalidRequest(
        `The limit for '${tag}' limits nothing; allowed: required, rpm, tpm, concurrent or budget.`,
        param,
      );
    return { tag, required, rpm, tpm, concurrent, budget };
  });
}

/** What a value has of its own; null: nothing. Throws a 400 for a value that no tag can have. */
export function readTagValue({ value, limits }: Pick<SetTagValue, "value" | "limits">): OwnLimits | null {
  const problem = value === OTHER_TAGS ? `${OTHER_TAGS} stands for many values` : tagValueProblem(value);
  if (problem !== null)
    throw invalidRequest(`The body has the value ${JSON.stringify(value)}, but ${problem}.`, "value");
  const own = limits === null ? {} : readOwn(limits, "limits");
  return Object.keys(own).length === 0 ? null : own;
}

function readOwn(given: NonNullable<SetTagValue["limits"]>, param: string): OwnLimits {
  const { rpm, tpm, concurrent, budget } = given;
  return {
    ...(rpm != null && { rpm }),
    ...(tpm != null && { tpm }),
    ...(concurrent != null && { concurrent }),
    ...(budget != null && {
      budget: { amount_micro: readAmount(budget.amount, `${param}.budget.amount`), window: budget.window },
    }),
  };
}
