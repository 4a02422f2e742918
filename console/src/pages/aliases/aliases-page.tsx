import { useState } from "react";
import type { Key } from "../../../../contract/keys.ts";
import { useApi } from "../../api/use-api.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { DataTable } from "../../kit/data-table.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { FilterBar, FilterSelect, FilterText } from "../../kit/filter-bar.tsx";
import { formatCount } from "../../kit/format.ts";
import { PageHeader } from "../../kit/page-header.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { useAccount, useMay } from "../../kit/use-account.ts";
import { wordsIn } from "../../kit/words.ts";
import { keyName } from "../keys/key-state.ts";
import { useModels } from "../keys/use-models.ts";
import { AliasDialog, type AliasTask } from "./alias-dialog.tsx";
import { aliasColumns } from "./alias-columns.tsx";
import { allAliases, type KeyAlias } from "./all-aliases.ts";
import { TryName } from "./try-name.tsx";
import { useWriteAlias } from "./use-write-alias.ts";

/** The aliases of all keys together: names that programs send in place of models' ids. */
export function AliasesPage() {
  const account = useAccount();
  const keys = useApi("GET /keys", { query: { account } });
  const [task, setTask] = useState<AliasTask | null>(null);
  const [{ key: chosen }] = useUrlState("key");
  // The playground renews its keys by itself and forgets them: an alias of one would soon be gone.
  const editable = keys.data?.data.filter(({ status, playground }) => status !== "revoked" && !playground) ?? [];
  const may_write = useMay()("keys:write");
  const first = editable.find(({ id }) => id === chosen) ?? editable.at(-1);
  const add = () => first && may_write && setTask({ kind: "add", key: first.id });
  useShortcuts([{ keys: "n", label: "Add an alias", run: add }]);
  return (
    <>
      <PageHeader
        title="Aliases"
        description="Names of your own for models. A program keeps the name that it knows, and you choose what answers."
        actions={
          <Button kind="primary" icon="plus" onClick={add} disabled={first === undefined || !may_write}>
            Add an alias
          </Button>
        }
      />
      <Loaded query={keys}>
        {({ data }) =>
          data.every(({ playground }) => playground) ? <NoKeys /> : <Aliases keys={data} onTask={setTask} onAdd={add} />
        }
      </Loaded>
      <AliasDialog task={task} keys={editable} onClose={() => setTask(null)} />
    </>
  );
}

function Aliases({
  keys,
  onTask,
  onAdd,
}: {
  keys: readonly Key[];
  onTask: (task: AliasTask) => void;
  onAdd: () => void;
}) {
  const { models } = useModels();
  const [{ q = "", key: key_id }, setSearch] = useUrlState("q", "key");
  const aliases = allAliases(keys, models);
  const found = aliases.filter((alias) => (key_id === undefined || alias.key.id === key_id) && matches(alias, q));
  const having = keys.filter(({ id }) => aliases.some((alias) => alias.key.id === id));
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[1fr_22rem]">
      <div className="min-w-0">
        {aliases.length > 0 && (
          <FilterBar names={["q", "key"]}>
            <FilterText name="q" label="Search aliases and models" />
            <FilterSelect
              name="key"
              label="Key"
              options={having.map((key) => ({ value: key.id, label: keyName(key) }))}
              all="All keys"
            />
          </FilterBar>
        )}
        <Card flush>
          {aliases.length === 0 ? (
            <NoAliases onAdd={onAdd} />
          ) : found.length === 0 ? (
            <EmptyState
              icon="search"
              title="No alias matches"
              action={<Button onClick={() => setSearch({ q: undefined, key: undefined })}>Show all aliases</Button>}
            >
              None of the {formatCount(aliases.length)} aliases has this in its name or model.
            </EmptyState>
          ) : (
            <Table aliases={found} onEdit={(alias) => onTask({ kind: "edit", alias })} />
          )}
        </Card>
      </div>
      <TryName keys={keys} />
    </div>
  );
}

function Table({ aliases, onEdit }: { aliases: readonly KeyAlias[]; onEdit: (alias: KeyAlias) => void }) {
  const [removing, setRemoving] = useState<KeyAlias | null>(null);
  const write = useWriteAlias();
  const columns = aliasColumns(onEdit, setRemoving);
  const may_write = useMay()("keys:write");
  return (
    <>
      <DataTable
        caption="Aliases"
        columns={may_write ? columns : columns.filter(({ key }) => key !== "actions")}
        rows={aliases}
        rowKey={({ key, name }) => `${key.id} ${name}`}
        first_rows={100}
        sort_param="sort"
        initial_sort="alias"
      />
      <ConfirmDialog
        open={removing !== null}
        onClose={() => setRemoving(null)}
        title={`Remove ${removing?.name ?? ""}?`}
        action="Remove alias"
        danger
        onConfirm={async () => {
          if (removing === null) return;
          await write({ key: removing.key.id, before: removing.name, after: null });
          toast(`${removing.name} is removed`);
        }}
      >
        Requests with {removing && keyName(removing.key)} that send this name are answered with 404, unless another
        alias covers it.
      </ConfirmDialog>
    </>
  );
}

function matches({ name, model, key }: KeyAlias, q: string): boolean {
  return wordsIn(q)(`${name} ${model} ${keyName(key)}`);
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
