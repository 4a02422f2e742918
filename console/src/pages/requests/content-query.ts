import type { ContentsQuery } from "../../../../contract/contents.ts";
import { tagAsked } from "../keys/tag-words.ts";
import { readFilters } from "./request-query.ts";

/** The fields of the address that filter what was said. */
export const CONTENT_FILTERS = ["words", "user", "key", "model", "tag", "answered", "time", "from", "to"] as const;
type ContentFilters = Readonly<Partial<Record<(typeof CONTENT_FILTERS)[number], string>>>;

/** The statuses that are offered; any other one may stand in the address. */
export const ANSWERED = ["200", "400", "401", "403", "404", "413", "422", "429", "500", "502", "503", "529"];

/** The filters of an address as the API takes them. Invalid filters are left out. */
export function readContentFilters(filters: ContentFilters, now_ms: number): Omit<ContentsQuery, "account"> {
  const { words = "", user = "", key, model, tag, answered = "" } = filters;
  const { from, to } = readFilters(filters, now_ms);
  return {
    ...(words.trim() === "" ? {} : { words: words.trim().slice(0, 200) }),
    ...(user.trim() === "" ? {} : { user: user.trim() }),
    ...(key === undefined ? {} : { key }),
    ...(model === undefined ? {} : { model }),
    ...(tag === undefined || tagAsked(tag) === null ? {} : { tag }),
    ...(/^[1-5]\d\d$/.test(answered) ? { status: answered } : {}),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}
