import { FilterBar, FilterDay, FilterText } from "../../kit/filter-bar.tsx";
import { FoldedFilters } from "../../kit/folded-filters.tsx";
import { FilterAccount, FilterOne, FilterUser } from "../admin-parts/people-filters.tsx";
import { ACTION_OPTIONS } from "./audit-words.ts";

/** The filters of the audit log: actor, action, object, account and time. */
export function AuditFilters() {
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
