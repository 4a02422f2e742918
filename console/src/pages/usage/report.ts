import type { ExploreBy, ExploreGroup, ExploreQuery, UsageExploration } from "../../../../contract/usage.ts";
import { optionsOf } from "../../kit/options.ts";
import { daysBetween } from "../../kit/scale.ts";
import { type Series, withoutNothing } from "../../kit/series.ts";
import { usageTagAsked } from "../keys/tag-words.ts";
import { type Measure, measured } from "../overview/measure.ts";

export const GROUPINGS = optionsOf({
  "day,model": "Day and model",
  "day,key": "Day and key",
  day: "Day",
  model: "Model",
  key: "Key",
  "day,project": "Day and project",
  project: "Project",
});

export const DEFAULT_GROUPING: ExploreBy = "day,model";

/** The grouping that the address asks for: by the values of a tag only where it names the tag. */
export function readGrouping(text: string | undefined, tag?: string): ExploreBy {
  if (text === "tag" || text === "day,tag") return tag === undefined ? DEFAULT_GROUPING : text;
  return GROUPINGS.find(({ value }) => value === text)?.value ?? DEFAULT_GROUPING;
}

/** The groupings by tags, as a choice has them: `day,tag:team`. */
export function tagGroupings(names: readonly string[]): { value: string; label: string }[] {
  return names.flatMap((name) => [
    { value: `day,tag:${name}`, label: `Day and tag: ${name}` },
    { value: `tag:${name}`, label: `Tag: ${name}` },
  ]);
}

/** The fields of the address for a choice. */
export function groupingFields(chosen: string): { by: string | undefined; tag: string | undefined } {
  const at = chosen.indexOf(":");
  if (at !== -1) return { by: chosen.slice(0, at), tag: chosen.slice(at + 1) };
  return { by: chosen === DEFAULT_GROUPING ? undefined : chosen, tag: undefined };
}

/**
 * The tag of a report, of its grouping (`tag`) and of a filter by one value (`tagged`, as `team=search`); null where it cannot be both: a
 * report knows one tag.
 */
export function reportTag(
  by: ExploreBy,
  { tag, tagged }: { readonly tag?: string | undefined; readonly tagged?: string | undefined },
): Pick<ExploreQuery, "tag" | "value"> | null {
  const only = usageTagAsked(tagged);
  const name = groupKind(by) === "tag" ? tag : undefined;
  if (only === null) return name === undefined ? {} : { tag: name };
  return name === undefined || name === only.name ? { tag: only.name, value: only.value } : null;
}

/** The query of a link to the usage of one tag's value, by model. */
export function partsOf(value: string, { by, tag }: Pick<UsageExploration, "by" | "tag">) {
  return { tagged: `${tag}=${value}`, tag: undefined, by: by === "tag" ? "model" : undefined, sort: undefined };
}

export function groupingLabel({ by, tag }: Pick<UsageExploration, "by" | "tag">): string {
  if (groupKind(by) === "tag") return by === "tag" ? `tag: ${tag}` : `day and tag: ${tag}`;
  return (GROUPINGS.find(({ value }) => value === by)?.label ?? "day").toLowerCase();
}

/** The dimension of a report beside the day; null in a report by day alone. */
export function groupKind(by: ExploreBy): "key" | "model" | "project" | "tag" | null {
  if (by.endsWith("tag")) return "tag";
  if (by.endsWith("key")) return "key";
  if (by.endsWith("project")) return "project";
  return by.endsWith("model") ? "model" : null;
}

/** An identifier of a group or a row: its id, or that it is the others. */
function mark({ id, others }: { readonly id: string | null; readonly others: boolean }): string {
  return others ? "others" : `=${id}`;
}

/** Names of a report's groups, by their marks. Keys of the same name get the end of their ids. */
function groupLabels(report: UsageExploration): Map<string, string> {
  const plain = report.groups.map((group) => plainName(group, report.by));
  return new Map(
    report.groups.map((group, index) => {
      const name = plain[index] ?? "";
      const twice = plain.filter((each) => each === name).length > 1;
      return [mark(group), twice && group.id !== null ? `${name} (…${group.id.slice(-4)})` : name];
    }),
  );
}

function plainName({ id, name, others }: ExploreGroup, by: ExploreBy): string {
  if (others) return "others";
  if (groupKind(by) === "key") return name || `key …${(id ?? "").slice(-4)}`;
  if (groupKind(by) === "project") return name || "no project";
  if (groupKind(by) === "tag") return id || "without the tag";
  return id || "no model";
}

/** How the page of requests is asked for a group's; nothing for the others, and for what has no name. */
function filtersOf({ id, others }: ExploreGroup, { by, tag }: UsageExploration): Pick<Series, "filters"> {
  const kind = groupKind(by);
  if (others || !id || kind === null) return {};
  return { filters: kind === "tag" ? { tag: `${tag}=${id}` } : { [kind]: id } };
}

/** A report as the bars of a chart: a series for each group (or one for all), a bar for each day of the range. */
export function reportSeries(report: UsageExploration, measure: Measure): { days: string[]; series: Series[] } {
  const days = daysBetween(report.since, report.until);
  const places = new Map(days.map((day, index) => [day, index]));
  const labels = groupLabels(report);
  const marks = groupKind(report.by) === null ? ["=null"] : [...labels.keys()];
  const values = new Map(marks.map((each) => [each, days.map(() => 0)]));
  for (const row of report.data) {
    const place = places.get(row.day ?? "");
    const line = values.get(mark({ id: row.group, others: row.others }));
    if (place !== undefined && line !== undefined) line[place] = measured(row, measure);
  }
  const filters = new Map(report.groups.map((group) => [mark(group), filtersOf(group, report)]));
  const series = [...values].map(([each, line]) => ({
    name: labels.get(each) ?? "all",
    ...filters.get(each),
    values: line,
  }));
  return { days, series: withoutNothing(series) };
}

/** A line of the report's table. */
export type ReportRow = Omit<UsageExploration["data"][number], "group"> & {
  readonly key: string;
  /** The id of the row's key or model; null where the row is about all of them, or about the others. */
  readonly id: string | null;
  readonly label: string;
};

export function reportRows(report: UsageExploration): ReportRow[] {
  const labels = groupLabels(report);
  return report.data.map(({ group: id, ...row }) => {
    const name = mark({ id, others: row.others });
    return { ...row, id, key: `${row.day} ${name}`, label: labels.get(name) ?? "" };
  });
}
