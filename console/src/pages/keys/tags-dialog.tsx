import { useState } from "react";
import type { Key } from "../../../../contract/keys.ts";
import { useChange } from "../../api/use-api.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { Textarea } from "../../kit/input.tsx";
import { toastAnd } from "../../kit/toast.tsx";
import { KEY_READS } from "./key-reads.ts";
import { keyName } from "./key-state.ts";
import { readTagLines, tagChanges, tagLines } from "./tag-lines.ts";

export function TagsDialog({ for_key, open, onClose }: { for_key: Key; open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title={`Tags of ${keyName(for_key)}`}>
      {open && <TagsForm for_key={for_key} onClose={onClose} />}
    </Dialog>
  );
}

function TagsForm({ for_key, onClose }: { for_key: Key; onClose: () => void }) {
  const [lines, setLines] = useState(() => tagLines(for_key.tags));
  const update = useChange("PATCH /keys/{key}", [...KEY_READS, "GET /tags", "GET /usage/explore"]);
  const { tags, problem } = readTagLines(lines);
  return (
    <DialogForm
      error={update.error}
      action="Save tags"
      busy={update.isPending}
      disabled={problem !== null}
      onCancel={onClose}
      onSubmit={() => {
        if (problem !== null) return;
        const onSuccess = toastAnd(onClose, "Tags saved");
        update.mutate({ path: { key: for_key.id }, body: { tags: tagChanges(for_key.tags, tags) } }, { onSuccess });
      }}
    >
      <TagsField value={lines} error={problem} onChange={setLines} />
      <p className="text-[0.88rem] text-ink-soft">
        Usage is grouped by the tags that a key has now: what it used before a change is shown with its new tags.
      </p>
    </DialogForm>
  );
}

/** A field with a tag on each line. */
export function TagsField({
  value,
  error,
  onChange,
}: {
  value: string;
  error: string | null;
  onChange: (lines: string) => void;
}) {
  return (
    <Textarea
      label="Tags"
      mono
      rows={4}
      spellCheck={false}
      placeholder={"team=search\nenv=prod"}
      help="One per line, as name=value; at most 16. Keys are found and usage is grouped by them."
      value={value}
      error={error}
      onChange={onChange}
    />
  );
}
