import { useState } from "react";
import type { Key } from "../../../../contract/keys.ts";
import { useChange } from "../../api/use-api.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/dialog-form.tsx";
import { Select } from "../../kit/input.tsx";
import { toast } from "../../kit/toast.tsx";
import { KEY_READS } from "./key-reads.ts";
import { keyName } from "./key-state.ts";
import { useProjects } from "./use-projects.ts";

/** Moves a key to another project, or out of its own. */
export function MoveDialog({ for_key, open, onClose }: { for_key: Key; open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title={`Which project does ${keyName(for_key)} belong to?`}>
      {open && <MoveForm for_key={for_key} onClose={onClose} />}
    </Dialog>
  );
}

function MoveForm({ for_key, onClose }: { for_key: Key; onClose: () => void }) {
  const projects = useProjects(for_key.account);
  const before = for_key.project?.id ?? "";
  const [chosen, setChosen] = useState(before);
  const update = useChange("PATCH /keys/{key}", [...KEY_READS, "GET /projects"]);
  return (
    <DialogForm
      error={update.error}
      action="Move key"
      busy={update.isPending}
      disabled={chosen === before}
      onSubmit={() =>
        update.mutate(
          { path: { key: for_key.id }, body: { project: chosen === "" ? null : chosen } },
          {
            onSuccess: ({ project }) => {
              toast(project === null ? "The key belongs to no project now" : `The key belongs to ${project.name} now`);
              onClose();
            },
          },
        )
      }
      onCancel={onClose}
    >
      <ProjectSelect projects={projects} value={chosen} onChange={setChosen} />
      <p className="text-[0.88rem] text-ink-soft">
        What the key has spent so far stays with the project that it belonged to. Requests that run end there, too.
      </p>
    </DialogForm>
  );
}

/** The choice of a project, or of none. */
export function ProjectSelect({
  projects,
  value,
  error,
  help,
  onChange,
}: {
  projects: ReturnType<typeof useProjects>;
  value: string;
  error?: string | null;
  help?: string;
  onChange: (id: string) => void;
}) {
  return (
    <Select
      label="Project"
      options={[{ value: "", label: "No project" }, ...projects.map(({ id, name }) => ({ value: id, label: name }))]}
      value={value}
      {...(error == null ? {} : { error })}
      {...(help === undefined ? {} : { help })}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
