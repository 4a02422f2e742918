import type { Key } from "../../../../contract/keys.ts";
import { useChange } from "../../api/use-api.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { toast } from "../../kit/toast.tsx";
import { KEY_READS } from "./key-reads.ts";
import { keyName } from "./key-state.ts";
import { ProjectChoiceForm } from "./project-choice-form.tsx";

/** Moves a key to another project, or out of its own. */
export function MoveDialog({ for_key, open, onClose }: { for_key: Key; open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title={`Which project does ${keyName(for_key)} belong to?`}>
      {open && <MoveForm for_key={for_key} onClose={onClose} />}
    </Dialog>
  );
}

function MoveForm({ for_key, onClose }: { for_key: Key; onClose: () => void }) {
  const update = useChange("PATCH /keys/{key}", [...KEY_READS, "GET /projects"]);
  const move = (project: string | null) =>
    update.mutate(
      { path: { key: for_key.id }, body: { project } },
      {
        onSuccess: ({ project: to }) => {
          toast(to === null ? "The key belongs to no project now" : `The key belongs to ${to.name} now`);
          onClose();
        },
      },
    );
  return (
    <ProjectChoiceForm
      account={for_key.account}
      before={for_key.project}
      action="Move key"
      change={update}
      onChoose={move}
      onCancel={onClose}
    >
      What the key has spent stays with its earlier project. Running requests are also counted there.
    </ProjectChoiceForm>
  );
}
