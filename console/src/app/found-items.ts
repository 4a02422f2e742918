import { useNavigate } from "@tanstack/react-router";
import { useIsAdministrator } from "../api/session.ts";
import { useApi } from "../api/use-api.ts";
import { useFoundAccounts, useFoundKeys } from "../api/use-found.ts";
import type { PickerItem } from "../kit/picker.tsx";
import { useAccount, useMay } from "../kit/use-account.ts";
import { useSettled } from "../kit/use-settled.ts";

/** The least characters for a search of the server. */
const LEAST = 2;
/** A request's id, ours or a client's, as `GET /requests?q=` takes it. Words without a digit are hardly ids. */
const REQUEST_ID = /^(?=.{6,128}$)(?=.*\d)(?!req_.{0,5}$)[A-Za-z0-9._-]+$/;
const FEW = "5";

/**
 * The items that the server finds by the words that are typed into the palette: accounts for administrators, keys by name, id, ending or alias,
 * requests by the beginning of an id. Administrators find the keys and requests of all accounts.
 */
export function useFoundItems(typed: string, open: boolean): { found: readonly PickerItem[]; searching: boolean } {
  const navigate = useNavigate();
  const administrator = useIsAdministrator();
  const own = useAccount();
  const may = useMay();
  const words = typed.trim();
  const search = open && words.length >= LEAST;
  const accounts = useFoundAccounts({ typed, enabled: search && administrator });
  const of = administrator ? {} : { account: own };
  const keys = useFoundKeys({ typed, enabled: search && may("keys:read"), ...of });
  const requests = useFoundRequests(typed, open && may("requests:read"), administrator ? undefined : own);
  const found: PickerItem[] = [
    ...requests.rows.map(({ id, client_request_id, account, model, outcome }) => ({
      value: id,
      label: client_request_id ?? id,
      note: `${outcome} · ${model}`,
      icon: "requests" as const,
      of_server: true,
      group: "Requests",
      run: () => void navigate({ to: "/requests/$id", params: { id }, search: { account } }),
    })),
    ...(search ? keys.rows : []).map(({ id, account, name, hint, status }) => ({
      value: id,
      label: name || `Key …${hint}`,
      note: `key …${hint}${status === "active" ? "" : ` · ${status}`}`,
      // Rows of an earlier text count only where their names match.
      ...(keys.searching ? {} : { also: words }),
      icon: "key" as const,
      of_server: true,
      group: "Keys",
      run: () => void navigate({ to: "/keys/$id", params: { id }, search: { account } }),
    })),
    ...(search && administrator ? accounts.rows : []).map(({ id, email, name }) => ({
      value: id,
      label: name === "" ? email : `${name} · ${email}`,
      note: "account",
      icon: "accounts" as const,
      of_server: true,
      group: "Accounts",
      run: () => void navigate({ to: "/admin/accounts/$id", params: { id } }),
    })),
  ];
  const searching = search && (keys.searching || (administrator && accounts.searching) || requests.searching);
  return { found, searching };
}

function useFoundRequests(typed: string, may_search: boolean, account: string | undefined) {
  const words = typed.trim();
  const q = useSettled(words);
  const enabled = may_search && REQUEST_ID.test(q);
  const query = { q, limit: FEW, ...(account === undefined ? {} : { account }) };
  const { data, isPlaceholderData, isFetching } = useApi("GET /requests", { query }, { enabled });
  return {
    rows: enabled && !isPlaceholderData ? (data?.data ?? []) : [],
    searching: REQUEST_ID.test(words) && may_search && (q !== words || isFetching),
  };
}
