import { useMemo } from "react";
import type { Receipt, ReceiptList } from "../../../../contract/requests.ts";
import { urlOf } from "../../api/call.ts";
import { useApiPages } from "../../api/use-api.ts";
import { useLive } from "../../api/use-live.ts";
import { useAllAccounts } from "../../kit/all-accounts.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { DataTable } from "../../kit/data-table.tsx";
import { DownloadLink } from "../../kit/download-link.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { Pagination } from "../../kit/pagination.tsx";
import { EmptyState, ErrorState, SkeletonRows } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { useAccount, useMay } from "../../kit/use-account.ts";
import { Time } from "../../kit/values.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { RefusedRequests } from "./refused-requests.tsx";
import { type Listed, requestColumns } from "./request-columns.tsx";
import { RequestFilters } from "./request-filters.tsx";
import { FILTERS, readFilters } from "./request-query.ts";
import { RunningRequests } from "./running-requests.tsx";

/** The account's requests, or for administrators those of all accounts: the running ones first, updated live. */
export function RequestsPage() {
  return useAllAccounts() ? <RequestsOfAll /> : <RequestsOfAccount />;
}

/** Every account's requests, each with its account. */
function RequestsOfAll() {
  const [{ of }] = useUrlState("of");
  return (
    <>
      <PageHeader
        title="Requests"
        guide="console#requests"
        description="What was asked with the keys of all accounts, what answered, and what it cost."
      />
      <RequestFilters account={null} />
      <List account={of} of_all />
    </>
  );
}

const REFRESH_MS = 10_000;

function RequestsOfAccount() {
  const account = useAccount();
  const may = useMay();
  const live = useLive(account, ["GET /requests", "GET /keys"]).data;
  return (
    <>
      <PageHeader
        title="Requests"
        guide="console#requests"
        description="What was asked, what answered, and what it cost. New requests appear automatically."
        actions={may("content:read") && <LinkButton to="/requests/said">What was said</LinkButton>}
      />
      <RequestFilters account={account} />
      {live !== undefined && live.account === account && <RunningRequests live={live} />}
      <List account={account} />
    </>
  );
}

/** Refused requests have no receipts: in sums, which count each of them, they are a list of their own. */
function List({ account, of_all = false }: Scope) {
  const [{ status }] = useUrlState("status");
  return status === "refused" ? (
    <RefusedRequests account={account} />
  ) : (
    <RequestList account={account} of_all={of_all} />
  );
}

/** `of_all`: the list is of all accounts, or of one of them (`account`), and names each request's account. */
interface Scope {
  readonly account: string | undefined;
  readonly of_all?: boolean;
}

function RequestList({ account, of_all = false }: Scope) {
  const [search, setSearch] = useUrlState(...FILTERS);
  const asked = FILTERS.map((name) => search[name] ?? "").join("\n");
  // A time such as "last hour" is computed once, when it is chosen, so that loaded pages stay valid.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` is `search` as a text
  const query = useMemo(
    () => ({ ...(account === undefined ? {} : { account }), ...readFilters(search, Date.now()) }),
    [account, asked],
  );
  const pages = useApiPages("GET /requests", { query }, { refresh_ms: REFRESH_MS });
  const keyNames = useMemo(() => namesIn(pages.data?.pages, "keys"), [pages.data]);
  const accountNames = useMemo(() => namesIn(pages.data?.pages, "accounts"), [pages.data]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage, data, error, refetch } = pages;
  const rows = useMemo(() => listed(pages.rows, pages.data?.pages), [pages.rows, pages.data]);
  const shown = { rows, hasNextPage, isFetchingNextPage, fetchNextPage };
  const filtered = asked.trim() !== "";
  const back_to = data?.pages.at(-1)?.searched_back_to ?? null;
  const body = () => {
    if (data === undefined)
      return error ? <ErrorState error={error} onRetry={() => refetch()} /> : <SkeletonRows rows={8} />;
    if (rows.length > 0)
      return (
        <>
          <DataTable
            caption="Requests"
            columns={requestColumns({
              keyNames,
              ...(of_all ? { accountNames } : {}),
            })}
            rows={rows}
            file={null}
            rowKey={({ id }: Listed) => id}
          />
          <Pagination pages={shown} noun={rows.length === 1 ? "request" : "requests"} />
        </>
      );
    if (hasNextPage) return <NothingYet back_to={back_to} pages={pages} />;
    if (!filtered) return <FirstSteps>Each model call appears here as it runs, with its exact cost.</FirstSteps>;
    return (
      <EmptyState
        icon="search"
        title="No request matches"
        action={
          <Button onClick={() => setSearch(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}>
            Clear all filters
          </Button>
        }
      >
        No request so far matches all of these filters.
      </EmptyState>
    );
  };
  const actions = pages.rows.length > 0 && (
    <DownloadLink href={urlOf("/requests", { query: { ...query, format: "csv" } })} />
  );
  return (
    <Card
      flush
      {...(actions ? { title: "Requests", description: "Exports the latest 5,000 matching requests.", actions } : {})}
    >
      {body()}
    </Card>
  );
}

/** The receipts with the refused requests of their time, newest first. */
function listed(receipts: readonly Receipt[], pages: readonly Pick<ReceiptList, "refused">[] = []): readonly Listed[] {
  const refused = pages.flatMap((page) => page.refused);
  if (refused.length === 0) return receipts;
  return [...receipts, ...refused].toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
}

/** The names of the loaded pages' accounts or keys, by their ids. */
function namesIn(
  pages: readonly Pick<ReceiptList, "names">[] | undefined,
  kind: keyof ReceiptList["names"],
): ReadonlyMap<string, string> {
  return new Map((pages ?? []).flatMap(({ names }) => Object.entries(names[kind])));
}

/** Stands in for an empty first page of a filter that fits few requests, while older requests are not searched yet. */
function NothingYet({
  back_to,
  pages,
}: {
  back_to: Receipt["created_at"] | null;
  pages: { isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}) {
  return (
    <EmptyState
      icon="search"
      title="Nothing found yet"
      action={
        <Button busy={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
          Look further back
        </Button>
      }
    >
      {back_to !== null && (
        <>
          Looked through all requests since <Time clock at={back_to} />.
        </>
      )}
    </EmptyState>
  );
}
