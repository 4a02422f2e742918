import { useNavigate } from "@tanstack/react-router";
import type { Key } from "../../../../contract/keys.ts";
import { useApi } from "../../api/use-api.ts";
import { useLive } from "../../api/use-live.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { DataTable } from "../../kit/data-table.tsx";
import { FilterBar, FilterSelect, FilterText } from "../../kit/filter-bar.tsx";
import { formatCount } from "../../kit/format.ts";
import { PageHeader } from "../../kit/page-header.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { useAccount, useMay } from "../../kit/use-account.ts";
import { keyColumns } from "./key-columns.tsx";
import { keyName, keyState } from "./key-state.ts";
import { ProjectsTab } from "./projects-tab.tsx";
import { NO_PROJECT, projectOptions, useProjects } from "./use-projects.ts";

const STATES = [
  { value: "active", label: "Active" },
  { value: "disabled", label: "Disabled" },
  { value: "expired", label: "Expired" },
  { value: "revoked", label: "Revoked" },
];

/** The account's keys, with their limits, use and state. */
export function KeysPage() {
  const account = useAccount();
  const navigate = useNavigate();
  const [{ view }, setSearch] = useUrlState("view", "sort");
  const keys = useApi("GET /keys", { query: { account } });
  useLive(account, ["GET /keys", "GET /budgets", "GET /projects"]);
  const may_write = useMay()("keys:write");
  const shortcut = { keys: "n", label: "Create a key", run: () => void navigate({ to: "/keys/new" }) };
  useShortcuts(may_write ? [shortcut] : []);
  return (
    <>
      <PageHeader
        title="Keys"
        description="A key lets a program use the models here. What it may do, and spend, is yours to say."
        actions={may_write && <NewKey>Create a key</NewKey>}
      />
      <Tabs
        label="Keys and projects"
        tabs={[
          {
            id: "keys",
            label: "Keys",
            content: (
              <Loaded query={keys}>{({ data }) => (data.length === 0 ? <NoKeys /> : <Keys keys={data} />)}</Loaded>
            ),
          },
          { id: "projects", label: "Projects", content: <ProjectsTab /> },
        ]}
        value={view === "projects" ? view : "keys"}
        onChange={(chosen) => setSearch({ view: chosen === "keys" ? undefined : chosen, sort: undefined })}
      />
    </>
  );
}

function Keys({ keys }: { keys: readonly Key[] }) {
  const account = useAccount();
  const budgets = useApi("GET /budgets", { query: { account } });
  const projects = useProjects(account);
  const [{ q = "", status, project }, setSearch] = useUrlState("q", "status", "project");
  const now_ms = Date.now();
  const found = keys.filter(
    (key) =>
      matches(key, q) &&
      (status === undefined || keyState(key, now_ms) === status) &&
      (project === undefined || (key.project?.id ?? NO_PROJECT) === project),
  );
  return (
    <>
      <FilterBar names={["q", "status", "project"]}>
        <FilterText name="q" label="Search keys" />
        <FilterSelect name="status" label="Status" options={STATES} all="Any status" />
        {projects.length > 0 && (
          <FilterSelect name="project" label="Project" options={projectOptions(projects)} all="All projects" />
        )}
      </FilterBar>
      <Card flush>
        {found.length === 0 ? (
          <EmptyState
            icon="search"
            title="No key matches"
            action={
              <Button onClick={() => setSearch({ q: undefined, status: undefined, project: undefined })}>
                Show all keys
              </Button>
            }
          >
            None of the {formatCount(keys.length)} keys has this name, ending or alias in this state and project.
          </EmptyState>
        ) : (
          <DataTable
            caption="Keys"
            columns={keyColumns(budgets.data)}
            rows={inOrder(found)}
            rowKey={({ id }) => id}
            first_rows={100}
            sort_param="sort"
          />
        )}
      </Card>
    </>
  );
}

/** The newest keys first; keys that never work again come last. */
function inOrder(keys: readonly Key[]): Key[] {
  return keys.toReversed().toSorted((a, b) => Number(a.status === "revoked") - Number(b.status === "revoked"));
}

/** Whether every word of `q` occurs in the key's name, id, last characters or aliases. */
function matches(key: Key, q: string): boolean {
  const names = [...key.aliases.map(({ name }) => name), ...key.prefix_aliases.map(({ prefix }) => prefix)];
  const text = [keyName(key), key.id, key.hint, key.project?.name ?? "", ...names].join(" ").toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
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
        A program sends a key with each request. Give every program its own: then each can have its own limits, and be
        switched off alone.
      </EmptyState>
    </Card>
  );
}
