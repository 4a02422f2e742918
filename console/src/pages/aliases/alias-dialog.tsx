import { useState } from "react";
import type { Key } from "../../../../contract/keys.ts";
import { ApiError, messageOf } from "../../api/api-error.ts";
import { Combobox } from "../../kit/combobox.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { Input } from "../../kit/input.tsx";
import { toast } from "../../kit/toast.tsx";
import { useAttempt } from "../../kit/use-attempt.ts";
import { keyName } from "../keys/key-state.ts";
import { useKeyChoice } from "../keys/use-key-choice.ts";
import { useModels } from "../keys/use-models.ts";
import type { KeyAlias } from "./all-aliases.ts";
import { useWriteAlias } from "./use-write-alias.ts";

/** The dialog's task: a new alias (of a key that is given, or "" for one that is chosen first), or a change of an existing alias. */
export type AliasTask =
  | { readonly kind: "add"; readonly key: string }
  | { readonly kind: "edit"; readonly alias: KeyAlias };

/** Adds an alias to a key, or changes one. */
export function AliasDialog({
  task,
  account,
  onClose,
}: {
  task: AliasTask | null;
  account: string;
  onClose: () => void;
}) {
  return (
    <Dialog
      open={task !== null}
      onClose={onClose}
      title={task?.kind === "edit" ? `Edit the alias ${task.alias.name}` : "Add an alias"}
      description="Your own name for a model, as programs send it."
    >
      {task !== null && <AliasForm task={task} account={account} onClose={onClose} />}
    </Dialog>
  );
}

interface Written {
  readonly key: string;
  readonly name: string;
  readonly model: string;
}

function initial(task: AliasTask): Written {
  if (task.kind === "add") return { key: task.key, name: "", model: "" };
  const { key, name, model } = task.alias;
  return { key: key.id, name, model };
}

function AliasForm({ task, account, onClose }: { task: AliasTask; account: string; onClose: () => void }) {
  const { models, options } = useModels();
  const [written, setWritten] = useState(() => initial(task));
  const { busy, error, run } = useAttempt();
  const write = useWriteAlias();
  const refused = errorPlace(error);
  const hides = models.some(({ id }) => id === written.name.trim());
  const is_whole = written.key !== "" && written.name.trim() !== "" && written.model !== "";
  const submit = async () => {
    const before = task.kind === "edit" ? task.alias.name : null;
    await write({ key: written.key, before, after: { name: written.name, model: written.model } });
    toast(task.kind === "edit" ? "Alias changed" : `${written.name.trim()} leads to ${written.model}`);
  };
  return (
    <DialogForm
      error={refused === null ? error : null}
      action={task.kind === "edit" ? "Save alias" : "Add alias"}
      busy={busy}
      disabled={!is_whole}
      onSubmit={() => void run(submit, onClose)}
      onCancel={onClose}
    >
      <KeyField task={task} account={account} value={written.key} onChange={(key) => setWritten({ ...written, key })} />
      <Input
        label="Alias"
        mono
        required
        spellCheck={false}
        placeholder="fast or gpt-*"
        maxLength={129}
        help={
          hides
            ? "A model has this id, which takes precedence over the alias."
            : "End it with * to cover every name that begins with it."
        }
        value={written.name}
        error={refused === "name" ? messageOf(error) : null}
        onChange={(typed) => setWritten({ ...written, name: typed })}
      />
      <Combobox
        label="Leads to"
        placeholder="Find a model"
        options={options}
        value={written.model}
        error={refused === "model" ? messageOf(error) : null}
        onChange={(model) => setWritten({ ...written, model })}
      />
    </DialogForm>
  );
}

/** The key of an alias: found by the server for a new alias, and fixed for one that is there. */
function KeyField({
  task,
  account,
  value,
  onChange,
}: {
  task: AliasTask;
  account: string;
  value: string;
  onChange: (key: string) => void;
}) {
  const choice = useKeyChoice({ account, value, fits: takesAliases });
  if (task.kind === "edit") return <Input label="Key" value={keyName(task.alias.key)} disabled />;
  return <Combobox label="Key" placeholder="Find a key" {...choice} value={value} onChange={onChange} />;
}

/** The playground renews its keys by itself and forgets them: an alias of one would soon be gone. */
export function takesAliases({ status, playground }: Key): boolean {
  return status !== "revoked" && !playground;
}

/** The field that a refusal is about. The form has only one alias, so the refusal's place in the list is ignored. */
function errorPlace(error: unknown): "name" | "model" | null {
  const param = error instanceof ApiError ? (error.param ?? "") : "";
  if (!/^(prefix_)?aliases\[/.test(param)) return null;
  return param.endsWith(".model") ? "model" : "name";
}
