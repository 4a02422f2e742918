import { type ReactNode, useState } from "react";
import { DialogForm } from "../../kit/form.tsx";
import { ProjectSelect } from "./project-select.tsx";
import { useProjects } from "./use-projects.ts";

/** The form of a dialog in which another project of an account is chosen, or none. `children`: an explanation of the choice. */
export function ProjectChoiceForm({
  account,
  before,
  action,
  change: { error, isPending },
  onChoose,
  onCancel,
  children,
}: {
  account: string;
  /** The project until now; null for none. */
  before: { readonly id: string } | null;
  action: string;
  change: { readonly error: unknown; readonly isPending: boolean };
  onChoose: (project: string | null) => void;
  onCancel: () => void;
  children: ReactNode;
}) {
  const projects = useProjects(account);
  const known = before?.id ?? "";
  const [chosen, setChosen] = useState(known);
  return (
    <DialogForm
      error={error}
      action={action}
      busy={isPending}
      disabled={chosen === known}
      onSubmit={() => onChoose(chosen === "" ? null : chosen)}
      onCancel={onCancel}
    >
      {projects.length === 0 ? (
        <p>The account has no projects yet: owners create them under Keys.</p>
      ) : (
        <ProjectSelect projects={projects} value={chosen} onChange={setChosen} />
      )}
      <p className="text-[0.88rem] text-ink-soft">{children}</p>
    </DialogForm>
  );
}
