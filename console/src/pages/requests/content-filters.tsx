import { FilterBar, FilterNote, FilterSelect, FilterText, FilterTime } from "../../kit/filter-bar.tsx";
import { FoldedFilters } from "../../kit/folded-filters.tsx";
import { viewerZone } from "../../kit/format.ts";
import { useUrlState } from "../../kit/url-state.ts";
import { KeyFilter } from "../keys/key-filter.tsx";
import { ModelFilter } from "../keys/model-filter.tsx";
import { TagFilter } from "../keys/tag-filter.tsx";
import { tagAsked, tagNote } from "../keys/tag-words.ts";
import { ANSWERED, CONTENT_FILTERS } from "./content-query.ts";
import { hasEnds, isBackwards, TIMES, timeFields } from "./request-query.ts";

const TIME_OPTIONS = [...TIMES, { value: "custom", label: "From … to …" }];
const STATUS_OPTIONS = ANSWERED.map((status) => ({ value: status, label: status }));

/** The filters above what was said. `words`: whether the account's contents may be searched for words. */
export function ContentFilters({ account, words }: { account: string; words: boolean }) {
  const [search] = useUrlState(...CONTENT_FILTERS);
  const { time, tag } = search;
  const zone = viewerZone();
  const timesOf = (chosen: string) => timeFields(chosen, { before: time, now_ms: Date.now(), zone });
  return (
    <>
      <FilterBar names={CONTENT_FILTERS}>
        {words && <FilterText name="words" label="Words that were said" />}
        <FoldedFilters>
          <FilterText name="user" label="End user's id" />
          <KeyFilter account={account} />
          <ModelFilter width="w-44" />
          <TagFilter account={account} />
          <FilterSelect name="answered" label="Status" options={STATUS_OPTIONS} all="Any status" />
          <FilterSelect
            name="time"
            label="Time"
            options={TIME_OPTIONS}
            all="Any time"
            also={timesOf}
            is_told_elsewhere={hasEnds(search)}
          />
          {time === "custom" && (
            <>
              <FilterTime name="from" label="From" />
              <FilterTime name="to" label="To" last />
            </>
          )}
        </FoldedFilters>
      </FilterBar>
      <FilterNote>{tagNote(tag, tagAsked(tag), "Requests")}</FilterNote>
      <FilterNote>{isBackwards(search) ? "“From” is after “To”." : null}</FilterNote>
    </>
  );
}
