import { useState } from "react";
import type { Member } from "../../../../contract/members.ts";
import { ACCOUNT_ROLES, type AccountRole, ROLE_WORDS } from "../../../../contract/permissions.ts";
import { useChange } from "../../api/use-api.ts";
import { ConfirmDialog, Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { Select } from "../../kit/input.tsx";
import { toast, toastAnd } from "../../kit/toast.tsx";
import { ProjectChoiceForm } from "../keys/project-choice-form.tsx";
import { roleName } from "./role-table.tsx";

export interface MemberAction {
  readonly what: "role" | "project" | "remove";
  readonly member: Member;
}

/** Changes a member's role, or removes the member, each after a dialog. */
export function MemberDialogs({ asked, onClose }: { asked: MemberAction | null; onClose: () => void }) {
  const remove = useChange("DELETE /accounts/{account}/members/{user}", ["GET /accounts/{account}/members"]);
  const member = asked?.member;
  const name = member?.name || member?.email || "";
  return (
    <>
      <Dialog open={asked?.what === "role"} onClose={onClose} title={`What may ${name} do?`}>
        {asked?.what === "role" && <RoleForm key={asked.member.user} member={asked.member} onClose={onClose} />}
      </Dialog>
      <Dialog open={asked?.what === "project"} onClose={onClose} title={`Default project of ${name}`}>
        {asked?.what === "project" && <ProjectForm key={asked.member.user} member={asked.member} onClose={onClose} />}
      </Dialog>
      <ConfirmDialog
        open={asked?.what === "remove"}
        onClose={onClose}
        title={`Remove ${name}?`}
        action="Remove from the account"
        danger
        done={`${name} is removed`}
        onConfirm={() => remove.mutateAsync({ path: { account: member?.account ?? "", user: member?.user ?? "" } })}
      >
        They lose access to this account at once. Keys that they created stay with the account and keep working: roll
        those whose secrets they know.
      </ConfirmDialog>
    </>
  );
}

function RoleForm({ member, onClose }: { member: Member; onClose: () => void }) {
  const [role, setRole] = useState<AccountRole>(member.role);
  const update = useChange("PATCH /accounts/{account}/members/{user}", ["GET /accounts/{account}/members"]);
  return (
    <DialogForm
      error={update.error}
      action="Change the role"
      busy={update.isPending}
      disabled={role === member.role}
      onSubmit={() =>
        update.mutate(
          { path: { account: member.account, user: member.user }, body: { role } },
          { onSuccess: toastAnd(onClose, `${member.name || member.email} is ${role} now`) },
        )
      }
      onCancel={onClose}
    >
      <RoleSelect value={role} onChange={setRole} />
    </DialogForm>
  );
}

/** Chooses the project for the keys that a member makes from now on. */
function ProjectForm({ member, onClose }: { member: Member; onClose: () => void }) {
  const update = useChange("PATCH /accounts/{account}/members/{user}", ["GET /accounts/{account}/members"]);
  const choose = (project: string | null) =>
    update.mutate(
      { path: { account: member.account, user: member.user }, body: { project } },
      {
        onSuccess: ({ project: into, name, email }) => {
          toast(`New keys of ${name || email} go into ${into === null ? "no project" : into.name}`);
          onClose();
        },
      },
    );
  return (
    <ProjectChoiceForm
      account={member.account}
      before={member.project}
      action="Set default project"
      change={update}
      onChoose={choose}
      onCancel={onClose}
    >
      For the keys that they make from now on; they may choose another project for each. Keys that are there stay where
      they are.
    </ProjectChoiceForm>
  );
}

/** The choice of a role, with what it may do. */
export function RoleSelect({ value, onChange }: { value: AccountRole; onChange: (role: AccountRole) => void }) {
  return (
    <Select
      label="Role in the account"
      options={ACCOUNT_ROLES.map((role) => ({ value: role, label: roleName(role) }))}
      help={`This role ${ROLE_WORDS[value]}.`}
      value={value}
      onChange={(typed) => onChange(typed as AccountRole)}
    />
  );
}
