import type { Deleted } from "../../../contract/common.ts";
import {
  type CreatedInvitation,
  CreateInvitation,
  type Invitation,
  type InvitationList,
  InvitationsQuery,
} from "../../../contract/users.ts";
import { invalidRequest } from "../../core/errors.ts";
import { type Micro, ZERO } from "../../core/money/money.ts";
import type { LinkRecord } from "../../core/people/users.ts";
import { INVITATION_MAIL_MS } from "../../people/links/link-lives.ts";
import { invitationVouches } from "../../people/users/vouched-email.ts";
import { isFullAdministrator, mayIn, nameOf, roleOf, sees } from "../answer/actor.ts";
import { ConsoleError } from "../answer/console-error.ts";
import { isPaged, readPage, searchOf, showPage } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireAccount, requireAccounts, requireScope } from "../answer/scope.ts";
import { readAmount } from "../read/read-amount.ts";
import { readProject, requireKeyMaker } from "../read/read-project.ts";
import { showTime } from "../show/show.ts";
import { makeLink } from "./sign-in-links.ts";

/** Invitations: to any account and role by administrators, to their own account by its owners. */
export const invitationRoutes = [
  route("GET /invitations", "member", { query: InvitationsQuery, show: listInvitations }),
  route("POST /invitations", "member", { audit: "invitation.create", body: CreateInvitation, make: invite }),
  route("DELETE /invitations/{invitation}", "member", { audit: "invitation.withdraw", show: withdraw }),
];

async function listInvitations(call: ConsoleCall<unknown, InvitationsQuery>): Promise<InvitationList> {
  const { users } = call.deps;
  const account_id = await requireAccounts(call, call.query.account);
  if (!isPaged(call.query)) {
    const all = await users.listInvitations();
    const invitations = account_id === null ? all : all.filter((each) => each.account_id === account_id);
    return { object: "list", data: invitations.map(await showing(call, invitations)) };
  }
  const page = readPage(call.query);
  const found = await users.searchInvitations(account_id, searchOf(call.query, page));
  return showPage(found, page, await showing(call, found));
}

/** Makes an invitation; no other answer shows its link. Withdraws an earlier one for the same e-mail and account. */
async function invite(call: ConsoleCall<CreateInvitation>): Promise<CreatedInvitation> {
  const { email, role = "member", account, account_role = null } = call.body;
  const vouched = invitationVouches(roleOf(call.actor));
  if (role === "administrator" && !isFullAdministrator(call.actor))
    throw new ConsoleError("not_permitted", "Only administrators and the admin token invite administrators.", "role");
  if (!vouched && account === undefined) {
    const message = "'account' is missing: only administrators invite to new accounts.";
    throw new ConsoleError("not_permitted", message, "account");
  }
  const account_id = account === undefined ? null : (await requireAccount(call, account)).id;
  const project_id = await readInvitedProject(call, account_id);
  const gives = { role, account_id, account_role, vouched, credit_micro: readCredit(call, account_id), project_id };
  const mailed = (await call.deps.mail?.limits.mayMailInvitation(email, nameOf(call.actor))) ?? false;
  const mail = mailed && { mail: { asked_from: call.visit.address, ttl_ms: INVITATION_MAIL_MS } };
  const { record, link } = await makeLink(call, { purpose: "invitation", email, user_id: null, ...gives, ...mail });
  if (mailed) call.deps.mail?.wake();
  const show = await showing(call, [record]);
  return { ...show(record), link, mailed };
}

/** The credit that the invitation brings. Throws a 403 for an actor who may not add credit to the account. */
function readCredit({ actor, body }: ConsoleCall<CreateInvitation>, account_id: string | null): Micro | null {
  if (body.credit === undefined) return null;
  if (!mayIn(actor, account_id ?? "", "credits:write")) {
    const message = "To invite with credit you need credits:write: ask an administrator.";
    throw new ConsoleError("not_permitted", message, "credit");
  }
  const credit = readAmount(body.credit, "credit");
  if (credit > ZERO) return credit;
  throw invalidRequest("'credit' is 0; allowed: an amount above 0, or no 'credit'.", "credit");
}

/** The project that the invitation names. Throws a 400 where there is no account that has it, or where they will make no keys. */
async function readInvitedProject(
  { deps, body }: ConsoleCall<CreateInvitation>,
  account_id: string | null,
): Promise<string | null> {
  const { project, account_role = "member" } = body;
  if (project === undefined) return null;
  if (account_id === null) {
    const message = `'project' is '${project}' and 'account' is missing; allowed: a project of the account that 'account' names. A new account has none yet.`;
    throw invalidRequest(message, "project");
  }
  requireKeyMaker(account_role, project);
  return (await readProject(deps.accounts, account_id, project)).id;
}

async function withdraw(call: ConsoleCall): Promise<Deleted> {
  const { deps, actor, params, note } = call;
  const id = params.invitation ?? "";
  const found = await deps.users.findInvitation(id);
  const is_seen = found !== null && (roleOf(actor) === "administrator" || sees(actor, found.account_id ?? ""));
  if (!is_seen) throw notFound("invitation", id);
  requireScope(call, found.account_id ?? "");
  if (!(await deps.users.deleteInvitation(id, note))) throw notFound("invitation", id);
  return { id, deleted: true };
}

/** Shows invitations; their projects are looked up together. */
async function showing({ deps }: ConsoleCall, links: readonly LinkRecord[]): Promise<(link: LinkRecord) => Invitation> {
  const labels = await deps.accounts.labelProjects(links.flatMap(({ project_id }) => project_id ?? []));
  const open = labels.filter(({ deleted }) => !deleted);
  const projects = new Map(open.map(({ id, name }) => [id, { id, name }]));
  return (link) => showInvitation(link, projects.get(link.project_id ?? "") ?? null);
}

function showInvitation(link: LinkRecord, project: Invitation["project"]): Invitation {
  return {
    id: link.id,
    email: link.email ?? "",
    role: link.role,
    account: link.account_id,
    account_role: link.account_role,
    credit_micro: link.credit_micro === null ? null : Number(link.credit_micro),
    project,
    invited_by: link.made_by,
    created_at: showTime(link.created_ms),
    expires_at: showTime(link.expires_ms),
  };
}
