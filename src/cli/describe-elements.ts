import { stringify } from "yaml";
import type {
  Element,
  ElementChange,
  ElementHistory,
  ElementList,
  ElementSummary,
  NamedChanges,
} from "../../contract/configuration.ts";
import { counted, formatTable } from "./shared/table.ts";

/** Elements of the configuration in words, for the terminal. */

export function tableOfElements({ data, left_out, file, catalog }: ElementList): string {
  const columns = ["kind", "id", "name", "from", "state", "version", "changed by"];
  const table = formatTable(columns, data.map(rowOf));
  const problems = data.flatMap(({ kind, id, problem }) =>
    problem === null ? [] : [`${kind} ${id} is left out:\n${indented(problem)}`],
  );
  const source = file === null ? "There is no configuration file." : `The file is ${file}.`;
  const notes = [`${counted(data.length, "element")}. ${source} catalog: ${catalog}.`];
  if (left_out > 0)
    notes.push(`${counted(left_out, "element")} of the database ${left_out === 1 ? "is" : "are"} left out.`);
  return [table, ...problems, notes.join(" ")].join("\n\n");
}

function rowOf({ kind, id, name, origin, status, version, changed, overrides }: ElementSummary): string[] {
  const from = overrides === null ? origin : `${origin}, over the ${overrides === "file" ? "file's" : "catalog's"}`;
  const state = statusWords(status);
  return [kind, id, name ?? "", from, state, version === 0 ? "" : String(version), changed?.changed_by ?? ""];
}

function statusWords(status: ElementSummary["status"]): string {
  return status === "in_force" ? "in effect" : status.replace("_", " ");
}

export function elementInWords(element: Element): string {
  const { kind, id, value, effective, below, problem, status, version, changed, origin } = element;
  const by = changed === null ? "" : `, version ${version}, by ${changed.changed_by} at ${changed.changed_at}`;
  const parts = [`${kind} ${id}: ${statusWords(status)}, from ${origin}${by}`];
  if (problem !== null) parts.push(`It is left out:\n${indented(problem)}`);
  if (value !== null) parts.push(`As it is written:\n${yaml(value)}`);
  if (effective !== null) parts.push(`In effect:\n${yaml(effective)}`);
  if (below !== null) parts.push(`Overridden, from ${below.origin}:\n${yaml(below.value)}`);
  return parts.join("\n\n");
}

export function historyInWords({ kind, id, data, next_before }: ElementHistory): string {
  if (data.length === 0) return `The database has never had a ${kind} ${id}.`;
  const lines = data.map(({ version, changed_at, changed_by, action, value }) => {
    const head = `version ${version}: ${action} by ${changed_by} at ${changed_at}`;
    return value === null ? `${head}\n  dropped` : `${head}\n${yaml(value)}`;
  });
  const more = next_before === null ? [] : [`Older versions, before ${next_before}, are in the API.`];
  return [...lines, ...more].join("\n\n");
}

/** The difference that a change makes, a line for each leaf. `made`: it was applied. */
export function changeInWords(
  { kind, id, version, differences, effect, warnings }: ElementChange,
  made: boolean,
): string {
  const lines = differences.flatMap(({ path, before, after }) => {
    // A whole element came or went.
    if (path === "" && isMap(before ?? after)) return marked(before === null ? "+" : "-", before ?? after);
    const where = path === "" ? "value" : path;
    if (before === null) return `+ ${where}: ${inline(after)}`;
    return after === null ? `- ${where}: ${inline(before)}` : `~ ${where}: ${inline(before)} -> ${inline(after)}`;
  });
  const others = [
    ...linesOf("vendor", effect.vendors),
    ...linesOf("model", effect.models),
    ...linesOf("alias", effect.aliases),
  ].filter((line) => !line.endsWith(` ${kind} ${id}`) && !line.includes(` ${kind} ${id}:`));
  const head = made
    ? `${kind} ${id} has version ${version}; it takes effect here now, and on every node within five seconds.`
    : `${kind} ${id}:`;
  return [
    head,
    ...(lines.length === 0 ? ["the result is the same."] : lines),
    ...(others.length === 0 ? [] : ["And with it:", ...others]),
    ...warnings.map((warning) => `! ${warning}`),
  ].join("\n");
}

/** A line for each difference of names: `+ model acme/swift-1`. */
export function linesOf(kind: string, changes: NamedChanges | undefined): string[] {
  if (changes === undefined) return [];
  const { added, removed, changed } = changes;
  return [
    ...added.map((id) => `+ ${kind} ${id}`),
    ...removed.map((id) => `- ${kind} ${id}`),
    ...changed.map(({ id, fields }) => `~ ${kind} ${id}: ${fields.join(", ")}`),
  ];
}

function isMap(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** A value as YAML, each line with a sign before it. */
function marked(sign: "+" | "-", value: unknown): string[] {
  return written(value)
    .split("\n")
    .map((line) => `${sign} ${line}`);
}

function inline(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function yaml(value: unknown): string {
  return indented(written(value));
}

function written(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
