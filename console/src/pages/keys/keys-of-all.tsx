import type { Key } from "../../../../contract/keys.ts";
import { urlOf } from "../../api/call.ts";
import { useApiPages } from "../../api/use-api.ts";
import { useNames } from "../../api/use-names.ts";
import { Card } from "../../kit/card.tsx";
import { type Column, columnsOf, DataTable } from "../../kit/data-table.tsx";
import { DownloadLink } from "../../kit/download-link.tsx";
import { FilterBar, FilterSelect, FilterText } from "../../kit/filter-bar.tsx";
import { FoldedFilters } from "../../kit/folded-filters.tsx";
import { FittingName } from "../../kit/long-name.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { Pagination } from "../../kit/pagination.tsx";
import { QuietLink } from "../../kit/row-link.tsx";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { keyColumns, STATES } from "./key-columns.tsx";

/** The keys of all accounts, for administrators, each with its account. A key is made in its account. */
export function KeysOfAll() {
  const [{ q = "", status }] = useUrlState("q", "status");
  const state = STATES.find(({ value }) => value === status)?.value;
  const filters = { ...(q !== "" && { q }), ...(state && { status: state }) };
  const keys = useApiPages("GET /keys", { query: { limit: "100", ...filters } });
  const names = useNames(keys.rows.map(({ account }) => account));
  return (
    <>
      <PageHeader title="Keys" guide="console#keys" description="The keys of all accounts." />
      <FilterBar names={["q", "status"]}>
        <FilterText name="q" label="Search keys" />
        <FoldedFilters>
          <FilterSelect name="status" label="Status" options={STATES} all="Any status" />
        </FoldedFilters>
      </FilterBar>
      <Loaded query={keys}>
        {() => (
          <Card
            flush
            title="Keys"
            actions={<DownloadLink href={urlOf("/keys", { query: { ...filters, format: "csv" } })} />}
          >
            {keys.rows.length === 0 ? (
              <EmptyState icon="key" title="No keys found" />
            ) : (
              <DataTable
                caption="Keys"
                columns={columnsOf(columnsOfAll(names), !keys.hasNextPage)}
                rows={keys.rows}
                file={null}
                rowKey={({ id }) => id}
                sort_param="sort"
                footer={<Pagination pages={keys} noun={keys.rows.length === 1 ? "key" : "keys"} />}
              />
            )}
          </Card>
        )}
      </Loaded>
    </>
  );
}

function columnsOfAll(names: ReadonlyMap<string, string>): readonly Column<Key>[] {
  const account: Column<Key> = {
    key: "account",
    header: "Account",
    sortBy: ({ account: id }) => names.get(id) ?? id,
    cell: ({ account: id }) => (
      <QuietLink to="/keys" search={(before) => ({ ...before, account: id })}>
        <FittingName>{names.get(id) ?? id}</FittingName>
      </QuietLink>
    ),
  };
  // What is spent of budgets is read for one account at a time.
  const [name, ...others] = keyColumns(undefined).filter(({ key }) => key !== "budget");
  return name === undefined ? others : [name, account, ...others];
}
