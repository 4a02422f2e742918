import { useNavigate } from "@tanstack/react-router";
import { urlOf } from "../../api/call.ts";
import { useApi, useApiPages } from "../../api/use-api.ts";
import { useLive } from "../../api/use-live.ts";
import { useAllAccounts } from "../../kit/all-accounts.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { columnsOf, DataTable } from "../../kit/data-table.tsx";
import { DownloadLink } from "../../kit/download-link.tsx";
import { FilterBar, FilterNote, FilterSelect, FilterText } from "../../kit/filter-bar.tsx";
import { FoldedFilters } from "../../kit/folded-filters.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { Pagination } from "../../kit/pagination.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { useAccount, useMay } from "../../kit/use-account.ts";
import { keyColumns, STATES } from "./key-columns.tsx";
import { KeysOfAll } from "./keys-of-all.tsx";
import { ProjectFilter } from "./project-filter.tsx";
import { ProjectsTab } from "./projects-tab.tsx";
import { TagFilter } from "./tag-filter.tsx";
import { tagAsked, tagNote } from "./tag-words.ts";

/** The account's keys, with their limits, use and state: found and paged by the server, the newest first. */
export function KeysPage() {
  return useAllAccounts() ? <KeysOfAll /> : <KeysOfAccount />;
}

function KeysOfAccount() {
  const account = useAccount();
  const navigate = useNavigate();
  const [{ view }, setSearch] = useUrlState("view", "sort");
  useLive(account, ["GET /keys", "GET /budgets", "GET /projects"]);
  const may_write = useMay()("keys:write");
  const shortcut = { keys: "n", label: "Create a key", run: () => void navigate({ to: "/keys/new" }) };
  useShortcuts(may_write ? [shortcut] : []);
  return (
    <>
      <PageHeader
        title="Keys"
        guide="console#keys"
        description="A key lets a program use the models here. You control what it can do and spend."
        actions={may_write && <NewKey>Create a key</NewKey>}
      />
      <Tabs
        label="Keys and projects"
        tabs={[
          { id: "keys", label: "Keys", content: <Keys /> },
          { id: "projects", label: "Projects", content: <ProjectsTab /> },
        ]}
        value={view === "projects" ? view : "keys"}
        onChange={(chosen) => setSearch({ view: chosen === "keys" ? undefined : chosen, sort: undefined })}
      />
    </>
  );
}

function Keys() {
  const account = useAccount();
  const [{ q = "", status, project, tag }, setSearch] = useUrlState("q", "status", "project", "tag");
  const state = STATES.find(({ value }) => value === status)?.value;
  const asked_tag = tagAsked(tag);
  const filters = {
    account,
    ...(q !== "" && { q }),
    ...(state && { status: state }),
    ...(project && { project }),
    ...(tag !== undefined && asked_tag !== null && { tag }),
  };
  const query = { limit: "100", ...filters };
  const keys = useApiPages("GET /keys", { query });
  const budgets = useApi("GET /budgets", { query: { account } });
  const is_filtered = q !== "" || state !== undefined || project !== undefined || asked_tag !== null;
  const clear = () => setSearch({ q: undefined, status: undefined, project: undefined, tag: undefined });
  return (
    <Loaded query={keys}>
      {() =>
        keys.rows.length === 0 && !is_filtered ? (
          <NoKeys />
        ) : (
          <>
            <FilterBar names={["q", "status", "project", "tag"]}>
              <FilterText name="q" label="Search keys" />
              <FoldedFilters>
                <FilterSelect name="status" label="Status" options={STATES} all="Any status" />
                <ProjectFilter account={account} />
                <TagFilter account={account} />
              </FoldedFilters>
            </FilterBar>
            <FilterNote>{tagNote(tag, asked_tag, "Keys")}</FilterNote>
            <Card
              flush
              title="Keys"
              actions={<DownloadLink href={urlOf("/keys", { query: { ...filters, format: "csv" } })} />}
            >
              {keys.rows.length === 0 ? (
                <EmptyState
                  icon="search"
                  title="No key matches"
                  action={<Button onClick={clear}>Show all keys</Button>}
                >
                  No key has this name, ending or alias with these filters.
                </EmptyState>
              ) : (
                <DataTable
                  caption="Keys"
                  columns={columnsOf(keyColumns(budgets.data), !keys.hasNextPage)}
                  rows={keys.rows}
                  file={null}
                  rowKey={({ id }) => id}
                  sort_param="sort"
                  footer={<Pagination pages={keys} noun={keys.rows.length === 1 ? "key" : "keys"} />}
                />
              )}
            </Card>
          </>
        )
      }
    </Loaded>
  );
}

function NewKey({ children }: { children: string }) {
  return (
    <LinkButton to="/keys/new" kind="primary" icon="plus">
      {children}
    </LinkButton>
  );
}

function NoKeys() {
  const may_write = useMay()("keys:write");
  return (
    <Card flush>
      <EmptyState icon="key" title="No keys yet" action={may_write && <NewKey>Create the first key</NewKey>}>
        A program sends a key with each request. Give each program its own key, with its own limits, and revoke it
        without affecting others.
      </EmptyState>
    </Card>
  );
}
