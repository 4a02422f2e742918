import { NO_PROJECT, type PageQuery } from "../../../contract/common.ts";
import { splitTag } from "../../../contract/tag-rules.ts";
import { given } from "../../core/given.ts";
import type { KeyTag } from "../../core/people/keys.ts";
import type { ListQuery, OwnSetting } from "../../core/people/list-query.ts";

/** Long lists come newest first, a page at a time. Each page names its last record, where the next page goes on. */

const DEFAULT_LIMIT = 50;

export interface Page {
  readonly limit: number;
  readonly before_id?: string;
}

/** Reads the page that a query asks for; its schema has checked the digits. */
export function readPage(query: PageQuery): Page {
  const limit = query.limit === undefined ? DEFAULT_LIMIT : Number(query.limit);
  return { limit, ...given({ before_id: query.before }) };
}

export interface ShownPage<Shown> {
  object: "list";
  data: Shown[];
  has_more: boolean;
  next_before: string | null;
}

/** Shows a page of records. A record beyond the limit in `records` shows that another page follows. */
export function showPage<Item extends { readonly id: string }, Shown>(
  records: readonly Item[],
  page: Page,
  show: (record: Item) => Shown,
): ShownPage<Shown> {
  const shown = records.slice(0, page.limit);
  const has_more = records.length > shown.length;
  return {
    object: "list",
    data: shown.map(show),
    has_more,
    next_before: has_more ? (shown.at(-1)?.id ?? null) : null,
  };
}

interface SearchQuery extends PageQuery {
  readonly q?: string;
  readonly status?: string;
  readonly project?: string;
  /** Only records with a setting of their own. */
  readonly has?: OwnSetting;
  readonly tag?: string;
}

/** The query of a search: one record more than the page has, to know whether another page follows. */
export function searchOf(query: SearchQuery, page: Page): ListQuery {
  const { q, status, project, has, tag } = query;
  return {
    ...page,
    ...given({ search: q, status, own: has }),
    ...(project === undefined ? {} : { project_id: projectAsked(project) }),
    ...(tag === undefined ? {} : { tag: tagAsked(tag) }),
    limit: page.limit + 1,
  };
}

/** A filter by project in the store's form: "" finds records without a project. */
export function projectAsked(project: string): string {
  return project === NO_PROJECT ? "" : project;
}

/** A filter `NAME=VALUE` as the store has it; the query's schema has found the equals sign. */
export function tagAsked(text: string): KeyTag {
  return splitTag(text) ?? { name: text, value: "" };
}

/** Whether a list comes in pages: it comes whole where nothing but its account is asked for. */
export function isPaged({ limit, before, q, status, has }: SearchQuery): boolean {
  return [limit, before, q, status, has].some((field) => field !== undefined);
}
