import { useState } from "react";
import type { Account } from "../../../../contract/accounts.ts";
import { readAmount } from "../../../../contract/amounts.ts";
import type { Member } from "../../../../contract/members.ts";
import { type AccountRole, ROLE_NOUNS, roleMay } from "../../../../contract/permissions.ts";
import type { CreatedInvitation, Invitation } from "../../../../contract/users.ts";
import { ApiError, fieldError } from "../../api/api-error.ts";
import { useIsAdministrator } from "../../api/session.ts";
import { useChange } from "../../api/use-api.ts";
import { useFoundAccounts } from "../../api/use-found.ts";
import { useNames } from "../../api/use-names.ts";
import { AmountInput } from "../../kit/amount-input.tsx";
import { Button } from "../../kit/button.tsx";
import { Combobox } from "../../kit/combobox.tsx";
import { Dialog, DialogActions } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { Input, Select } from "../../kit/input.tsx";
import { optionsOf } from "../../kit/options.ts";
import { toast } from "../../kit/toast.tsx";
import { OneTimeLink } from "../admin-parts/one-time-link.tsx";
import { ProjectSelect } from "../keys/project-select.tsx";
import { useProjects } from "../keys/use-projects.ts";
import { RoleSelect } from "../team/member-dialogs.tsx";

/**
 * Invites a person and shows the link once. `account`: the account that they join, where it is known already; owners invite to
 * their own. A person who has a user becomes a member at once where an administrator asks.
 */
export function InviteDialog({ open, onClose, account }: { open: boolean; onClose: () => void; account?: Account }) {
  const [made, setMade] = useState<CreatedInvitation | null>(null);
  const close = () => {
    onClose();
    setMade(null);
  };
  const title = made !== null ? `${made.email} is invited` : account ? "Invite a member" : "Invite a user";
  return (
    <Dialog open={open} onClose={close} title={title} insist={made !== null}>
      {open && made === null && (
        <InviteForm
          account={account}
          onClose={close}
          onMade={setMade}
          onAdded={({ email, role }) => {
            toast(`${email} is ${role} of the account now`);
            close();
          }}
        />
      )}
      {made !== null && (
        <>
          <OneTimeLink link={made.link} expires_at={made.expires_at}>
            {made.mailed ? `A mail to ${made.email} brings this link.` : `Send this link to ${made.email}.`}{" "}
            {whatItDoes(made)}
          </OneTimeLink>
          <DialogActions>
            <Button kind="primary" onClick={close}>
              Done
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}

function whatItDoes({ role, account_role, credit_micro, project }: CreatedInvitation): string {
  const what = role === "administrator" ? "an administrator" : ROLE_NOUNS[account_role ?? "member"];
  const keys = project === null ? "" : ` Their default project is ${project.name}.`;
  const brings = `${credit_micro === null ? "" : " The credit is booked once, when they accept."}${keys}`;
  return `New users choose a password and become ${what}; existing users sign in.${brings}`;
}

const OWN = "";
const ABOVE_0 = "Write an amount above 0, or leave it empty.";

interface InviteFormProps {
  readonly account: Account | undefined;
  readonly onClose: () => void;
  readonly onMade: (made: CreatedInvitation) => void;
  readonly onAdded: (member: Member) => void;
}

function InviteForm({ account, onClose, onMade, onAdded }: InviteFormProps) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Invitation["role"]>("member");
  const [chosen, setChosen] = useState(account?.id ?? OWN);
  const [account_role, setAccountRole] = useState<AccountRole>("member");
  const [credit, setCredit] = useState("");
  const [project, setProject] = useState("");
  const is_administrator = useIsAdministrator();
  const invite = useInvite(onMade, onAdded);
  const amount = credit.trim() === "" ? null : readAmount(credit);
  const credit_problem = amount === null || "problem" in amount || amount.micro > 0 ? null : ABOVE_0;
  const credit_is_sound = amount === null || (!("problem" in amount) && credit_problem === null);
  const fields = ["email", "account", "project"] as const;
  const [email_error, account_error, project_error] = fields.map((field) => fieldError(invite.error, field));
  const credit_error = credit_problem ?? fieldError(invite.error, "credit");
  return (
    <DialogForm
      error={email_error || account_error || project_error || credit_error ? null : invite.error}
      action="Create invitation"
      busy={invite.busy}
      disabled={email.trim() === "" || !credit_is_sound}
      onSubmit={() => {
        const into = project !== "" && roleMay(account_role, "keys:write") ? { project } : {};
        const to_account = chosen === OWN ? {} : { account: chosen, account_role, ...into };
        if (!credit_is_sound) return;
        const brings = amount === null || "problem" in amount ? {} : { credit: amount.text };
        void invite.send({ email: email.trim(), role, ...to_account, ...brings });
      }}
      onCancel={onClose}
    >
      <Input
        label="E-mail"
        type="email"
        required
        maxLength={254}
        placeholder="ada@example.com"
        help="Replaces an earlier invitation of this address to the same account."
        value={email}
        error={email_error ?? null}
        onChange={setEmail}
      />
      {is_administrator && (
        <Select
          label="Role"
          options={optionsOf({
            member: "Member: what their accounts' roles allow",
            administrator: "Administrator: sees and changes everything",
          })}
          value={role}
          onChange={(typed) => setRole(typed === "administrator" ? "administrator" : "member")}
        />
      )}
      {is_administrator && (
        <AccountField
          chosen={chosen}
          onChoose={(other) => {
            setChosen(other);
            setProject("");
          }}
          error={account_error ?? null}
        />
      )}
      {chosen !== OWN && <RoleSelect value={account_role} onChange={setAccountRole} />}
      {chosen !== OWN && roleMay(account_role, "keys:write") && (
        <ProjectField account={chosen} value={project} onChange={setProject} error={project_error ?? null} />
      )}
      {is_administrator && (
        <AmountInput
          label="Credit"
          optional
          placeholder="25.00"
          help={credit.trim() === "" ? "Leave empty to start with a balance of 0." : "Booked once, when they accept."}
          value={credit}
          error={credit_error}
          onChange={setCredit}
        />
      )}
    </DialogForm>
  );
}

interface InvitationDraft {
  readonly email: string;
  readonly role: Invitation["role"];
  readonly account?: string;
  readonly account_role?: AccountRole;
  readonly credit?: string;
  readonly project?: string;
}

/** Adds an existing user to an account, or makes an invitation. */
function useInvite(onMade: InviteFormProps["onMade"], onAdded: InviteFormProps["onAdded"]) {
  const is_administrator = useIsAdministrator();
  const stale = ["GET /invitations", "GET /audit-log"] as const;
  const invite = useChange("POST /invitations", stale);
  const add = useChange("POST /accounts/{account}/members", ["GET /accounts/{account}/members", "GET /users"]);
  const [error, setError] = useState<unknown>(null);
  const send = async ({ email, role, account, account_role, credit, project }: InvitationDraft): Promise<void> => {
    setError(null);
    const into = project === undefined ? {} : { project };
    try {
      // Credit comes with an invitation that is accepted, also for somebody who has a user.
      const at_once = is_administrator && role === "member" && credit === undefined;
      if (at_once && account !== undefined && account_role !== undefined) {
        const added = await add
          .mutateAsync({ path: { account }, body: { email, role: account_role, ...into } })
          .catch(notThere);
        if (added !== null) return onAdded(added);
      }
      const to_account = account === undefined ? {} : { account, ...(account_role && { account_role }), ...into };
      onMade(await invite.mutateAsync({ body: { email, role, ...to_account, ...(credit && { credit }) } }));
    } catch (thrown) {
      setError(thrown);
    }
  };
  return { send, error, busy: invite.isPending || add.isPending };
}

/** No user has this e-mail yet, so the person is invited. */
function notThere(thrown: unknown): null {
  if (thrown instanceof ApiError && thrown.status === 404) return null;
  throw thrown;
}

/** The project for the keys of the new member; empty where the account has no projects. */
function ProjectField({
  account,
  ...select
}: {
  account: string;
  value: string;
  onChange: (project: string) => void;
  error: string | null;
}) {
  const projects = useProjects(account);
  if (projects.length === 0) return null;
  return (
    <ProjectSelect
      projects={projects}
      help="The default project of the keys that they create. You can change it later under Team."
      {...select}
    />
  );
}

function AccountField({
  chosen,
  onChoose,
  error,
}: {
  chosen: string;
  onChoose: (account: string) => void;
  error: string | null;
}) {
  const [typed, setTyped] = useState("");
  const { rows, searching } = useFoundAccounts({ typed });
  const names = useNames(chosen === OWN ? [] : [chosen]);
  const options = [
    { value: OWN, label: "A new account" },
    ...rows.map(({ id, email: label, name }) => ({ value: id, label, note: name })),
  ];
  return (
    <Combobox
      label="Account"
      options={options}
      value={chosen}
      shown={names.get(chosen)}
      onChange={onChoose}
      onType={setTyped}
      searching={searching}
      help="The account that they join."
      error={error}
    />
  );
}
