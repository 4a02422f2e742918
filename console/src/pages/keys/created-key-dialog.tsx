import type { CreatedKey } from "../../../../contract/keys.ts";
import { Button } from "../../kit/button.tsx";
import { CopyButton } from "../../kit/copy-button.tsx";
import { Dialog, DialogActions } from "../../kit/dialog.tsx";
import { Notice } from "../../kit/states.tsx";
import { KeySnippets } from "./key-snippets.tsx";

/** Shows a new key, the only time, to copy and in snippets. Stays open until the user confirms having the key. */
export function CreatedKeyDialog({
  created,
  title = "Your new key",
  onClose,
}: {
  created: CreatedKey | null;
  title?: string;
  onClose: () => void;
}) {
  return (
    <Dialog open={created !== null} onClose={onClose} title={title} wide insist>
      {created !== null && (
        <div className="space-y-4">
          <Notice tone="warn">Copy the key now: it is not stored, and cannot be shown again.</Notice>
          <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line-strong bg-surface p-2 pl-3.5">
            <code data-secret="" className="min-w-0 flex-1 basis-64 font-mono text-[0.92rem] break-all select-all">
              {created.key}
            </code>
            <CopyButton value={created.key} text_label="Copy key" className="max-sm:w-full" />
          </div>
          <section aria-labelledby="first-call">
            <h3 id="first-call" className="mb-1 font-semibold">
              Use it
            </h3>
            <KeySnippets for_key={created} secret={created.key} />
          </section>
          <DialogActions>
            <Button kind="primary" onClick={onClose}>
              I have copied it
            </Button>
          </DialogActions>
        </div>
      )}
    </Dialog>
  );
}
