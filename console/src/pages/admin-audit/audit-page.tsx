import { urlOf } from "../../api/call.ts";
import { useApiPages } from "../../api/use-api.ts";
import { useNames } from "../../api/use-names.ts";
import { Card } from "../../kit/card.tsx";
import { DownloadLink } from "../../kit/download-link.tsx";
import { FilterBar, FilterDay, FilterText } from "../../kit/filter-bar.tsx";
import { FoldedFilters } from "../../kit/folded-filters.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { Pagination } from "../../kit/pagination.tsx";
import { EmptyState, ErrorState, SkeletonRows } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { useCurrency } from "../../kit/use-currency.ts";
import { FilterAccount, FilterOne, FilterUser } from "../admin-parts/people-filters.tsx";
import { ACTION_OPTIONS } from "./audit-words.ts";
import { EntryRow } from "./entry-row.tsx";

const FRESH_MS = 10_000;

/** The audit log: who changed what, with the values before and after. Entries are never changed or removed. */
export function AuditPage() {
  const [filters] = useUrlState("actor", "action", "object", "of", "from", "until");
  const { actor, action, object, of, from, until } = filters;
  const asked = {
    ...(actor && { actor }),
    ...(action && { action }),
    ...(object && { object }),
    ...(of && { account: of }),
    ...(from && { from }),
    ...(until && { to: dayAfter(until) }),
  };
  const query = { limit: "50", ...asked };
  const entries = useApiPages("GET /audit-log", { query }, { refresh_ms: FRESH_MS });
  const currency = useCurrency();
  const names = useNames(entries.rows.flatMap(({ account, object }) => [account ?? "", object.id ?? ""]));
  const is_filtered = Object.values(filters).some((value) => value !== undefined);
  return (
    <>
      <PageHeader
        title="Audit log"
        guide="console#health-and-audit-log"
        description="Every change, sign-in and sign-in attempt. Entries cannot be changed or removed."
      />
      <AuditFilters />
      <Card
        flush
        title="Entries"
        actions={<DownloadLink href={urlOf("/audit-log", { query: { ...asked, format: "csv" } })} />}
      >
        {entries.data === undefined ? (
          entries.error ? (
            <ErrorState error={entries.error} onRetry={() => entries.refetch()} />
          ) : (
            <SkeletonRows rows={8} />
          )
        ) : entries.rows.length === 0 ? (
          <EmptyState icon="audit" title={is_filtered ? "Nothing matches" : "Nothing has been changed yet"}>
            {is_filtered ? "Remove a filter, or choose a longer range." : "Changes appear here as they are made."}
          </EmptyState>
        ) : (
          <>
            <ol aria-label="Changes, newest first" className="divide-y divide-line">
              {entries.rows.map((entry) => (
                <EntryRow key={entry.id} entry={entry} names={names} currency={currency} />
              ))}
            </ol>
            <Pagination pages={entries} noun="entries" />
          </>
        )}
      </Card>
    </>
  );
}

/** The day after a day: the filter's end is inclusive, the API's is not. A text that is no day is left to the API. */
function dayAfter(day: string): string {
  const time_ms = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(time_ms) ? day : new Date(time_ms + 86_400_000).toISOString().slice(0, 10);
}

/** The filters of the audit log: actor, action, object, account and time. */
function AuditFilters() {
  return (
    <FilterBar names={["actor", "action", "object", "of", "from", "until"]}>
      <FoldedFilters>
        <FilterUser name="actor" label="By" all="Anyone" />
        <FilterOne name="action" label="What" all="Any change" options={ACTION_OPTIONS} />
        <FilterAccount name="of" label="Account" all="Any account" />
        <FilterDay name="from" label="From" />
        <FilterDay name="until" label="Until" />
        <FilterText name="object" label="Id of what was changed" />
      </FoldedFilters>
    </FilterBar>
  );
}
