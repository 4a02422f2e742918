import type { AppliedRule } from "../core/people/limit-rules.ts";
import type { GatewayTagLimit, KeyRecord, OwnLimits, TagLimit } from "../core/people/principal.ts";

/** The limits by tag by which requests of a key are judged (docs/rulings.md 176). */

/** Limits by tag of the whole gateway, each of which counts for each account apart. */
export interface GatewayTags {
  readonly tags?: readonly GatewayTagLimit[];
  readonly end_user?: string;
}

/** A limit with its name in the account, and with the limits that some values have of their own. */
interface NamedLimit {
  readonly rule: string;
  readonly limit: TagLimit;
  readonly values: ReadonlyMap<string, OwnLimits> | null;
}

/** What a request is judged by: the limits that may concern it, and the tag that its end user's id stands for. */
export interface TagRules {
  readonly limits: readonly NamedLimit[];
  readonly end_user_tag: string | null;
}

/** Whether a key's requests have limits by tag; nearly none have. */
export function hasTagRules({ project, account_limits }: KeyRecord, { tags }: GatewayTags): boolean {
  return (tags ?? project?.tag_limits ?? account_limits?.tag_limits ?? null) !== null;
}

/** The limits by tag of a key's project, of its account and of the gateway; null where there are none. */
export function tagRulesOf(key: KeyRecord, gateway: GatewayTags): TagRules | null {
  if (!hasTagRules(key, gateway)) return null;
  const { project, account_limits } = key;
  return {
    limits: [
      ...named(project?.id ?? "", project?.tag_limits),
      ...named("account", account_limits?.tag_limits),
      ...(gateway.tags ?? []).map((limit) => ({ rule: tagRule("gateway", limit.tag), limit, values: limit.values })),
    ],
    end_user_tag: project?.end_user_tag ?? account_limits?.end_user_tag ?? gateway.end_user ?? null,
  };
}

function named(holder: string, limits: readonly TagLimit[] | null | undefined): NamedLimit[] {
  return (limits ?? []).map((limit) => ({ rule: tagRule(holder, limit.tag), limit, values: null }));
}

/** The values by which a request is judged: of its own tags, else of its key's, else its end user's id. */
export interface TagValues {
  readonly own: Readonly<Record<string, string>> | null;
  readonly of_key: Readonly<Record<string, string>> | undefined;
  readonly end_user: string | null;
}

/** The rules of a request's values; `missing`: the first tag that it must have and has not. */
export function applyTagRules(
  { limits, end_user_tag }: TagRules,
  { own, of_key, end_user }: TagValues,
): { readonly rules: readonly AppliedRule[] | null; readonly missing: string | null } {
  const rules: AppliedRule[] = [];
  for (const { rule, limit, values } of limits) {
    const { tag, required, rpm, tpm, concurrent, budget } = limit;
    const value = valueIn(own, tag) ?? valueIn(of_key, tag) ?? (tag === end_user_tag ? end_user : null);
    if (value === null && required) return { rules: null, missing: tag };
    if (value !== null) rules.push({ rule, value, rpm, tpm, concurrent, budget, ...values?.get(value) });
  }
  return { rules: rules.length === 0 ? null : rules, missing: null };
}

function valueIn(tags: Readonly<Record<string, string>> | null | undefined, tag: string): string | null {
  return tags != null && Object.hasOwn(tags, tag) ? (tags[tag] ?? null) : null;
}

/** The name of a limit by tag: of a project by its id, of the `account`, or of the `gateway`. */
export function tagRule(holder: string, tag: string): string {
  return `${holder} tag ${tag}`;
}
