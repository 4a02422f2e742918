import type {
  Element,
  ElementChange,
  ElementHistory,
  ElementList,
  ElementSummary,
  ExportedConfiguration,
  HistoryQuery,
  ListElements,
} from "../../../contract/configuration.ts";
import type { ElementValue as ShownValue } from "../../../contract/configuration-values.ts";
import { nameKey } from "../../catalog/configuration/element-layer.ts";
import { exportConfiguration } from "../../catalog/elements/export-configuration.ts";
import type { Configuration } from "../../core/catalog/catalog.ts";
import type { ElementName, ElementValue, ElementVersion } from "../../core/catalog/configuration-elements.ts";
import { GatewayError } from "../../core/errors.ts";
import type { ConfigurationElements } from "../../pipeline/configuration/configuration-elements.ts";
import type { JudgedChange } from "../../pipeline/configuration/element-changes.ts";
import { type ElementView, inForce, inOrder, messageOf, viewsOf } from "../../pipeline/configuration/element-views.ts";
import { showTime } from "./show.ts";

const DEFAULT_LIMIT = 100;

export function showElements(elements: ConfigurationElements, query: ListElements): ElementList {
  const { names, find, current } = viewsOf(elements);
  const { base, left_out } = elements.state;
  const wanted = query.search?.toLowerCase() ?? "";
  const fits = (view: ElementView): boolean =>
    (query.origin === undefined || view.origin === query.origin) &&
    (wanted === "" || view.id.toLowerCase().includes(wanted) || view.name?.toLowerCase().includes(wanted) === true);
  const found = [...names.values()]
    .filter(({ kind }) => query.kind === undefined || kind === query.kind)
    .toSorted(inOrder)
    .flatMap((name) => find(name) ?? [])
    .filter(fits);
  const limit = query.limit === undefined ? DEFAULT_LIMIT : Number(query.limit);
  const start =
    query.after === undefined ? 0 : found.findIndex((view) => inOrder(view, cursorOf(query.after ?? "")) > 0);
  const shown = start === -1 ? [] : found.slice(start, start + limit);
  const last = shown.at(-1);
  const has_more = start !== -1 && start + limit < found.length;
  return {
    object: "list",
    data: shown.map((view) => summaryOf(view, current)),
    total: found.length,
    next_after: has_more && last !== undefined ? nameKey(last) : null,
    left_out: left_out.size,
    file: base.input.file_text === null ? null : base.input.file_name,
    catalog: base.catalog,
  };
}

/** The element at which a page ended. */
function cursorOf(after: string): ElementName {
  const space = after.indexOf(" ");
  return { kind: after.slice(0, space) as ElementName["kind"], id: after.slice(space + 1) };
}

export function showElement(elements: ConfigurationElements, name: ElementName): Element {
  const { current, find, below } = viewsOf(elements);
  const view = find(name);
  if (view === null) throw noElement(name);
  const own = view.changed?.value ?? null;
  const value = own ?? below(name)?.value ?? null;
  const used = view.status === "in_force" || view.status === "retired";
  return {
    object: "configuration_element",
    ...summaryOf(view, current),
    value: shown(value),
    effective: used ? shown(inForce(current, name, own)) : null,
    below: view.below === null ? null : { origin: view.below.origin, value: shown(view.below.value) as ShownValue },
  };
}

function summaryOf(view: ElementView, { models }: Configuration): ElementSummary {
  const { kind, id, name, origin, status, version, changed, below, problem } = view;
  const unlisted = kind === "model" ? models.get(id)?.unlisted : undefined;
  return {
    ...{ kind, id, name, origin, status, version },
    changed: changed === null ? null : madeOf(changed),
    overrides: below?.origin ?? null,
    problem,
    ...(unlisted === undefined ? {} : { unlisted }),
  };
}

function madeOf({ changed_ms, changed_by }: ElementVersion) {
  return { changed_at: showTime(changed_ms), changed_by };
}

export function showChange(judged: JudgedChange): ElementChange {
  const { kind, id, version, before, after, differences, effect, problems, warnings } = judged;
  return {
    object: "configuration_change",
    ...{ kind, id, version },
    before: shown(before),
    after: shown(after),
    differences: differences.map(({ path, before: was, after: is }) => ({
      path,
      before: was ?? null,
      after: is ?? null,
    })),
    effect: structuredClone(effect) as ElementChange["effect"],
    problems: problems.map((problem) => ({
      path: problem.path,
      found: problem.found,
      allowed: problem.allowed,
      message: messageOf(problem),
    })),
    warnings: [...warnings],
  };
}

function noElement({ kind, id }: ElementName): GatewayError {
  return new GatewayError("not_found", `There is no ${kind} '${id.slice(0, 150)}' in the configuration.`);
}

/** How many versions a page of a history has. */
const HISTORY_PAGE = 50;

export async function showHistory(
  elements: ConfigurationElements,
  name: ElementName,
  { before }: HistoryQuery,
): Promise<ElementHistory> {
  const page = { limit: HISTORY_PAGE + 1, ...(before !== undefined && { before: Number(before) }) };
  const found = await elements.store.elementHistory(name, page);
  if (found.length === 0 && before === undefined && viewsOf(elements).find(name) === null) {
    throw noElement(name);
  }
  const versions = found.slice(0, HISTORY_PAGE);
  return {
    object: "list",
    kind: name.kind,
    id: name.id,
    data: versions.map((each) => ({
      version: each.version,
      ...madeOf(each),
      action: each.action,
      value: shown(each.value),
    })),
    next_before: found.length > versions.length ? (versions.at(-1)?.version ?? null) : null,
  };
}

export function showExport(elements: ConfigurationElements): ExportedConfiguration {
  const { versions, base } = elements.state;
  const vendors = [...versions.values()].flatMap(({ kind, id, value }) =>
    kind === "vendor" && value !== null ? [[id, value] as const] : [],
  );
  const { text, variables } = exportConfiguration(elements.vendors.sources, base.input, new Map(vendors));
  return { object: "configuration_export", text, variables: variables.map((variable) => ({ ...variable })) };
}

function shown(value: ElementValue | null): ShownValue | null {
  return value as ShownValue | null;
}
