import type { Deleted } from "../../../contract/common.ts";
import {
  AddMember,
  JoinAccount,
  type Member,
  type MemberList,
  MembersQuery,
  UpdateMember,
} from "../../../contract/members.ts";
import type { AccountRole } from "../../../contract/permissions.ts";
import { hashToken } from "../../access/console/tokens.ts";
import { invalidRequest } from "../../core/errors.ts";
import { given } from "../../core/given.ts";
import type { MemberRecord } from "../../core/people/memberships.ts";
import { roleOf } from "../answer/actor.ts";
import { ConsoleError } from "../answer/console-error.ts";
import { isPaged, readPage, searchOf, showPage } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireAccount } from "../answer/scope.ts";
import { makesKeys, readProject, requireKeyMaker } from "../read/read-project.ts";
import { showTime } from "../show/show.ts";
import { ownSession, showSession } from "../sign-in/signed-in.ts";

/** The members of an account and their roles. Owners change their own account's members, administrators those of all accounts. */
export const memberRoutes = [
  route("GET /accounts/{account}/members", "member", { query: MembersQuery, show: listMembers }),
  route("POST /accounts/{account}/members", "administrator", {
    audit: "member.add",
    body: AddMember,
    make: addMember,
  }),
  route("PATCH /accounts/{account}/members/{user}", "member", {
    audit: "member.update",
    body: UpdateMember,
    show: updateMember,
  }),
  route("DELETE /accounts/{account}/members/{user}", "member", { audit: "member.remove", show: removeMember }),
  route("POST /me/accounts", "member", { audit: "member.join", body: JoinAccount, show: join }),
  route("DELETE /me/accounts/{account}", "member", { audit: "member.leave", show: leave }),
];

async function listMembers(call: ConsoleCall<unknown, MembersQuery>): Promise<MemberList> {
  const { id: account_id } = await requireAccount(call);
  const { deps, query } = call;
  const { role } = query;
  if (!isPaged(query) && role === undefined)
    return { object: "list", data: (await deps.users.listMembers(account_id)).map(showMember) };
  const page = readPage(query);
  const asked = { ...searchOf(query, page), ...given({ role }) };
  const found = await deps.users.searchMembers(account_id, asked);
  return showPage(
    found.map((member) => ({ ...member, id: member.user_id })),
    page,
    showMember,
  );
}

async function addMember(call: ConsoleCall<AddMember>): Promise<Member> {
  const { deps, actor, body, note } = call;
  const { id } = await requireAccount(call);
  // A key that an owner has made for the account may invite people, but not add them without their consent.
  if (roleOf(actor) !== "administrator")
    throw new ConsoleError("not_permitted", "Only administrators add users directly: invite them.");
  const user = await deps.users.findUser(body.email);
  if (user === null) throw notFound("user", body.email);
  if (user.memberships.some(({ account_id }) => account_id === id))
    throw new ConsoleError("conflict", `${user.email} belongs to this account already.`);
  const { role, project } = body;
  const project_id = project === undefined ? null : await readMemberProject(call, id, role, project);
  return shown(await deps.users.setMembership(user.id, { account_id: id, role, project_id }, note), user.id);
}

/** Changes role, project or both. Who gets a role that makes no keys loses the project for them. */
async function updateMember(call: ConsoleCall<UpdateMember>): Promise<Member> {
  const { deps, body, note } = call;
  const member = await requireMember(call);
  const { account_id, user_id } = member;
  if (body.role === undefined && body.project === undefined)
    throw invalidRequest("The body is {}; allowed: 'role', 'project', or both.", "role");
  const { role = member.role, project } = body;
  if (project != null) {
    const project_id = await readMemberProject(call, account_id, role, project);
    return shown(await deps.users.setMembership(user_id, { account_id, role, project_id }, note), user_id);
  }
  const without = project === null || !makesKeys(role) ? { project_id: null } : {};
  return shown(await deps.users.setMembership(user_id, { account_id, role, ...without }, note), user_id);
}

/** The id of the project for a member's keys. Throws a 400 where the account does not have it, or the role makes no keys. */
async function readMemberProject(
  { deps }: ConsoleCall,
  account_id: string,
  role: AccountRole,
  project: string,
): Promise<string> {
  requireKeyMaker(role, project);
  return (await readProject(deps.accounts, account_id, project)).id;
}

async function removeMember(call: ConsoleCall): Promise<Deleted> {
  const { account_id, user_id } = await requireMember(call);
  return await remove(call, account_id, user_id);
}

/** Removes a member, whose playground key ends with it. */
async function remove(call: ConsoleCall, account_id: string, user_id: string): Promise<Deleted> {
  const { accounts, users, keyChanged } = call.deps;
  const own = (await accounts.listKeys(account_id)).filter(({ playground_of }) => playground_of === user_id);
  if (!(await users.removeMembership(user_id, account_id, call.note))) throw notFound("member", user_id);
  for (const { id } of own) keyChanged?.(id);
  return { id: user_id, deleted: true };
}

/** Joins an account as the signed-in user: for an e-mail with a user the invitation alone is no sign-in. */
async function join(call: ConsoleCall<JoinAccount>): Promise<object> {
  const { users, keys } = call.deps;
  const { user } = await ownSession(call);
  const joined = await users.joinByLink(hashToken(keys, "link", call.body.token), user.id, call.note);
  if (joined.outcome === "gone")
    throw new ConsoleError(
      "link_expired",
      "This link was used before, has expired or was withdrawn. Ask for a new one.",
    );
  if (joined.outcome === "other-email")
    throw new ConsoleError(
      "conflict",
      `This invitation is for ${joined.email}, and you are signed in as ${user.email}.`,
    );
  return await showOwnSession(call, joined.membership.account_id);
}

async function leave(call: ConsoleCall): Promise<object> {
  const { user } = await ownSession(call);
  const account_id = call.params.account ?? "";
  if (!user.memberships.some((each) => each.account_id === account_id)) throw notFound("account", account_id);
  await remove(call, account_id, user.id);
  return await showOwnSession(call, null);
}

/** The session with its user's accounts as they are now. */
async function showOwnSession(call: ConsoleCall, joined: string | null): Promise<object> {
  const { user, session, token } = await ownSession(call);
  return { ...(await showSession(call, user, session, token)), joined };
}

/** A member by account and user. Throws 404 and 403. */
async function requireMember(call: ConsoleCall): Promise<MemberRecord> {
  const { id } = await requireAccount(call);
  const wanted = call.params.user ?? "";
  const found = await call.deps.users.findMember(id, wanted);
  if (found === null) throw notFound("member", wanted);
  return found;
}

function shown(member: MemberRecord | null, user_id: string): Member {
  if (member === null) throw notFound("member", user_id);
  return showMember(member);
}

function showMember(member: MemberRecord): Member {
  return {
    user: member.user_id,
    account: member.account_id,
    role: member.role,
    email: member.email,
    name: member.name,
    status: member.status,
    joined_at: showTime(member.joined_ms),
    last_seen_at: member.last_seen_ms === null ? null : showTime(member.last_seen_ms),
    project: member.project,
  };
}
