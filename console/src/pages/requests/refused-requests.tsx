import type { RefusalSum, RefusalsQuery } from "../../../../contract/refusals.ts";
import { urlOf } from "../../api/call.ts";
import { useApi } from "../../api/use-api.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { DownloadLink } from "../../kit/download-link.tsx";
import { formatCount } from "../../kit/format.ts";
import { LongName, ShortenedName } from "../../kit/long-name.tsx";
import { QuietLink } from "../../kit/row-link.tsx";
import { EmptyState, Loaded, SkeletonRows } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { None, Time } from "../../kit/values.tsx";
import { FILTERS, readRefusals } from "./request-query.ts";

const REFRESH_MS = 10_000;

/** Requests that were refused before a vendor was asked, summed up by minute. `account`: undefined for all accounts. */
export function RefusedRequests({ account }: { account: string | undefined }) {
  const [search, setSearch] = useUrlState(...FILTERS, "before");
  const { before } = search;
  const query: RefusalsQuery = {
    ...readRefusals(search, Date.now()),
    ...(account === undefined ? {} : { account }),
    ...(before === undefined ? {} : { to: before }),
  };
  const refused = useApi("GET /requests/refused", { query }, { refresh_ms: REFRESH_MS });
  const csv = urlOf("/requests/refused", { query: { ...query, format: "csv" } });
  return (
    <Card
      flush
      title="Refused requests"
      description="Refused before a vendor was called, and free. Grouped by minute; latest ID shown."
      actions={<DownloadLink href={csv} />}
    >
      <Loaded query={refused} skeleton={<SkeletonRows rows={6} />}>
        {({ data, next_to }) =>
          data.length === 0 ? (
            <EmptyState icon="check" title="Nothing was refused">
              No request that matches these filters was refused in the last 30 days.
            </EmptyState>
          ) : (
            <DataTable
              caption="Refused requests"
              columns={refusalColumns(account === undefined)}
              rows={data}
              file={null}
              rowKey={(sum) => `${sum.minute} ${sum.account} ${sum.key_id} ${sum.endpoint} ${sum.code}`}
              footer={
                (next_to !== null || before !== undefined) && (
                  <div className="flex justify-end gap-2 border-t border-line px-5 py-3">
                    {before !== undefined && (
                      <Button size="small" onClick={() => setSearch({ before: undefined })}>
                        Newest
                      </Button>
                    )}
                    {next_to !== null && (
                      <Button size="small" onClick={() => setSearch({ before: next_to })}>
                        Older
                      </Button>
                    )}
                  </div>
                )
              }
            />
          )
        }
      </Loaded>
    </Card>
  );
}

const ACCOUNT: Column<RefusalSum> = {
  key: "account",
  header: "Account",
  cell: ({ account, account_email }) => (
    <ShortenedName hint={account_email || account}>
      <QuietLink to="/requests" search={(before) => ({ ...before, account })}>
        <LongName>{account_email || account}</LongName>
      </QuietLink>
    </ShortenedName>
  ),
};

const CODE: Column<RefusalSum> = {
  key: "code",
  header: "Why",
  heading: true,
  cell: ({ code, status, last }) => (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <Badge tone="warn">{status}</Badge>
      <code className="font-mono text-[0.86rem] whitespace-nowrap">{code}</code>
      {last.param !== null && <span className="text-[0.82rem] font-normal text-ink-soft">{last.param}</span>}
    </span>
  ),
};

const COUNT: Column<RefusalSum> = {
  key: "count",
  header: "Requests",
  numeric: true,
  cell: ({ count }) => formatCount(count),
};

const BEHIND_TIME: readonly Column<RefusalSum>[] = [
  {
    key: "key",
    header: "Key",
    cell: ({ key_id, key_name }) =>
      key_id === null ? (
        <span className="text-ink-soft">several</span>
      ) : (
        <ShortenedName hint={key_name || key_id}>
          <LongName>{key_name || `key …${key_id.slice(-4)}`}</LongName>
        </ShortenedName>
      ),
  },
  { key: "endpoint", header: "Endpoint", wide_only: true, cell: ({ endpoint }) => endpoint ?? <None /> },
  {
    key: "last",
    header: "Newest",
    wide_only: true,
    cell: ({ last }) => (
      <span className="block max-w-52 truncate font-mono text-[0.8rem]" data-hint={last.request_id}>
        {last.client_request_id ?? last.request_id}
      </span>
    ),
  },
];

function refusalColumns(names_account: boolean): Column<RefusalSum>[] {
  const time: Column<RefusalSum> = {
    key: "time",
    header: "Time",
    cell: ({ last }) => <Time clock at={last.at} />,
  };
  return [CODE, ...(names_account ? [ACCOUNT] : []), COUNT, time, ...BEHIND_TIME];
}
