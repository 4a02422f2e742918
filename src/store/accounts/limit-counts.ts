import type { LimitCounts } from "../../core/ledger/account-sums.ts";
import { sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, type Work } from "../sql/work.ts";
import { LIMITED_ACCOUNT, LIMITED_KEY } from "./own-settings.ts";

const countKeys = sql(
  `SELECT count(*) AS found, coalesce(sum(CASE WHEN ${LIMITED_KEY} THEN 1 ELSE 0 END), 0) AS limited
    FROM keys AS k WHERE k.deleted_ms IS NULL`,
);
const countAccounts = sql(
  `SELECT count(*) AS found, coalesce(sum(CASE WHEN ${LIMITED_ACCOUNT} THEN 1 ELSE 0 END), 0) AS limited
    FROM accounts AS a`,
);

interface Counted {
  readonly found: unknown;
  readonly limited: unknown;
}

export function* countLimits(): Work<LimitCounts> {
  const keys = yield* row<Counted>(countKeys);
  const accounts = yield* row<Counted>(countAccounts);
  return {
    keys: toInt(keys?.found),
    limited_keys: toInt(keys?.limited),
    accounts: toInt(accounts?.found),
    limited_accounts: toInt(accounts?.limited),
  };
}
