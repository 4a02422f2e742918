import { useEffect, useState } from "react";
import type { Key } from "../../../../contract/keys.ts";
import { useApiPages } from "../../api/use-api.ts";
import { useFoundKeys } from "../../api/use-found.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { Combobox } from "../../kit/combobox.tsx";
import { columnsOf, DataTable } from "../../kit/data-table.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { fileOfPages, type TableFile } from "../../kit/file-of-pages.ts";
import { FilterBar, FilterText } from "../../kit/filter-bar.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { type PagesOf, Pagination } from "../../kit/pagination.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { EmptyState, Loaded, SkeletonRows } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { useAccount, useMay } from "../../kit/use-account.ts";
import { KeyFilter } from "../keys/key-filter.tsx";
import { keyName } from "../keys/key-state.ts";
import { ResolveBox } from "../keys/resolve-box.tsx";
import { useKeyChoice } from "../keys/use-key-choice.ts";
import { useModels } from "../keys/use-models.ts";
import { aliasColumns } from "./alias-columns.tsx";
import { AliasDialog, type AliasTask, takesAliases } from "./alias-dialog.tsx";
import { allAliases, findAliases, type KeyAlias } from "./all-aliases.ts";
import { useWriteAlias } from "./use-write-alias.ts";

/** The aliases of all keys together: names that programs send in place of models' ids. The server finds and pages their keys. */
export function AliasesPage() {
  const account = useAccount();
  const [{ q = "", key = "" }] = useUrlState("q", "key");
  // A key is found by its id, as by a word.
  const words = `${key} ${q}`.trim().slice(0, 200);
  const query = { account, has: "aliases" as const, limit: "100", ...(words !== "" && { q: words }) };
  const keys = useApiPages("GET /keys", { query });
  const newest = useFoundKeys({ typed: "", account });
  const [task, setTask] = useState<AliasTask | null>(null);
  const may_write = useMay()("keys:write");
  const first = newest.rows.find(takesAliases);
  const has_keys = first !== undefined || keys.rows.length > 0 || newest.rows.some(({ playground }) => !playground);
  const chosen = [...keys.rows, ...newest.rows].find(({ id }) => id === key);
  const key_to_add = key !== "" && (chosen === undefined || takesAliases(chosen)) ? key : (first?.id ?? "");
  const add = () => has_keys && may_write && setTask({ kind: "add", key: key_to_add });
  useShortcuts([{ keys: "n", label: "Add an alias", run: add }]);
  return (
    <>
      <PageHeader
        title="Aliases"
        guide="console#aliases"
        description="Your own names for models. Programs keep the name they know, and you choose the model."
        actions={
          <Button kind="primary" icon="plus" onClick={add} disabled={!has_keys || !may_write}>
            Add an alias
          </Button>
        }
      />
      <Loaded query={keys}>
        {() =>
          has_keys || newest.searching || words !== "" ? (
            <div className="grid items-start gap-5 xl:grid-cols-[1fr_22rem]">
              <Aliases keys={keys} onTask={setTask} onAdd={add} />
              <TryName account={account} first={(keys.rows[0] ?? newest.rows[0])?.id ?? ""} />
            </div>
          ) : (
            <NoKeys />
          )
        }
      </Loaded>
      <AliasDialog task={task} account={account} onClose={() => setTask(null)} />
    </>
  );
}

/** The aliases of the keys that are loaded, of which the search may mean only some. */
function Aliases({
  keys,
  onTask,
  onAdd,
}: {
  keys: PagesOf<Key>;
  onTask: (task: AliasTask) => void;
  onAdd: () => void;
}) {
  const account = useAccount();
  const { models } = useModels();
  const [{ q = "", key }, setSearch] = useUrlState("q", "key");
  const aliases = findAliases(allAliases(keys.rows, models), { q, key });
  const is_filtered = q !== "" || key !== undefined;
  const looks_on = useLookOn(keys, is_filtered && aliases.length === 0);
  const pages = { ...keys, rows: aliases };
  const footer = <Pagination pages={pages} noun={aliases.length === 1 ? "alias" : "aliases"} />;
  return (
    <div className="min-w-0">
      {(aliases.length > 0 || is_filtered) && (
        <FilterBar names={["q", "key"]}>
          <FilterText name="q" label="Search aliases and models" />
          <KeyFilter account={account} />
        </FilterBar>
      )}
      <Card flush>
        {aliases.length > 0 ? (
          <Table
            aliases={aliases}
            is_whole={!keys.hasNextPage}
            file={fileOfPages("aliases", keys)}
            footer={footer}
            onEdit={(alias) => onTask({ kind: "edit", alias })}
          />
        ) : !is_filtered ? (
          <NoAliases onAdd={onAdd} />
        ) : looks_on ? (
          <SkeletonRows />
        ) : (
          <EmptyState
            icon="search"
            title="No alias matches"
            action={<Button onClick={() => setSearch({ q: undefined, key: undefined })}>Show all aliases</Button>}
          >
            No alias has this in its name, model or key.
          </EmptyState>
        )}
      </Card>
    </div>
  );
}

/**
 * Loads further keys while none of those that the server has found has an alias that is meant: it finds a key whose several aliases have the
 * words together, and the list has aliases one by one. Says whether it still looks.
 */
function useLookOn({ hasNextPage, isFetchingNextPage, fetchNextPage }: PagesOf<Key>, finds_nothing: boolean): boolean {
  const looks_on = finds_nothing && hasNextPage;
  useEffect(() => {
    if (looks_on && !isFetchingNextPage) void fetchNextPage();
  }, [looks_on, isFetchingNextPage, fetchNextPage]);
  return looks_on;
}

function Table({
  aliases,
  is_whole,
  file,
  footer,
  onEdit,
}: {
  aliases: readonly KeyAlias[];
  is_whole: boolean;
  file: TableFile;
  footer: React.ReactNode;
  onEdit: (alias: KeyAlias) => void;
}) {
  const [removing, setRemoving] = useState<KeyAlias | null>(null);
  const write = useWriteAlias();
  const columns = columnsOf(aliasColumns(onEdit, setRemoving), is_whole);
  const may_write = useMay()("keys:write");
  return (
    <>
      <DataTable
        caption="Aliases"
        columns={may_write ? columns : columns.filter(({ key }) => key !== "actions")}
        rows={aliases}
        file={file}
        rowKey={({ key, name }) => `${key.id} ${name}`}
        first_rows={100}
        sort_param="sort"
        {...(is_whole && { initial_sort: "alias" })}
        footer={footer}
      />
      <ConfirmDialog
        open={removing !== null}
        onClose={() => setRemoving(null)}
        title={`Remove the alias ${removing?.name ?? ""}?`}
        action="Remove alias"
        danger
        onConfirm={async () => {
          if (removing === null) return;
          await write({ key: removing.key.id, before: removing.name, after: null });
          toast(`${removing.name} is removed`);
        }}
      >
        Requests with {removing && keyName(removing.key)} that send this name return 404, unless another alias covers
        it.
      </ConfirmDialog>
    </>
  );
}

function NoAliases({ onAdd }: { onAdd: () => void }) {
  const may_write = useMay()("keys:write");
  return (
    <EmptyState
      icon="alias"
      title="No aliases yet"
      action={
        may_write && (
          <Button icon="plus" onClick={onAdd}>
            Add the first alias
          </Button>
        )
      }
    >
      Let <span className="font-mono">fast</span> be the model that you like best today, or let every{" "}
      <span className="font-mono">gpt-*</span> that an old program asks for be answered by another one.
    </EmptyState>
  );
}

function NoKeys() {
  return (
    <Card flush>
      <EmptyState
        icon="key"
        title="No keys yet"
        action={
          <LinkButton to="/keys/new" kind="primary" icon="plus">
            Create a key
          </LinkButton>
        }
      >
        Aliases belong to keys: each program can have its own names.
      </EmptyState>
    </Card>
  );
}

/** Which model answers when a program sends a name with a key. `first`: the key that is tried where none is chosen. */
function TryName({ account, first }: { account: string; first: string }) {
  const [{ name = "", with: chosen }, setSearch] = useUrlState("name", "with");
  const key = chosen ?? first;
  const choice = useKeyChoice({ account, value: key });
  if (key === "") return null;
  return (
    <Card title="Try a name">
      <div className="space-y-3">
        <Combobox
          label="With the key"
          placeholder="Find a key"
          {...choice}
          value={key}
          onChange={(value) => setSearch({ with: value })}
        />
        <ResolveBox subject={{ key }} name={name} onName={(typed) => setSearch({ name: typed })} />
      </div>
    </Card>
  );
}
