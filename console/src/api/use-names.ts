import { useQueries } from "@tanstack/react-query";
import { apiQuery } from "./use-api.ts";

const AT_ONCE = 100;
const FRESH_MS = 60_000;

/**
 * The e-mail addresses of accounts and users by their ids, for administrators: of the ids that a page shows, and of no others. An id
 * without a name, such as `admin-token`, is not in the map.
 */
export function useNames(ids: readonly string[], enabled = true): ReadonlyMap<string, string> {
  const asked = [...new Set(ids)].filter((id) => /^[A-Za-z0-9]+_[A-Za-z0-9]+$/.test(id));
  const chunks = Array.from({ length: Math.ceil(asked.length / AT_ONCE) }, (_, at) =>
    asked.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  );
  return useQueries({
    queries: chunks.map((chunk) => ({
      ...apiQuery("GET /names", { query: { ids: chunk.join(",") } }),
      staleTime: FRESH_MS,
      enabled,
    })),
    combine: (answers) => new Map(answers.flatMap(({ data }) => Object.entries(data?.names ?? {}))),
  });
}
