import { useState } from "react";
import type { Project } from "../../../../contract/projects.ts";
import { ApiError, fieldError } from "../../api/api-error.ts";
import type { ReadName } from "../../api/endpoints.ts";
import { useChange } from "../../api/use-api.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { Input } from "../../kit/input.tsx";
import { toast } from "../../kit/toast.tsx";
import { CacheField } from "./cache-field.tsx";
import { type LimitDraft, limitDraftOf, limitFieldsOf } from "./key-draft.ts";
import { RateFields } from "./limit-fields.tsx";
import { ProjectModelLimits } from "./model-limits.tsx";
import { ModelsField, modelsError } from "./models-field.tsx";
import { TagLimitFields, tagDraftOf, tagFieldsOf } from "./tag-limits.tsx";

/** The reads that show a project, and are stale when it changes. */
export const PROJECT_READS: readonly ReadName[] = [
  "GET /projects",
  "GET /projects/{project}/model-limits",
  "GET /accounts/{account}/tag-limits",
  "GET /keys",
  "GET /keys/{key}",
  "GET /audit-log",
];

interface Props {
  readonly account: string;
  /** The project that is changed; null: a new one. */
  readonly project: Project | null;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Makes a project, or changes its name and limits. */
export function ProjectDialog({ account, project, open, onClose }: Props) {
  return (
    <Dialog open={open} onClose={onClose} title={project === null ? "Create a project" : `Change ${project.name}`} wide>
      {open && <ProjectForm account={account} project={project} onClose={onClose} />}
    </Dialog>
  );
}

const HELP = {
  budget:
    "What its keys together can spend. Resets at the start of each day, week or month in the account's time zone.",
  rpm: "Its keys together. Leave empty for no project limit.",
  tpm: "Its keys together. Leave empty for no project limit.",
  concurrent: "Its keys together. Leave empty for no project limit.",
};

const NO_LIMITS = { models: null, rpm: null, tpm: null, concurrent: null, budget: null };

function ProjectForm({ account, project, onClose }: Omit<Props, "open">) {
  const [name, setName] = useState(project?.name ?? "");
  const [draft, setDraft] = useState(() => limitDraftOf(project?.limits ?? NO_LIMITS));
  const [tags, setTags] = useState(() => tagDraftOf(project?.limits ?? {}));
  const [cache, setCache] = useState(project?.cache ?? "");
  const create = useChange("POST /projects", PROJECT_READS);
  const update = useChange("PATCH /projects/{project}", PROJECT_READS);
  const error = create.error ?? update.error;
  const change = (part: Partial<LimitDraft>) => setDraft((before) => ({ ...before, ...part }));
  const onSubmit = () => {
    const body = {
      name: name.trim(),
      ...limitFieldsOf(draft),
      ...tagFieldsOf(tags),
      cache: cache.trim() === "" ? null : cache.trim(),
    };
    const onSuccess = (saved: Project) => {
      toast(project === null ? `${saved.name} is created` : "Project saved");
      onClose();
    };
    if (project === null) create.mutate({ body: { account, ...body } }, { onSuccess });
    else update.mutate({ path: { project: project.id }, body }, { onSuccess });
  };
  return (
    <DialogForm
      className="space-y-5"
      error={error instanceof ApiError && error.param !== null ? null : error}
      action={project === null ? "Create project" : "Save project"}
      busy={create.isPending || update.isPending}
      onCancel={onClose}
      onSubmit={onSubmit}
    >
      <p className="text-ink-soft">Its limits apply to all of its keys together, in addition to each key's limits.</p>
      <Input label="Name" required maxLength={100} value={name} error={fieldError(error, "name")} onChange={setName} />
      <RateFields draft={draft} onChange={change} error={error} help={HELP} />
      {project?.limits.model_limits && <ProjectModelLimits of={project.id} />}
      <TagLimitFields draft={tags} error={error} onChange={(part) => setTags((before) => ({ ...before, ...part }))} />
      <CacheField
        value={cache}
        help="How old an answer can be that a call with x-camino-cache: on gets again, for keys that have no time themselves."
        error={error}
        onChange={setCache}
      />
      <ModelsField value={draft} onChange={change} error={modelsError(error)} />
    </DialogForm>
  );
}
