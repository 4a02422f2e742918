import { useRef, useState } from "react";
import type { Project } from "../../../../contract/projects.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { formatCount } from "../../kit/format.ts";
import { Menu, MenuItem, MenuSeparator } from "../../kit/menu.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { useAccount, useMay } from "../../kit/use-account.ts";
import { None, Time } from "../../kit/values.tsx";
import { BudgetMeter } from "./budget-meter.tsx";
import { LimitWords, ModelWords } from "./key-columns.tsx";
import { PROJECT_READS, ProjectDialog } from "./project-dialog.tsx";
import { RaiseDialog } from "./raise-dialog.tsx";
import { TagLimitsNote } from "./tag-limits.tsx";

/** The account's projects: groups of keys with a budget and limits of their own. */
export function ProjectsTab() {
  const account = useAccount();
  const projects = useApi("GET /projects", { query: { account, limit: "500" } });
  const may_write = useMay()("projects:write");
  const [creating, setCreating] = useState(false);
  const create = may_write && (
    <Button icon="plus" onClick={() => setCreating(true)}>
      Create a project
    </Button>
  );
  return (
    <>
      <Loaded query={projects}>
        {({ data }) =>
          data.length === 0 ? (
            <Card flush>
              <EmptyState icon="key" title="No projects yet" action={create}>
                A project is a group of keys that share a budget, limits and allowed models. Its usage is reported
                separately.
              </EmptyState>
            </Card>
          ) : (
            <Card
              flush
              title="Projects"
              description="What the keys of each project can do and spend together."
              actions={create}
            >
              <DataTable
                caption="Projects"
                columns={COLUMNS}
                rows={data}
                file={{ name: "projects" }}
                rowKey={({ id }) => id}
                first_rows={100}
                sort_param="sort"
              />
            </Card>
          )
        }
      </Loaded>
      <TagLimitsNote account={account} />
      <ProjectDialog account={account} project={null} open={creating} onClose={() => setCreating(false)} />
    </>
  );
}

const COLUMNS: Column<Project>[] = [
  {
    key: "name",
    header: "Project",
    heading: true,
    sortBy: ({ name }) => name,
    cell: ({ name }) => <span className="block cards:pr-10">{name}</span>,
  },
  {
    key: "keys",
    header: "Keys",
    numeric: true,
    sortBy: ({ key_count }) => key_count,
    cell: ({ id, key_count, name }) => (
      <TextLink to="/keys" search={{ project: id }}>
        {formatCount(key_count)}
        <span className="sr-only"> keys of {name}</span>
      </TextLink>
    ),
  },
  {
    key: "budget",
    header: "Budget",
    sortBy: ({ use }) => (use === null ? null : use.spent_micro / use.amount_micro),
    cell: ({ use, currency }) =>
      use === null ? <None /> : <BudgetMeter short focusable use={use} currency={currency} />,
  },
  { key: "limits", header: "Limits", cell: ({ limits }) => <LimitWords of={limits} otherwise="no project limit" /> },
  { key: "models", header: "Models", wide_only: true, cell: ({ limits }) => <ModelWords of={limits} /> },
  {
    key: "created",
    header: "Created",
    wide_only: true,
    sortBy: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  {
    key: "actions",
    header: "Actions",
    hide_header: true,
    className: "cards:absolute cards:top-2 cards:right-2",
    cell: (project) => <ProjectActions of={project} />,
  },
];

function ProjectActions({ of: project }: { of: Project }) {
  const [asked, setAsked] = useState<"edit" | "raise" | "delete" | null>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const remove = useChange("DELETE /projects/{project}", PROJECT_READS);
  const may_write = useMay()("projects:write");
  // The dialog cannot give the focus back to the menu's item, which is gone by then.
  const close = () => {
    setAsked(null);
    setTimeout(() => trigger.current?.focus());
  };
  if (!may_write) return null;
  const label = `Actions for ${project.name}`;
  return (
    <>
      <Menu label={label} trigger={<IconButton ref={trigger} icon="more" label={label} className="relative" />}>
        <MenuItem icon="edit" onSelect={() => setAsked("edit")}>
          Name and limits
        </MenuItem>
        {project.use !== null && (
          <MenuItem icon="arrow-up" onSelect={() => setAsked("raise")}>
            Raise the budget
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem icon="trash" danger onSelect={() => setAsked("delete")}>
          Delete
        </MenuItem>
      </Menu>
      <ProjectDialog account={project.account} project={project} open={asked === "edit"} onClose={close} />
      {project.use !== null && (
        <RaiseDialog
          of={{ project: project.id }}
          name={project.name}
          use={project.use}
          currency={project.currency}
          open={asked === "raise"}
          onClose={close}
        />
      )}
      <ConfirmDialog
        open={asked === "delete"}
        onClose={close}
        title={`Delete the project ${project.name}?`}
        action="Delete project"
        danger
        done={`${project.name} is deleted`}
        onConfirm={() => remove.mutateAsync({ path: { project: project.id } })}
      >
        {project.key_count === 0
          ? "Its usage is kept under its name. This cannot be undone."
          : "It has keys: move them to another project or delete them first."}
      </ConfirmDialog>
    </>
  );
}
