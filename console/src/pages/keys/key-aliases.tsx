import { useState } from "react";
import type { Key } from "../../../../contract/keys.ts";
import { messageOf } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { Card } from "../../kit/card.tsx";
import { Form } from "../../kit/form.tsx";
import { EmptyState, Notice } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { AliasEditor } from "./alias-editor.tsx";
import { rowError } from "./alias-rows.ts";
import { changesOf, draftOf } from "./key-draft.ts";
import { KEY_READS } from "./key-reads.ts";
import { ResolveBox } from "./resolve-box.tsx";
import { SaveBar } from "./save-bar.tsx";

/** The editor of a key's aliases, which also resolves names with the aliases before they are saved. */
export function KeyAliases({ of: key }: { of: Key }) {
  const [rows, setRows] = useState(() => draftOf(key).aliases);
  const [{ name = "" }, setSearch] = useUrlState("name");
  const update = useChange("PATCH /keys/{key}", KEY_READS);
  const changes = changesOf(key, { ...draftOf(key), aliases: rows });
  const changed = Object.keys(changes).length > 0;
  const save = () =>
    update.mutate(
      { path: { key: key.id }, body: changes },
      {
        onSuccess: (saved) => {
          setRows(draftOf(saved).aliases);
          toast("Aliases saved");
        },
      },
    );
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[1fr_24rem]">
      <Card
        title="Aliases"
        description="Your own names for models, as programs send them. End one with * to cover every name with that prefix."
      >
        <Form onSubmit={save}>
          {rows.length === 0 && (
            <EmptyState icon="alias" title="No aliases">
              With an alias, a program keeps the name it knows, and you choose the model.
            </EmptyState>
          )}
          <AliasEditor rows={rows} onChange={setRows} error={update.error} />
          {update.error && rowError(rows, update.error) === null && (
            <Notice tone="danger">{messageOf(update.error)}</Notice>
          )}
          <SaveBar
            label="Save aliases"
            changed={changed}
            busy={update.isPending}
            onReset={() => setRows(draftOf(key).aliases)}
          />
        </Form>
      </Card>
      <Card title="Try a name" description={changed ? "Uses the aliases above, even before you save them." : undefined}>
        <ResolveBox
          subject={changed ? { aliases: rows, models: key.models } : { key: key.id }}
          name={name}
          onName={(typed) => setSearch({ name: typed })}
        />
      </Card>
    </div>
  );
}
