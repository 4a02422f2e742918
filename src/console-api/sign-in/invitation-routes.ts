import {
  CreateInvitation,
  type CreatedInvitation,
  type Invitation,
  type InvitationList,
} from "../../../contract/users.ts";
import type { LinkRecord } from "../../core/users.ts";
import { type ConsoleCall, type ConsoleAnswer, route } from "../answer/route.ts";
import { notFound, requireAccount } from "../answer/scope.ts";
import { makeLink } from "./sign-in-links.ts";

export const invitationRoutes = [
  route({
    method: "GET",
    path: "/invitations",
    role: "administrator",
    handle: async ({ deps }) => {
      const invitations = await deps.users.listInvitations();
      const body: InvitationList = { object: "list", data: invitations.map(showInvitation) };
      return { status: 200, body };
    },
  }),
  route({
    method: "POST",
    path: "/invitations",
    role: "administrator",
    audit: "invitation.create",
    body: CreateInvitation,
    handle: invite,
  }),
  route({
    method: "DELETE",
    path: "/invitations/{invitation}",
    role: "administrator",
    audit: "invitation.withdraw",
    handle: async ({ deps, params, note }) => {
      const id = params.invitation ?? "";
      if (!(await deps.users.deleteInvitation(id, note))) throw notFound("invitation", id);
      return { status: 200, body: { id, deleted: true } };
    },
  }),
];

/** Makes an invitation; no other answer shows its link. Withdraws an earlier invitation of the same e-mail. */
async function invite(call: ConsoleCall<CreateInvitation, unknown>): Promise<ConsoleAnswer> {
  const { email, role = "member", account } = call.body;
  const account_id = account === undefined ? null : (await requireAccount(call, account)).id;
  const { record, link } = await makeLink(call, { purpose: "invitation", email, role, user_id: null, account_id });
  const body: CreatedInvitation = { ...showInvitation(record), link };
  return { status: 201, body };
}

function showInvitation(link: LinkRecord): Invitation {
  return {
    id: link.id,
    email: link.email ?? "",
    role: link.role,
    account: link.account_id,
    invited_by: link.made_by,
    created_at: new Date(link.created_ms).toISOString(),
    expires_at: new Date(link.expires_ms).toISOString(),
  };
}
