import type { Cell } from "../../../contract/csv.ts";
import { type Names, NamesQuery } from "../../../contract/names.ts";
import {
  OfferReset,
  type SignInLink,
  UpdateUser,
  type User,
  type UserList,
  UsersQuery,
} from "../../../contract/users.ts";
import type { ConsoleAnswer } from "../../core/answer/console-exchange.ts";
import { GatewayError, invalidRequest } from "../../core/errors.ts";
import { given } from "../../core/given.ts";
import type { LinkRecord, UserRecord } from "../../core/people/users.ts";
import { LINK_LIVES_MS } from "../../people/links/link-lives.ts";
import { isFullAdministrator } from "../answer/actor.ts";
import { ConsoleError } from "../answer/console-error.ts";
import { isPaged, type Page, readPage, searchOf, showPage } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound } from "../answer/scope.ts";
import { csvFile } from "../show/csv-file.ts";
import { showTime } from "../show/show.ts";
import { makeLink } from "../sign-in/sign-in-links.ts";

export const userRoutes = [
  route("GET /users", "administrator", { query: UsersQuery, handle: listUsers }),
  route("PATCH /users/{user}", "administrator", { audit: "user.update", body: UpdateUser, show: updateUser }),
  route("POST /users/{user}/password-reset", "administrator", {
    audit: "user.offer-reset",
    body: OfferReset,
    make: offerReset,
  }),
  route("POST /first-administrator-link", "administrator", { audit: "link.create", make: offerFirstLink }),
  route("GET /names", "administrator", { query: NamesQuery, show: findNames }),
];

async function listUsers({ deps, query }: ConsoleCall<unknown, UsersQuery>): Promise<ConsoleAnswer> {
  const role = given({ role: query.role });
  const read = async (page: Page) =>
    showPage(await deps.users.searchUsers({ ...searchOf(query, page), ...role }), page, showUser);
  const rowsOf = async (users: readonly User[]) => {
    const ids = users.flatMap(({ accounts }) => accounts.map(({ account }) => account));
    const emails = new Map((await deps.accounts.labelAccounts(ids)).map(({ id, email }) => [id, email]));
    return users.map((user) => userRow(user, emails));
  };
  if (query.format === "csv") return csvFile("users", { columns: USER_COLUMNS, read, rowsOf });
  if (isPaged(query) || query.role !== undefined) return { status: 200, body: await read(readPage(query)) };
  const data = (await deps.users.listUsers()).map(showUser);
  return { status: 200, body: { object: "list", data } satisfies UserList };
}

async function updateUser(call: ConsoleCall<UpdateUser>): Promise<User> {
  const { id } = await reachUser(call);
  if (call.body.role === "administrator") requirePerson(call);
  const updated = await call.deps.users.updateUser(id, call.body, call.note);
  if (updated === null) throw notFound("user", id);
  return showUser(updated);
}

/** Makes a link for a user, and mails it where that is asked for: the administrator vouches that the mailbox is the user's (docs/rulings.md 224). */
async function offerReset(call: ConsoleCall<OfferReset>): Promise<SignInLink> {
  const user = await reachUser(call);
  if (user.status !== "active") throw new ConsoleError("conflict", `${user.email} is disabled: enable the user first.`);
  const { email, role, id: user_id, account_id } = user;
  const mailed = call.body.mail === true && (await mayMail(call, email));
  const mail = mailed && { mail: { asked_from: call.visit.address, ttl_ms: LINK_LIVES_MS["password-reset"] } };
  const made = await makeLink(call, { purpose: "password-reset", email, role, user_id, account_id, ...mail });
  if (mailed) call.deps.mail?.wake();
  return showLink(made, mailed);
}

/** Whether a link may be mailed to the user, which counts one. Throws a 400 where the gateway sends no mail. */
async function mayMail({ deps }: ConsoleCall, email: string): Promise<boolean> {
  if (deps.mail !== undefined) return await deps.mail.limits.mayMailReset(email);
  throw invalidRequest("'mail' is true, and this gateway sends no mail; allowed: false, or no 'mail'.", "mail");
}

/** Makes a new link for the first administrator, where the link that the gateway printed is lost. */
async function offerFirstLink(call: ConsoleCall): Promise<SignInLink> {
  requirePerson(call);
  if (await call.deps.users.administratorCanSignIn()) {
    throw new ConsoleError("conflict", "An administrator can sign in already. Name the user who should get a link.");
  }
  const nobody = { email: null, user_id: null, account_id: null };
  return showLink(await makeLink(call, { purpose: "first-administrator", role: "administrator", ...nobody }), false);
}

function showLink({ record, link }: { record: LinkRecord; link: string }, mailed: boolean): SignInLink {
  return { email: record.email, link, expires_at: showTime(record.expires_ms), mailed };
}

/**
 * The user by id or e-mail. Throws 404, which says so where an account has that e-mail, and 403 for a management key that reaches for
 * an administrator.
 */
async function reachUser(call: ConsoleCall): Promise<UserRecord> {
  const name = call.params.user ?? "";
  const { users, accounts } = call.deps;
  const user = await users.findUser(name);
  if (user === null) {
    const account = await accounts.findAccount(name);
    if (account === null) throw notFound("user", name);
    const todo = "Name a member of the account, or invite a user to it.";
    throw new GatewayError("not_found", `There is no user '${account.email}': this e-mail is of an account. ${todo}`);
  }
  if (user.role === "administrator") requirePerson(call);
  return user;
}

/** A management key neither makes nor changes an administrator: else it would have every scope. */
function requirePerson({ actor }: ConsoleCall): void {
  if (isFullAdministrator(actor)) return;
  throw new ConsoleError("not_permitted", "A management key cannot create or change administrators.");
}

function showUser(user: UserRecord): User {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    status: user.status,
    account: user.account_id,
    accounts: user.memberships.map(({ account_id, role }) => ({ account: account_id, role })),
    has_password: user.has_password,
    passkeys: user.passkeys,
    identities: [...user.identities],
    created_at: showTime(user.created_ms),
    last_seen_at: user.last_seen_ms === null ? null : showTime(user.last_seen_ms),
  };
}

async function findNames({ deps, query }: ConsoleCall<unknown, NamesQuery>): Promise<Names> {
  const ids = query.ids.split(",");
  const [accounts, users] = await Promise.all([deps.accounts.labelAccounts(ids), deps.users.labelUsers(ids)]);
  return { object: "names", names: Object.fromEntries([...accounts, ...users].map(({ id, email }) => [id, email])) };
}

/** Users as rows of a file. */
const USER_COLUMNS = [
  ...["id", "email", "name", "role", "status", "accounts", "has_password", "passkeys", "identities", "created_at"],
  "last_seen_at",
];

/** `emails`: of accounts, by id. */
function userRow(user: User, emails: ReadonlyMap<string, string>): Cell[] {
  return [
    ...[user.id, user.email, user.name, user.role, user.status],
    user.accounts.map(({ account, role }) => `${emails.get(account) ?? account} (${role})`).join(", "),
    ...[user.has_password ? 1 : 0, user.passkeys, user.identities.join(" "), user.created_at, user.last_seen_at],
  ];
}
