import { useState } from "react";
import { useFoundAccounts } from "../../api/use-found.ts";
import { useNames } from "../../api/use-names.ts";
import { Combobox } from "../../kit/combobox.tsx";
import { FilterBar, FilterNote, FilterSelect, FilterText } from "../../kit/filter-bar.tsx";
import { FoldedFilters, useChip } from "../../kit/folded-filters.tsx";
import { viewerZone } from "../../kit/format.ts";
import { useUrlState } from "../../kit/url-state.ts";
import { KeyFilter } from "../keys/key-filter.tsx";
import { ModelFilter } from "../keys/model-filter.tsx";
import { ProjectFilter } from "../keys/project-filter.tsx";
import { TagFilter } from "../keys/tag-filter.tsx";
import { tagAsked, tagNote } from "../keys/tag-words.ts";
import {
  ENDPOINTS,
  FILTERS,
  type Filters,
  isBackwards,
  isSearchable,
  NOT_OF_REFUSED,
  STATUSES,
} from "./request-query.ts";
import { TimeFilter } from "./time-filter.tsx";

/** The filters above the list of requests, all of them in the address. `account`: null for the requests of all accounts. */
export function RequestFilters({ account }: { account: string | null }) {
  const [search] = useUrlState(...FILTERS);
  const of_account = account ?? search.of;
  const zone = viewerZone();
  return (
    <>
      <FilterBar names={FILTERS}>
        <FilterText name="q" label="Find by request id" />
        <FoldedFilters>
          {account === null && <AccountFilter />}
          {of_account !== undefined && (
            <>
              <KeyFilter account={of_account} />
              <ProjectFilter account={of_account} />
            </>
          )}
          <ModelFilter width="w-44" />
          <TagFilter account={account} />
          <FilterSelect name="status" label="Status" options={STATUSES} all="Any status" />
          <FilterSelect name="endpoint" label="Endpoint" options={ENDPOINTS} all="Any endpoint" />
          <TimeFilter />
        </FoldedFilters>
      </FilterBar>
      {notesOn(search, zone).map((note) => (
        <FilterNote key={note}>{note}</FilterNote>
      ))}
    </>
  );
}

/** The meaning of the filters, and which of them do not count. */
function notesOn(filters: Filters, zone: string): string[] {
  const { q = "", status, tag, time } = filters;
  const of_none = NOT_OF_REFUSED.filter((name) => filters[name] !== undefined);
  const notes = [
    q.trim() !== "" && !isSearchable(q.trim())
      ? "Type the beginning of an id: at least three letters or digits, six after req_."
      : null,
    status === "refused" && of_none.length > 0
      ? `Refused requests are not told apart by ${of_none.join(" and ")}: those filters do not count here.`
      : tagNote(tag, tagAsked(tag), "Requests"),
    time === "custom" && isBackwards(filters)
      ? "“From” is after “To”."
      : time === "custom"
        ? `Times are in ${zone}. The minute of “To” is included.`
        : null,
  ];
  return notes.filter((note) => note !== null);
}

/** A filter of all accounts' requests by one account, which the server finds by its e-mail, name or id. */
function AccountFilter() {
  const [{ of = "" }, setSearch] = useUrlState("of", "key", "project");
  const [typed, setTyped] = useState("");
  const { rows, searching } = useFoundAccounts({ typed });
  const shown = useNames(of === "" ? [] : [of]).get(of);
  useChip("of", of && (shown ?? of));
  const options = rows.map(({ id, email, name }) => ({
    value: id,
    label: email,
    note: name,
    ...(searching ? {} : { also: typed }),
  }));
  return (
    <Combobox
      label="Account"
      hide_label
      placeholder="All accounts"
      options={[{ value: "", label: "All accounts" }, ...options]}
      value={of}
      shown={shown}
      onType={setTyped}
      searching={searching}
      // A key and a project are an account's.
      onChange={(value) => setSearch({ of: value, key: undefined, project: undefined })}
      className="w-52 max-sm:w-full"
    />
  );
}
