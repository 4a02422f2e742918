import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { CreatedKey, CreateKey } from "../../../../contract/keys.ts";
import { fieldError, messageOf } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { Form } from "../../kit/form.tsx";
import { Input } from "../../kit/input.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { EmptyState, Notice } from "../../kit/states.tsx";
import { useAccount, useMay, useOwnProject } from "../../kit/use-account.ts";
import { AccountLimitsNote } from "./account-limits-note.tsx";
import { AliasEditor } from "./alias-editor.tsx";
import { CreatedKeyDialog } from "./created-key-dialog.tsx";
import { fieldsOf, type KeyDraft, NEW_DRAFT } from "./key-draft.ts";
import { LimitFields } from "./limit-fields.tsx";
import { readPatterns } from "./match-models.ts";
import { ModelsField, modelsError } from "./models-field.tsx";
import { ProjectSelect } from "./project-select.tsx";
import { ResolveBox } from "./resolve-box.tsx";
import { readTagLines } from "./tag-lines.ts";
import { TagsField } from "./tags-dialog.tsx";
import { useProjects } from "./use-projects.ts";

/** The form for a new key, all of whose fields are optional. The key itself is shown once, at the end. */
export function NewKeyPage() {
  const account = useAccount();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(NEW_DRAFT);
  const projects = useProjects(account);
  const own_project = useOwnProject();
  const [chosen, setProject] = useState<string | null>(null);
  const project = chosen ?? own_project?.id ?? "";
  const [lines, setLines] = useState("");
  const { tags, problem } = readTagLines(lines);
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const create = useChange("POST /keys", ["GET /keys", "GET /budgets", "GET /projects"]);
  const change = (changes: Partial<KeyDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const may = useMay();
  const of_project = project === "" ? (own_project === null ? {} : { project: null }) : { project };
  const tagged = lines.trim() === "" ? {} : { tags };
  const submit = () =>
    create.mutate({ body: { account, ...of_project, ...tagged, ...givenFields(draft) } }, { onSuccess: setCreated });
  if (!may("keys:write")) return <NotAllowed />;
  return (
    <>
      <PageHeader
        title="Create a key"
        guide="clients"
        breadcrumb={[{ label: "Keys", to: "/keys" }]}
        description="A key lets a program use the models here and be charged to this account."
      />
      <Form
        className="max-w-3xl space-y-5"
        onSubmit={() => {
          if (problem === null) submit();
        }}
      >
        <Card title="Name">
          <Input
            label="Name"
            hide_label
            maxLength={200}
            placeholder="Production, CI, Ann's laptop"
            help="Shown in lists and reports."
            value={draft.name}
            error={fieldError(create.error, "name")}
            onChange={(typed) => change({ name: typed })}
          />
        </Card>
        {projects.length > 0 && (
          <Card title="Project" description="Its budget and limits apply to all of its keys together.">
            <ProjectSelect
              projects={projects}
              value={project}
              error={fieldError(create.error, "project")}
              onChange={setProject}
            />
          </Card>
        )}
        <Card title="Tags" description="Find keys and group usage by team, product or customer.">
          <TagsField value={lines} error={problem} onChange={setLines} />
        </Card>
        <AliasesCard draft={draft} onChange={change} error={create.error} />
        <Card title="Allowed models" description="What the key can reach, by id or by alias.">
          <ModelsField value={draft} onChange={change} error={modelsError(create.error)} />
        </Card>
        <Card title="Limits" description="You can change these later.">
          <LimitFields draft={draft} onChange={change} error={create.error} />
        </Card>
        <AccountLimitsNote account={account} />
        {create.error && <Notice tone="danger">{messageOf(create.error)}</Notice>}
        <div className="sticky bottom-0 z-10 flex flex-col gap-2 border-t border-line bg-canvas py-3 sm:flex-row">
          <Button type="submit" kind="primary" icon="key" busy={create.isPending}>
            Create key
          </Button>
          <LinkButton to="/keys" kind="quiet">
            Cancel
          </LinkButton>
        </div>
      </Form>
      <CreatedKeyDialog
        created={created}
        onClose={() => created && void navigate({ to: "/keys/$id", params: { id: created.id } })}
      />
    </>
  );
}

function NotAllowed() {
  return (
    <EmptyState
      icon="key"
      title="Your role cannot create keys here"
      action={<LinkButton to="/keys">All keys</LinkButton>}
    >
      Owners and members of the account can. Ask one of them for a key, or an owner for another role.
    </EmptyState>
  );
}

/** The fields that were filled in; the gateway decides the rest. */
function givenFields(draft: KeyDraft): Omit<CreateKey, "account"> {
  const { models, ...fields } = fieldsOf(draft);
  return { ...fields, ...(models === null ? {} : { models }) };
}

function AliasesCard({
  draft,
  onChange,
  error,
}: {
  draft: KeyDraft;
  onChange: (changes: Partial<KeyDraft>) => void;
  error: unknown;
}) {
  const [name, setName] = useState("");
  const models = draft.confined ? readPatterns(draft.patterns) : null;
  return (
    <Card
      title="Aliases"
      description="Your own names for models, as programs send them. End one with * to cover every name with that prefix."
    >
      <div className="space-y-4">
        <AliasEditor rows={draft.aliases} onChange={(aliases) => onChange({ aliases })} error={error} />
        {draft.aliases.length > 0 && (
          <div className="border-t border-line pt-4">
            <ResolveBox subject={{ aliases: draft.aliases, models }} name={name} onName={setName} />
          </div>
        )}
      </div>
    </Card>
  );
}
