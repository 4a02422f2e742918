import type { Command } from "commander";
import type { Static, TSchema } from "typebox";
import type { AccountLimits } from "../../contract/accounts.ts";
import { limitTexts, tagLimitText } from "../../contract/tag-limit-text.ts";
import { type TagLimit, TagValue } from "../../contract/tag-limits.ts";
import type { CallOptions } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import type { GatewayCall } from "./shared/gateway-client.ts";
import { readTagLimit, readTagValueLimit, type TagValueLimit } from "./shared/read-arguments.ts";

export interface TagLimitOptions {
  readonly tagLimit?: TagLimit[];
  readonly endUserTag?: string;
  readonly tagValue?: readonly TagValueLimit[];
}

/** Adds the options for limits by tag, which accounts and projects have. */
export function withTagLimits(command: Command): Command {
  return command
    .option(
      "--tag-limit <tag=limit,...>",
      "a limit on each value of a tag, such as customer=5/day,rpm=60 or customer=required,5/day; may be repeated, and all together replace those that were there",
      readTagLimit,
    )
    .option("--end-user-tag <tag>", "the tag whose value is the end user's id where a request names no other");
}

/** Adds the option for the limits that single values have of their own. */
export function withTagValues(command: Command): Command {
  return withTagLimits(command).option(
    "--tag-value <tag:value=limit,...>",
    "what one value may use in place of that, such as customer:big-corp=500/day (customer:big-corp=none: as all); may be repeated",
    readTagValueLimit,
  );
}

/** A change of an account or a project (null: nothing of it changes), and limits for single values of its tags. */
interface ChangeWithValues<Schema extends TSchema> {
  readonly path: readonly string[];
  readonly change: object | null;
  readonly values: readonly TagValueLimit[];
  readonly answer: Schema;
}

/** Makes the change, then gives the values limits of their own, one after the other, and prints what came of it. */
export async function changeThenValues<Schema extends TSchema>(
  deps: CliDeps,
  options: CallOptions,
  { path, change, values, answer }: ChangeWithValues<Schema>,
  inWords: (answer: Static<Schema>) => string,
): Promise<void> {
  const { callGateway } = await import("./shared/gateway-client.ts");
  const call = change === null ? { method: "GET", path } : { method: "PATCH", path, body: change };
  const changed = await callGateway(deps, options, { ...call, answer } as GatewayCall<Schema>);
  for (const { tag, value, limits } of values) {
    const of_value = { method: "PUT", path: [...path, "tags", tag, "values"], answer: TagValue } as const;
    await callGateway(deps, options, { ...of_value, body: { value, limits } });
  }
  deps.stdout(`${options.json ? JSON.stringify(changed) : inWords(changed)}\n`);
}

/** Whether no option is given. */
export function isEmpty(given: object): boolean {
  return Object.values(given).every((value) => value === undefined);
}

/** A field for each limit by tag, and one for the tag of end users. */
export function tagLimitFields({ tag_limits = [], end_user_tag }: AccountLimits) {
  return [
    ...tag_limits.map((limit) => ["limit by tag", tagLimitText(limit)] as const),
    ["end users' tag", end_user_tag] as const,
  ];
}

/** What a value may use in words: `5.00/day, rpm=60`. */
export function valueLimitWords(value: TagValue): string {
  return limitTexts(value).join(", ");
}

/** The limits of a value that were set for it alone, in words. */
export function ownLimitWords({ own, ...value }: TagValue): string {
  const ofOwn = <Limit>(name: string, limit: Limit): Limit | null => (own.includes(name) ? limit : null);
  const { rpm, tpm, concurrent, budget } = value;
  return limitTexts({
    rpm: ofOwn("rpm", rpm),
    tpm: ofOwn("tpm", tpm),
    concurrent: ofOwn("concurrent", concurrent),
    budget: ofOwn("budget", budget),
  }).join(", ");
}
