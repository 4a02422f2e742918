import { useState } from "react";
import type { Key } from "../../../../contract/keys.ts";
import { ApiError, messageOf } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { Card } from "../../kit/card.tsx";
import { Form } from "../../kit/form.tsx";
import { Notice } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";
import { AccountLimitsNote } from "./account-limits-note.tsx";
import { ceilingText } from "./ceiling-text.ts";
import { changesOf, draftOf, type KeyDraft } from "./key-draft.ts";
import { KEY_READS } from "./key-reads.ts";
import { LimitFields } from "./limit-fields.tsx";
import { KeyModelLimits } from "./model-limits.tsx";
import { ModelsField, modelsError } from "./models-field.tsx";
import { SaveBar } from "./save-bar.tsx";
import { TagLimitsNote } from "./tag-limits.tsx";

/** A key's limits: models, budget, rates, expiry. */
export function KeyLimits({ of: key }: { of: Key }) {
  const [round, setRound] = useState(0);
  return <LimitsForm key={round} of={key} onReset={() => setRound(round + 1)} />;
}

function LimitsForm({ of: key, onReset }: { of: Key; onReset: () => void }) {
  const [draft, setDraft] = useState(() => draftOf(key));
  const update = useChange("PATCH /keys/{key}", KEY_READS);
  const changes = changesOf(key, { ...draft, aliases: draftOf(key).aliases });
  const change = (part: Partial<KeyDraft>) => setDraft((before) => ({ ...before, ...part }));
  const save = () =>
    update.mutate(
      { path: { key: key.id }, body: changes },
      {
        onSuccess: (saved) => {
          setDraft(draftOf(saved));
          toast("Limits saved");
        },
      },
    );
  return (
    <Form className="max-w-3xl space-y-5" onSubmit={save}>
      <Card title="Allowed models" description="What the key can reach, by id or by alias.">
        <ModelsField value={draft} onChange={change} error={modelsError(update.error)} />
        {key.ceilings.models && (
          <p className="mt-3 text-[0.85rem] text-ink-soft">{ceilingText(key.ceilings, "models")}</p>
        )}
      </Card>
      <Card title="Limits" description="They take effect with the next request.">
        <LimitFields draft={draft} onChange={change} error={update.error} ceilings={key.ceilings} />
        {key.model_limits && <KeyModelLimits of={key.id} />}
      </Card>
      <AccountLimitsNote account={key.account} />
      <TagLimitsNote account={key.account} />
      {update.error && !isOfField(update.error) && <Notice tone="danger">{messageOf(update.error)}</Notice>}
      <SaveBar
        label="Save limits"
        changed={Object.keys(changes).length > 0}
        busy={update.isPending}
        onReset={onReset}
      />
    </Form>
  );
}

/** Whether a refusal is shown at its field already. */
function isOfField(error: unknown): boolean {
  return error instanceof ApiError && error.param !== null;
}
