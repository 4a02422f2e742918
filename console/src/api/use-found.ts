import type { Account } from "../../../contract/accounts.ts";
import type { Key } from "../../../contract/keys.ts";
import type { User } from "../../../contract/users.ts";
import { useSettled } from "../kit/use-settled.ts";
import { useApi } from "./use-api.ts";

/**
 * The rows that the server finds by the words that a user types, for pickers and filters: the first matches, the newest first. `searching`:
 * the rows belong to an earlier text.
 */
interface Found<Row> {
  readonly rows: readonly Row[];
  readonly searching: boolean;
}

const FIRST = "30";

interface TypedSearch {
  readonly typed: string;
  readonly enabled?: boolean;
}

export function useFoundAccounts({ typed, enabled = true }: TypedSearch): Found<Account> {
  const { query, ...state } = useTyped(typed);
  const found = useApi("GET /accounts", { query }, { enabled });
  return foundOf(found, state, enabled);
}

/** Keys of one account, or (`account` left out) of all that the user may see. */
export function useFoundKeys({
  typed,
  enabled = true,
  account,
}: TypedSearch & { readonly account?: string }): Found<Key> {
  const { query, ...state } = useTyped(typed);
  const of_account = account === undefined ? {} : { account };
  const found = useApi("GET /keys", { query: { ...query, ...of_account } }, { enabled });
  return foundOf(found, state, enabled);
}

export function useFoundUsers({ typed, enabled = true }: TypedSearch): Found<User> {
  const { query, ...state } = useTyped(typed);
  const found = useApi("GET /users", { query }, { enabled });
  return foundOf(found, state, enabled);
}

function useTyped(typed: string) {
  const words = typed.trim().slice(0, 200);
  const q = useSettled(words);
  return { query: { limit: FIRST, ...(q !== "" && { q }) }, is_settled: q === words };
}

function foundOf<Row>(
  { data, isPlaceholderData, isPending }: FoundQuery<Row>,
  { is_settled }: { readonly is_settled: boolean },
  enabled: boolean,
): Found<Row> {
  return { rows: data?.data ?? [], searching: enabled && (!is_settled || isPlaceholderData || isPending) };
}

interface FoundQuery<Row> {
  readonly data: { readonly data: readonly Row[] } | undefined;
  readonly isPlaceholderData: boolean;
  readonly isPending: boolean;
}
