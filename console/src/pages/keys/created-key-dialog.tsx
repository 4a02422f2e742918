import type { CreatedKey } from "../../../../contract/keys.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog, DialogActions } from "../../kit/dialog.tsx";
import { NewSecret } from "../../kit/new-secret.tsx";
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
          <NewSecret secret={created.key} />
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
