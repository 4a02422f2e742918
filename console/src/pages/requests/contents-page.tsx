import { useMemo, useState } from "react";
import type { ContentEntry, ContentSwitches } from "../../../../contract/contents.ts";
import { tagTexts } from "../../../../contract/tag-rules.ts";
import { messageOf } from "../../api/api-error.ts";
import { urlOf } from "../../api/call.ts";
import { useApi, useApiPages, useChange } from "../../api/use-api.ts";
import { useAllAccounts } from "../../kit/all-accounts.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { DownloadLink } from "../../kit/download-link.tsx";
import { FilterBar, FilterNote, FilterSelect, FilterText } from "../../kit/filter-bar.tsx";
import { FoldedFilters } from "../../kit/folded-filters.tsx";
import { LongName, ShortenedName } from "../../kit/long-name.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { Pagination } from "../../kit/pagination.tsx";
import { EmptyState, ErrorState, Loaded, Notice, SkeletonRows } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";
import { Switch } from "../../kit/toggle.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { useAccount, useMay } from "../../kit/use-account.ts";
import { None, Time } from "../../kit/values.tsx";
import { formatBytes } from "../admin-parts/format-bytes.ts";
import { KeyFilter } from "../keys/key-filter.tsx";
import { ModelFilter } from "../keys/model-filter.tsx";
import { TagFilter } from "../keys/tag-filter.tsx";
import { tagAsked, tagNote } from "../keys/tag-words.ts";
import { ContentDialog } from "./content-dialog.tsx";
import { ANSWERED, CONTENT_FILTERS, readContentFilters } from "./content-query.ts";
import { DeleteUserDialog } from "./delete-user-dialog.tsx";
import { isBackwards } from "./request-query.ts";
import { TimeFilter } from "./time-filter.tsx";

const STATUS_OPTIONS = ANSWERED.map((status) => ({ value: status, label: status }));

/** What was said in an account's requests and answers, where that is kept, for those who may read it. */
export function ContentsPage() {
  const account = useAccount();
  const shows_all = useAllAccounts();
  const may = useMay();
  return (
    <>
      <PageHeader
        title="What was said"
        guide="console#what-was-said"
        breadcrumb={[{ label: "Requests", to: "/requests" }]}
        description="Requests and answers in full, where an owner or an administrator has them kept. Each look is in the audit log."
      />
      {shows_all ? (
        <Card flush>
          <EmptyState icon="accounts" title="Choose an account">
            What was said is shown of one account at a time.
          </EmptyState>
        </Card>
      ) : may("content:read") ? (
        <Contents key={account} account={account} />
      ) : (
        <Card flush>
          <EmptyState icon="users" title="This is for owners">
            Owners of the account and administrators may read what was said.
          </EmptyState>
        </Card>
      )}
    </>
  );
}

function Contents({ account }: { account: string }) {
  const may_write = useMay()("content:write");
  const switches = useApi("GET /contents/switches", { query: { account } });
  return (
    <Loaded query={switches} skeleton={<SkeletonRows rows={6} />}>
      {(found) => (
        <>
          <ContentFilters account={account} words={found.words} />
          <div className="space-y-5">
            <List account={account} switches={found} may_write={may_write} />
            <KeptWhere of={found} may_switch={may_write} />
          </div>
        </>
      )}
    </Loaded>
  );
}

interface ListProps {
  readonly account: string;
  readonly switches: ContentSwitches;
  readonly may_write: boolean;
}

function List({ account, switches, may_write }: ListProps) {
  const [search] = useUrlState(...CONTENT_FILTERS);
  const asked = CONTENT_FILTERS.map((name) => search[name] ?? "").join("\n");
  // A time such as "last hour" is computed once, when it is chosen, so that loaded pages stay valid.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` is `search` as a text
  const filters = useMemo(() => {
    const { words, ...others } = readContentFilters(search, Date.now());
    return { account, ...others, ...(switches.words && words !== undefined ? { words } : {}) };
  }, [account, asked, switches.words]);
  const pages = useApiPages("GET /contents", { query: filters });
  const [opened, setOpened] = useState<ContentEntry | null>(null);
  const [deletes, setDeletes] = useState(false);
  const actions = (
    <>
      {pages.rows.length > 0 && (
        <DownloadLink href={urlOf("/contents", { query: { ...filters, format: "jsonl" } })}>
          Download JSON lines
        </DownloadLink>
      )}
      {may_write && (
        <Button size="small" icon="trash" onClick={() => setDeletes(true)}>
          Delete an end user's
        </Button>
      )}
    </>
  );
  return (
    <Card flush title="Contents" description="What went to the vendor, and what the client got." actions={actions}>
      <Rows pages={pages} is_filtered={asked.trim() !== ""} keeps={keepsAny(switches)} onOpen={setOpened} />
      <ContentDialog of={opened} may_delete={may_write} onClose={() => setOpened(null)} />
      <DeleteUserDialog account={account} user={search.user ?? ""} open={deletes} onClose={() => setDeletes(false)} />
    </Card>
  );
}

function keepsAny({ content_log, projects, keys }: ContentSwitches): boolean {
  return content_log === true || [...projects, ...keys].some((each) => each.content_log);
}

interface RowsProps {
  readonly pages: ReturnType<typeof useApiPages<"GET /contents">>;
  readonly is_filtered: boolean;
  readonly keeps: boolean;
  readonly onOpen: (entry: ContentEntry) => void;
}

function Rows({ pages, is_filtered, keeps, onOpen }: RowsProps) {
  const { rows, data, error, refetch, hasNextPage } = pages;
  if (data === undefined)
    return error ? <ErrorState error={error} onRetry={() => refetch()} /> : <SkeletonRows rows={6} />;
  if (rows.length === 0 && !hasNextPage)
    return (
      <EmptyState icon="search" title={is_filtered ? "Nothing matches" : "Nothing is kept so far"}>
        {is_filtered
          ? "Nothing that is kept matches all of these filters."
          : keeps
            ? "What the next requests say appears here."
            : "Nobody has switched it on: nothing of what is said is kept."}
      </EmptyState>
    );
  return (
    <>
      <DataTable
        caption="Contents"
        columns={columnsFor(onOpen)}
        rows={rows}
        file={null}
        rowKey={({ request_id }) => request_id}
      />
      <Pagination pages={pages} noun={rows.length === 1 ? "content" : "contents"} more="Look further back" />
    </>
  );
}

function columnsFor(onOpen: (entry: ContentEntry) => void): readonly Column<ContentEntry>[] {
  return [
    {
      key: "model",
      header: "Model",
      heading: true,
      cell: (entry) => (
        <span className="block min-w-40 [overflow-wrap:anywhere]">
          <LongName>{entry.model}</LongName>
          <span className="block text-[0.82rem] font-normal text-ink-soft">{entry.endpoint}</span>
        </span>
      ),
    },
    { key: "time", header: "Time", cell: ({ at }) => <Time clock at={at} /> },
    {
      key: "status",
      header: "Status",
      cell: ({ status }) => <Badge tone={status < 400 ? "good" : "danger"}>{status}</Badge>,
    },
    {
      key: "key",
      header: "Key",
      cell: ({ key_id, key_name }) => (
        <ShortenedName hint={key_name || key_id}>
          <LongName>{key_name || `key …${key_id.slice(-4)}`}</LongName>
        </ShortenedName>
      ),
    },
    {
      key: "tags",
      header: "Tags",
      wide_only: true,
      cell: ({ tags }) =>
        tagTexts(tags).length === 0 ? (
          <None />
        ) : (
          <span className="block font-mono text-[0.8rem] [overflow-wrap:anywhere]">{tagTexts(tags).join(", ")}</span>
        ),
    },
    { key: "bytes", header: "Size", numeric: true, wide_only: true, cell: ({ bytes }) => formatBytes(bytes) },
    {
      key: "open",
      header: "Open",
      hide_header: true,
      numeric: true,
      cell: (entry) => (
        <Button size="small" onClick={() => onOpen(entry)}>
          Read it
        </Button>
      ),
    },
  ];
}

/** The filters above what was said. `words`: whether the account's contents may be searched for words. */
function ContentFilters({ account, words }: { account: string; words: boolean }) {
  const [search] = useUrlState(...CONTENT_FILTERS);
  const { tag } = search;
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
          <TimeFilter />
        </FoldedFilters>
      </FilterBar>
      <FilterNote>{tagNote(tag, tagAsked(tag), "Requests")}</FilterNote>
      <FilterNote>{isBackwards(search) ? "“From” is after “To”." : null}</FilterNote>
    </>
  );
}

/** Where what was said is kept, for how long, and what may be done with it. */
function KeptWhere({ of: switches, may_switch }: { of: ContentSwitches; may_switch: boolean }) {
  const { account, content_log, words, keep_s, most_bytes, mask } = switches;
  const change = useChange("PUT /contents/switches", ["GET /contents/switches", "GET /contents"]);
  const set = (body: { content_log: boolean; words?: boolean }, said: string) =>
    change.mutate({ body: { account, ...body } }, { onSuccess: () => toast(said) });
  const is_on = content_log === true;
  const apart = apartOf(switches);
  return (
    <Card title="Where it is kept">
      <div className="space-y-3">
        <Switch
          label="Keep what is said in this account"
          help={`Encrypted, for ${Math.round(keep_s / 86_400)} days and at most ${formatBytes(most_bytes)} of all accounts. ${mask.length === 0 ? "Nothing is masked." : `Masked: ${mask.join(", ")}.`}`}
          checked={is_on}
          disabled={!may_switch || change.isPending}
          onChange={(checked) =>
            set({ content_log: checked }, checked ? "What is said is kept from now on" : "Nothing more is kept")
          }
        />
        <Switch
          label="Let it be searched for words"
          help="A search opens what was said, and is in the audit log."
          checked={words}
          disabled={!may_switch || change.isPending || content_log === null}
          onChange={(checked) =>
            set({ content_log: is_on, words: checked }, checked ? "It may be searched" : "It may not be searched")
          }
        />
        {apart !== "" && <p className="text-[0.88rem] text-ink-soft [overflow-wrap:anywhere]">{apart}</p>}
        {change.error && <Notice tone="danger">{messageOf(change.error)}</Notice>}
      </div>
    </Card>
  );
}

/** The projects and keys of which something else is said. */
function apartOf({ projects, keys }: ContentSwitches): string {
  const named = (kind: string, all: ContentSwitches["keys"]) =>
    all.map(({ id, name, content_log }) => `${kind} ${name || id} ${content_log ? "on" : "off"}`);
  const all = [...named("project", projects), ...named("key", keys)];
  return all.length === 0 ? "" : `Apart from it: ${all.join(", ")}.`;
}
