import { useNavigate, useSearch } from "@tanstack/react-router";
import { OTHER_TAGS } from "../../../../contract/tag-rules.ts";
import type { CacheUse, ExploreQuery, UsageExploration } from "../../../../contract/usage.ts";
import { urlOf } from "../../api/call.ts";
import { useApi } from "../../api/use-api.ts";
import { useLive } from "../../api/use-live.ts";
import { useAllAccounts } from "../../kit/all-accounts.ts";
import { LinkButton } from "../../kit/button.tsx";
import { Card, Stat } from "../../kit/card.tsx";
import { cx } from "../../kit/cx.ts";
import { FilterBar, FilterDay, FilterNote } from "../../kit/filter-bar.tsx";
import { FoldedFilters } from "../../kit/folded-filters.tsx";
import { formatCount, formatShare } from "../../kit/format.ts";
import { Select } from "../../kit/input.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { EmptyState, Loaded, Notice, PageSkeleton } from "../../kit/states.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { type Search, useUrlState } from "../../kit/url-state.ts";
import { useAccount } from "../../kit/use-account.ts";
import { Count, Money, Tokens } from "../../kit/values.tsx";
import { KeyFilter } from "../keys/key-filter.tsx";
import { ModelFilter } from "../keys/model-filter.tsx";
import { ProjectFilter } from "../keys/project-filter.tsx";
import { TagFilter } from "../keys/tag-filter.tsx";
import { tagAsked, tagNote, usageTagAsked } from "../keys/tag-words.ts";
import { TrafficView } from "../traffic/traffic-view.tsx";
import { type DayRange, DEFAULT_PRESET, PRESETS, rangeObjection, readPreset, readRange } from "./range.ts";
import { GROUPINGS, groupingFields, groupKind, readGrouping, reportTag, tagGroupings } from "./report.ts";
import { StoredAnswers } from "./stored-answers.tsx";
import { UsageChart } from "./usage-chart.tsx";
import { UsageTable } from "./usage-table.tsx";
import { searchOf, type UsageTab } from "./usage-tabs.ts";

const OPTIONS = [...PRESETS, { value: "custom", label: "Custom range" }];

/** Usage as on bills, and as traffic: of an account, or for administrators of all accounts. */
export function UsagePage() {
  const account = useAccount();
  const shows_all = useAllAccounts();
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const of = shows_all ? undefined : account;
  const begins_with: UsageTab = shows_all ? "traffic" : "bill";
  const shown = search.view === "bill" || search.view === "traffic" ? search.view : begins_with;
  const show = (tab: string): void => {
    const next = searchOf(tab === "traffic" ? "traffic" : "bill", search, shows_all);
    void navigate({ to: ".", search: next, replace: true, resetScroll: false });
  };
  return (
    <>
      <PageHeader
        title="Usage"
        guide="console#usage"
        description={shows_all ? "What all accounts used." : "What this account used."}
      />
      <Tabs
        label="Usage as"
        value={shown}
        onChange={show}
        tabs={[
          { id: "bill", label: "Billing", content: <BilledUsage account={of} /> },
          { id: "traffic", label: "Traffic", content: <TrafficView account={of} /> },
        ]}
      />
    </>
  );
}

/** The fields of the address that choose what the page shows. */
const FIELDS = ["range", "since", "until", "by", "tag", "tagged", "key", "project", "model"] as const;

/** Why usage by one tag is not shown for a value of another. */
function twoTags({ tag, tagged }: { tag?: string | undefined; tagged?: string | undefined }): string {
  return `Usage is counted by each tag, not by two together. Group ${tagged} by something else than the tag ${tag}, or clear it.`;
}

/** Usage of an account, or of all, by day, key, model and tag: as numbers, as a chart and as a file. Days are UTC, as on bills. */
function BilledUsage({ account }: { account: string | undefined }) {
  const [search] = useUrlState(...FIELDS);
  const range = readRange(search, Date.now());
  const { key, project, model, tagged } = search;
  const by = readGrouping(search.by, search.tag);
  const tag = reportTag(by, search);
  const objection = rangeObjection(range) ?? (tag === null ? twoTags(search) : null);
  const query: ExploreQuery = {
    ...(account === undefined ? {} : { account }),
    ...range,
    by,
    ...tag,
    ...(key === undefined ? {} : { key }),
    ...(project === undefined ? {} : { project }),
    ...(model === undefined ? {} : { model }),
    // The most groups that a chart can show distinctly; the file has all groups.
    ...(by.startsWith("day,") ? { top: "7" } : {}),
  };
  const usage = useApi("GET /usage/explore", { query }, { enabled: objection === null });
  const { top: _top, ...whole } = query;
  return (
    <>
      {account !== undefined && <KeptFresh account={account} />}
      <Filters range={range} account={account} />
      <FilterNote>Days begin at midnight UTC.</FilterNote>
      <TaggedNote tagged={tagged} />
      {objection === null ? (
        <Loaded query={usage} skeleton={<PageSkeleton tiles={4} blocks={["h-80", "h-64"]} />}>
          {(report) => <Report report={report} csv={urlOf("/usage/explore", { query: { ...whole, format: "csv" } })} />}
        </Loaded>
      ) : (
        <Notice tone="warn">{objection}</Notice>
      )}
      <StoredAnswers account={account} />
    </>
  );
}

/** Has an account's report read again when something was used. */
function KeptFresh({ account }: { account: string }) {
  useLive(account, ["GET /usage/explore"]);
  return null;
}

function Filters({ range, account }: { range: ReturnType<typeof readRange>; account: string | undefined }) {
  const [{ by, tag }, setSearch] = useUrlState("by", "tag");
  const names =
    useApi("GET /tags", { query: account === undefined ? {} : { account } }).data?.data.map(({ name }) => name) ?? [];
  const grouping = readGrouping(by, tag);
  const is_by_tag = groupKind(grouping) === "tag" && tag !== undefined;
  // A tag of the address that no key has any more is a choice, too.
  const tags = is_by_tag && !names.includes(tag) ? [...names, tag] : names;
  return (
    <FilterBar names={FIELDS}>
      <RangePicker range={range} />
      <Select
        label="Group by"
        options={[...GROUPINGS, ...tagGroupings(tags)]}
        value={is_by_tag ? `${grouping}:${tag}` : grouping}
        onChange={(typed) => setSearch(groupingFields(typed))}
        className="w-auto max-sm:flex-1 max-sm:basis-40 sm:max-w-72"
      />
      <FoldedFilters>
        {account !== undefined && <KeyFilter account={account} />}
        <ModelFilter width="w-52" />
        {account !== undefined && <ProjectFilter account={account} />}
        <TagFilter account={account ?? null} name="tagged" />
      </FoldedFilters>
    </FilterBar>
  );
}

function Report({ report, csv }: { report: UsageExploration; csv: string }) {
  if (report.total.request_count === 0)
    return (
      <Card flush>
        <EmptyState
          icon="usage"
          title="Nothing was used"
          action={
            <LinkButton to="/keys" icon="key">
              To the keys
            </LinkButton>
          }
        >
          No request matches these days and filters. Choose a longer range, or clear the filters.
        </EmptyState>
      </Card>
    );
  return (
    <div className="space-y-5">
      <UsageTotals report={report} />
      <UsageChart report={report} />
      <UsageTable report={report} csv={csv} />
    </div>
  );
}

/** The scope of a filter of usage by a tag, with links to the requests and keys that have the tag. */
function TaggedNote({ tagged }: { tagged: string | undefined }) {
  const asked = usageTagAsked(tagged);
  // The list of keys is of one account.
  const shows_all = useAllAccounts();
  if (asked === null || asked.value === "") return <FilterNote>{tagNote(tagged, asked, "Usage")}</FilterNote>;
  if (tagAsked(tagged) === null || asked.value === OTHER_TAGS)
    return <FilterNote>Usage that its days had no room to count apart, so it stands under {OTHER_TAGS}.</FilterNote>;
  return (
    <FilterNote>
      Usage that counts under {tagged}: of{" "}
      <TextLink to="/requests" search={{ tag: tagged }}>
        requests that carry it
      </TextLink>
      , and of{" "}
      {shows_all ? (
        "keys that have it"
      ) : (
        <TextLink to="/keys" search={{ tag: tagged }}>
          keys that have it
        </TextLink>
      )}{" "}
      where a request has none.
    </FilterNote>
  );
}

/** A choice of days: a preset, or a first and last day. `range`: the shown days, with which a custom range begins. */
function RangePicker({ range }: { range: DayRange }) {
  const [search, setSearch] = useUrlState("range", "since", "until");
  const preset = readPreset(search.range);
  const choose = (chosen: string) =>
    setSearch(
      chosen === "custom"
        ? { range: chosen, ...range }
        : { range: chosen === DEFAULT_PRESET ? undefined : chosen, since: undefined, until: undefined },
    );
  return (
    <>
      <Select
        label="Range"
        options={OPTIONS}
        value={preset}
        onChange={choose}
        className="w-auto max-sm:flex-1 max-sm:basis-40"
      />
      {preset === "custom" && (
        <>
          <FilterDay name="since" label="From" />
          <FilterDay name="until" label="To" />
        </>
      )}
    </>
  );
}

function UsageTotals({ report: { total, currency, cache } }: { report: UsageExploration }) {
  const { request_count, success_count, cost_micro, prompt_tokens, completion_tokens } = total;
  const each = request_count === 0 ? null : Math.round(cost_micro / request_count);
  return (
    <div className={cx("grid grid-cols-2 gap-3 lg:grid-cols-4", cache && "xl:grid-cols-5")}>
      <Stat
        label="Spend"
        note={
          each === null ? (
            "nothing used"
          ) : (
            <>
              about <Money micro={each} currency={currency} /> a request
            </>
          )
        }
      >
        <Money focusable micro={cost_micro} currency={currency} />
      </Stat>
      <Stat label="Requests" note={answered(request_count - success_count)}>
        <Count count={request_count} />
      </Stat>
      <Stat label="Tokens in" note="cached input included">
        <Tokens focusable count={prompt_tokens} />
      </Stat>
      <Stat label="Tokens out" note="reasoning included">
        <Tokens focusable count={completion_tokens} />
      </Stat>
      {cache && (
        <Stat label="Saved by stored answers" note={foundOf(cache)}>
          <Money focusable micro={cache.saved_micro} currency={currency} />
        </Stat>
      )}
    </div>
  );
}

function answered(failures: number): string {
  return failures === 0 ? "all answered" : `${formatCount(failures)} without an answer`;
}

/** `found for 80% of 1,200 requests`. */
function foundOf({ hits, misses }: CacheUse): string {
  const asked = hits + misses;
  return `found for ${formatShare(hits / asked)} of ${formatCount(asked)} requests that asked`;
}
