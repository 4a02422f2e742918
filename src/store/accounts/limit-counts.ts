import type { LimitCounts } from "../../core/ledger/account-sums.ts";
import { int, readFirst } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import type { Work } from "../sql/work.ts";
import { LIMITED_ACCOUNT, LIMITED_KEY } from "./own-settings.ts";

const countKeys = sql(
  `SELECT count(*) AS found, coalesce(sum(CASE WHEN ${LIMITED_KEY} THEN 1 ELSE 0 END), 0) AS limited
    FROM keys AS k WHERE k.deleted_ms IS NULL`,
);
const countAccounts = sql(
  `SELECT count(*) AS found, coalesce(sum(CASE WHEN ${LIMITED_ACCOUNT} THEN 1 ELSE 0 END), 0) AS limited
    FROM accounts AS a WHERE a.cell IS NULL`,
);

const COUNTED = { found: int, limited: int } as const;

export function* countLimits(): Work<LimitCounts> {
  const keys = yield* readFirst(COUNTED, countKeys);
  const accounts = yield* readFirst(COUNTED, countAccounts);
  return {
    ...{ keys: keys?.found ?? 0, limited_keys: keys?.limited ?? 0 },
    ...{ accounts: accounts?.found ?? 0, limited_accounts: accounts?.limited ?? 0 },
  };
}
