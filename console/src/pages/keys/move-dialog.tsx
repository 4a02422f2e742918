import { useState } from "react";
import type { Key } from "../../../../contract/keys.ts";
import { messageOf } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog, DialogActions } from "../../kit/dialog.tsx";
import { Select } from "../../kit/input.tsx";
import { Notice } from "../../kit/states.tsx";
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
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        update.mutate(
          { path: { key: for_key.id }, body: { project: chosen === "" ? null : chosen } },
          {
            onSuccess: ({ project }) => {
              toast(project === null ? "The key belongs to no project now" : `The key belongs to ${project.name} now`);
              onClose();
            },
          },
        );
      }}
    >
      {update.error && <Notice tone="danger">{messageOf(update.error)}</Notice>}
      <ProjectSelect projects={projects} value={chosen} onChange={setChosen} />
      <p className="text-[0.88rem] text-ink-soft">
        What the key has spent so far stays with the project that it belonged to. Requests that run end there, too.
      </p>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" busy={update.isPending} disabled={chosen === before}>
          Move key
        </Button>
      </DialogActions>
    </form>
  );
}

/** The choice of a project, or of none. */
export function ProjectSelect({
  projects,
  value,
  error,
  onChange,
}: {
  projects: ReturnType<typeof useProjects>;
  value: string;
  error?: string | null;
  onChange: (id: string) => void;
}) {
  return (
    <Select
      label="Project"
      options={[{ value: "", label: "No project" }, ...projects.map(({ id, name }) => ({ value: id, label: name }))]}
      value={value}
      {...(error == null ? {} : { error })}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
