import type { Project } from "../../../../contract/projects.ts";
import { FilterBar, FilterDay, FilterSelect, FilterText } from "../../kit/filter-bar.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { KeyFilter } from "../keys/key-filter.tsx";
import { projectOptions } from "../keys/use-projects.ts";
import { ModelFilter } from "../keys/model-filter.tsx";
import { ENDPOINTS, FILTERS, isSearchable, STATUSES, TIMES } from "./request-query.ts";

const TIME_OPTIONS = [...TIMES, { value: "custom", label: "Days…" }];

/** The filters above the list of requests, all of them in the address. `account`: null for the requests of all accounts. */
export function RequestFilters({ account, projects = [] }: { account: string | null; projects?: readonly Project[] }) {
  const [{ q = "", time }] = useUrlState("q", "time");
  const too_short = q.trim() !== "" && !isSearchable(q.trim());
  return (
    <>
      <FilterBar names={FILTERS}>
        <FilterText name="q" label="Find by request id" />
        {account !== null && <KeyFilter account={account} />}
        {projects.length > 0 && (
          <FilterSelect name="project" label="Project" options={projectOptions(projects)} all="All projects" />
        )}
        <ModelFilter width="w-44" />
        <FilterSelect name="status" label="Status" options={STATUSES} all="Any status" />
        <FilterSelect name="endpoint" label="Endpoint" options={ENDPOINTS} all="Any endpoint" />
        <FilterSelect name="time" label="Time" options={TIME_OPTIONS} all="Any time" />
        {time === "custom" && (
          <>
            <FilterDay name="from" label="From (UTC)" />
            <FilterDay name="to" label="To (UTC)" />
          </>
        )}
      </FilterBar>
      {too_short && (
        <p role="status" className="-mt-2 mb-4 text-[0.88rem] text-ink-soft">
          Type the beginning of an id: at least three letters or digits, six after req_.
        </p>
      )}
    </>
  );
}
