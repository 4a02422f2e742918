import { useState } from "react";
import type { Prompt, PromptContent } from "../../../../../contract/prompts.ts";
import { useIsAdministrator } from "../../../api/session.ts";
import { useApi, useChange } from "../../../api/use-api.ts";
import { Badge } from "../../../kit/badge.tsx";
import { Button, IconButton } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { DialogForm } from "../../../kit/form.tsx";
import { Input } from "../../../kit/input.tsx";
import { EmptyState, Loaded } from "../../../kit/states.tsx";
import { toast, toastError } from "../../../kit/toast.tsx";
import { Checkbox } from "../../../kit/toggle.tsx";
import { useAccountRole } from "../../../kit/use-account.ts";

interface Props {
  readonly account: string;
  /** The current content of the form. */
  readonly content: () => PromptContent;
  readonly onOpen: (prompt: Prompt) => void;
}

/** Saves the form as a prompt, for its author or for everybody of the account, and opens saved prompts. */
export function Prompts({ account, content, onOpen }: Props) {
  const [shows, setShows] = useState<"list" | "save" | null>(null);
  const [opened, setOpened] = useState<Prompt | null>(null);
  return (
    <div className="flex flex-wrap gap-2">
      <Button size="small" icon="audit" onClick={() => setShows("list")}>
        Saved prompts
      </Button>
      <Button size="small" icon="plus" onClick={() => setShows("save")}>
        Save this prompt
      </Button>
      <Dialog
        open={shows === "list"}
        onClose={() => setShows(null)}
        title="Saved prompts"
        description="Yours, and those shared with this account."
      >
        {shows === "list" && (
          <PromptTable
            account={account}
            onOpen={(prompt) => {
              setOpened(prompt);
              setShows(null);
              onOpen(prompt);
            }}
          />
        )}
      </Dialog>
      <Dialog
        open={shows === "save"}
        onClose={() => setShows(null)}
        title="Save this prompt"
        description="The message, the system prompt, the model and all settings; no images and no answers."
      >
        {shows === "save" && (
          <SaveForm
            account={account}
            opened={opened?.own === true && opened.account === account ? opened : null}
            content={content()}
            onClose={() => setShows(null)}
            onSaved={(prompt) => {
              setOpened(prompt);
              setShows(null);
              toast(`“${prompt.name}” is saved`);
            }}
          />
        )}
      </Dialog>
    </div>
  );
}

const STALE = ["GET /playground/prompts"] as const;

function PromptTable({ account, onOpen }: Pick<Props, "account" | "onOpen">) {
  const prompts = useApi("GET /playground/prompts", { query: { account } });
  return (
    <Loaded query={prompts}>
      {({ data }) =>
        data.length === 0 ? (
          <EmptyState icon="playground" title="No saved prompts yet">
            Saved prompts are on the server, so you have them on every device. Others in this account see those that you
            share.
          </EmptyState>
        ) : (
          <ul aria-label="Saved prompts" className="divide-y divide-line">
            {data.map((prompt) => (
              <PromptRow key={prompt.id} prompt={prompt} onOpen={() => onOpen(prompt)} />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function PromptRow({ prompt, onOpen }: { prompt: Prompt; onOpen: () => void }) {
  const { id, name, shared, own, by, content } = prompt;
  const tidies = useAccountRole() === "owner";
  const administrator = useIsAdministrator();
  const change = useChange("PATCH /playground/prompts/{prompt}", STALE);
  const remove = useChange("DELETE /playground/prompts/{prompt}", STALE);
  const [asking, setAsking] = useState(false);
  return (
    <li className="py-2.5">
      <div className="flex items-start justify-between gap-3">
        <button type="button" onClick={onOpen} className="min-w-0 flex-1 rounded-sm text-left hover:text-accent-ink">
          <span className="block font-medium break-words">{name}</span>
          <span className="block text-[0.85rem] break-words text-ink-soft">
            {own ? "yours" : `by ${by}`}
            {content.model && `, ${content.model}`}
          </span>
        </button>
        <span className="flex shrink-0 items-center gap-1">
          {shared && <Badge tone="info">shared</Badge>}
          {own && (
            <Button
              size="small"
              kind="quiet"
              busy={change.isPending}
              onClick={() =>
                change.mutate({ path: { prompt: id }, body: { shared: !shared } }, { onError: toastError })
              }
            >
              {shared ? "Stop sharing" : "Share"}
            </Button>
          )}
          {(own || tidies || administrator) && (
            <IconButton icon="trash" label={`Delete ${name}`} onClick={() => setAsking(true)} />
          )}
        </span>
      </div>
      {asking && (
        <div className="mt-2 flex flex-wrap items-center justify-end gap-2 text-[0.9rem]">
          <span className="mr-auto text-ink-soft">
            {shared ? "Everyone in this account loses it." : "This cannot be undone."}
          </span>
          <Button size="small" onClick={() => setAsking(false)}>
            Keep it
          </Button>
          <Button
            size="small"
            kind="danger"
            busy={remove.isPending}
            onClick={() => remove.mutate({ path: { prompt: id } }, { onError: toastError })}
          >
            Delete
          </Button>
        </div>
      )}
    </li>
  );
}

interface SaveProps {
  readonly account: string;
  /** The user's own prompt that is open, which may be replaced. */
  readonly opened: Prompt | null;
  readonly content: PromptContent;
  readonly onClose: () => void;
  readonly onSaved: (prompt: Prompt) => void;
}

function SaveForm({ account, opened, content, onClose, onSaved }: SaveProps) {
  const [name, setName] = useState(opened?.name ?? "");
  const [shared, setShared] = useState(opened?.shared ?? false);
  const create = useChange("POST /playground/prompts", STALE);
  const replace = useChange("PATCH /playground/prompts/{prompt}", STALE);
  const error = create.error ?? replace.error;
  const sound = name.trim() !== "";
  const saved = { name: name.trim(), shared, content };
  return (
    <DialogForm
      error={error}
      action={opened === null ? "Save" : "Save as new"}
      busy={create.isPending}
      disabled={!sound}
      other={
        opened !== null && (
          <Button
            busy={replace.isPending}
            disabled={!sound}
            onClick={() => replace.mutate({ path: { prompt: opened.id }, body: saved }, { onSuccess: onSaved })}
          >
            Replace “{opened.name}”
          </Button>
        )
      }
      onCancel={onClose}
      onSubmit={() => {
        if (sound) create.mutate({ body: { account, ...saved } }, { onSuccess: onSaved });
      }}
    >
      <Input label="Name" required maxLength={100} value={name} onChange={setName} />
      <Checkbox
        label="Share it with this account"
        help="Everyone in this account who can use the playground sees it and can save a copy."
        checked={shared}
        onChange={setShared}
      />
    </DialogForm>
  );
}
