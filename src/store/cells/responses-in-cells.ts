import type { ResponseStore } from "../../core/answer/stored-responses.ts";
import { all, apart, type CellRoutes, home, homeOr, named, sum } from "./routes.ts";

const ofAccount = (account_id: string): string => account_id;
const account = (account_id: string | null): string | null => account_id;

/** Responses, answers that are given again and contents lie with their account. Bounds of all together are those of each cell. */
export const RESPONSE_ROUTES: CellRoutes<ResponseStore> = {
  put: ({ cells, ask }, rows, account_bytes) => apart(cells, rows, (cell, own) => ask(cell, own, account_bytes)),
  find: home(ofAccount),
  chain: home(ofAccount),
  findItems: home(ofAccount),
  remove: home(ofAccount),
  removeExpired: all(sum),
  findCached: home(ofAccount),
  putCached: ({ cells, ask }, rows) => apart(cells, rows, ask),
  trimCached: all(sum),
  cachedBytes: homeOr(account, all(sum)),
  emptyCached: homeOr(
    account,
    all((parts) => ({
      removed: sum(parts.map(({ removed }) => removed)),
      until_ms: Math.max(...parts.map(({ until_ms }) => until_ms)),
    })),
  ),
  countCached: ({ cells, ask }, counts) => apart(cells, counts, ask),
  cacheSums: homeOr(
    account,
    all((parts) => ({
      hits: sum(parts.map(({ hits }) => hits)),
      misses: sum(parts.map(({ misses }) => misses)),
      saved_micro: parts.reduce((saved, part) => saved + part.saved_micro, 0n),
    })),
  ),
  putContents: ({ cells, ask }, rows) => apart(cells, rows, ask),
  listContents: home(named),
  findContents: home(ofAccount),
  readSegments: home(ofAccount),
  cutSegment: home(ofAccount),
  trimContents: all(sum),
};
