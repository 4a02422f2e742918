import type { Static, TSchema } from "typebox";
import { Account, AccountList, AccountsQuery, CreateAccount, UpdateAccount } from "./accounts.ts";
import { AuditPage, AuditQuery } from "./audit.ts";
import { AccountBudget, BudgetList, ModelLimitUses, RaiseBudget, RaisedBudget } from "./budgets.ts";
import { CacheQuery, CacheState, EmptiedCache, EmptyCache } from "./cache.ts";
import { Deleted, OfAccount } from "./common.ts";
import {
  Content,
  ContentList,
  ContentSwitches,
  ContentsQuery,
  DeleteContents,
  DeletedContents,
  SwitchContents,
} from "./contents.ts";
import { AddCredit, CreditAdded, EntriesQuery, EntryList } from "./credits.ts";
import { GATEWAY_ADMINISTRATION } from "./gateway-administration.ts";
import { CreatedKey, CreateKey, Key, KeyList, KeyListQuery, RolledKey, RollKey, UpdateKey } from "./keys.ts";
import {
  CreatedManagementKey,
  CreateManagementKey,
  ManagementKey,
  ManagementKeyPage,
  ManagementKeysQuery,
} from "./management-keys.ts";
import { AddMember, Member, MemberList, MembersQuery, UpdateMember } from "./members.ts";
import { CreateProject, Project, ProjectList, ProjectsQuery, UpdateProject } from "./projects.ts";
import { FoundRequest, ReceiptList, RequestsQuery } from "./requests.ts";
import {
  AccountTagValuesQuery,
  SetAccountTagValue,
  SetTagValue,
  TagLimitsOfAccount,
  TagValue,
  TagValueList,
  TagValuesQuery,
} from "./tag-limits.ts";
import { TagNames } from "./tags.ts";
import { UsageQuery, UsageReport } from "./usage.ts";
import {
  CreatedInvitation,
  CreateInvitation,
  InvitationList,
  InvitationsQuery,
  OfferReset,
  SignInLink,
  UpdateUser,
  User,
  UserList,
  UsersQuery,
} from "./users.ts";

/**
 * The documented administration API, which programs call with a management key or the admin token. The OpenAPI document,
 * the client (administration-client.ts) and its types are made of this table; a test compares it with the routes.
 */
export interface AdministrationCall {
  /** A unique name in the OpenAPI document. */
  readonly id: string;
  readonly summary: string;
  readonly query?: TSchema;
  readonly body?: TSchema;
  readonly answer: TSchema;
  /** The status of success. Default: 200. */
  readonly status?: 201;
}

export const ADMINISTRATION = {
  "GET /accounts": { id: "listAccounts", summary: "List accounts", query: AccountsQuery, answer: AccountList },
  "POST /accounts": {
    id: "createAccount",
    summary: "Create an account",
    body: CreateAccount,
    answer: Account,
    status: 201,
  },
  "GET /accounts/{account}": { id: "showAccount", summary: "One account, by id or e-mail", answer: Account },
  "PATCH /accounts/{account}": {
    id: "limitAccount",
    summary: "Limit an account over all of its keys",
    body: UpdateAccount,
    answer: Account,
  },
  "GET /accounts/{account}/budget": {
    id: "showAccountBudget",
    summary: "What an account has used of its budget",
    answer: AccountBudget,
  },
  "POST /accounts/{account}/disable": { id: "disableAccount", summary: "Refuse its requests", answer: Account },
  "POST /accounts/{account}/enable": { id: "enableAccount", summary: "Accept its requests again", answer: Account },
  "GET /accounts/{account}/credits": {
    id: "listEntries",
    summary: "The ledger of an account",
    query: EntriesQuery,
    answer: EntryList,
  },
  "POST /accounts/{account}/credits": {
    id: "addCredit",
    summary: "Add credit, or correct a balance",
    body: AddCredit,
    answer: CreditAdded,
    status: 201,
  },
  "GET /accounts/{account}/members": {
    id: "listMembers",
    summary: "The members of an account",
    query: MembersQuery,
    answer: MemberList,
  },
  "POST /accounts/{account}/members": {
    id: "addMember",
    summary: "Add a user as a member",
    body: AddMember,
    answer: Member,
    status: 201,
  },
  "PATCH /accounts/{account}/members/{user}": {
    id: "updateMember",
    summary: "Change a member's role",
    body: UpdateMember,
    answer: Member,
  },
  "DELETE /accounts/{account}/members/{user}": { id: "removeMember", summary: "Remove a member", answer: Deleted },
  "GET /invitations": {
    id: "listInvitations",
    summary: "Open invitations",
    query: InvitationsQuery,
    answer: InvitationList,
  },
  "POST /invitations": {
    id: "createInvitation",
    summary: "Invite someone; the answer has the link",
    body: CreateInvitation,
    answer: CreatedInvitation,
    status: 201,
  },
  "DELETE /invitations/{invitation}": { id: "withdrawInvitation", summary: "Withdraw an invitation", answer: Deleted },
  "GET /keys": { id: "listKeys", summary: "List keys", query: KeyListQuery, answer: KeyList },
  "POST /keys": {
    id: "createKey",
    summary: "Create a key; the answer has its secret, once",
    body: CreateKey,
    answer: CreatedKey,
    status: 201,
  },
  "GET /keys/{key}": { id: "showKey", summary: "One key, without its secret", answer: Key },
  "PATCH /keys/{key}": { id: "updateKey", summary: "Change a key", body: UpdateKey, answer: Key },
  "DELETE /keys/{key}": { id: "deleteKey", summary: "Delete a key", answer: Deleted },
  "POST /keys/{key}/disable": { id: "disableKey", summary: "Refuse a key's requests", answer: Key },
  "POST /keys/{key}/enable": { id: "enableKey", summary: "Accept a key's requests again", answer: Key },
  "POST /keys/{key}/revoke": { id: "revokeKey", summary: "Revoke a key permanently", answer: Key },
  "POST /keys/{key}/roll": {
    id: "rollKey",
    summary: "Give a key a new secret; the old one is valid for a while",
    body: RollKey,
    answer: RolledKey,
    status: 201,
  },
  "GET /projects": { id: "listProjects", summary: "List projects", query: ProjectsQuery, answer: ProjectList },
  "POST /projects": {
    id: "createProject",
    summary: "Create a project: a group of keys with its own limits",
    body: CreateProject,
    answer: Project,
    status: 201,
  },
  "GET /projects/{project}": { id: "showProject", summary: "One project, with its budget's use", answer: Project },
  "PATCH /projects/{project}": {
    id: "updateProject",
    summary: "Rename a project, or change its limits",
    body: UpdateProject,
    answer: Project,
  },
  "DELETE /projects/{project}": {
    id: "deleteProject",
    summary: "Delete a project that has no keys; its usage stays",
    answer: Deleted,
  },
  "PUT /keys/{key}/raise": {
    id: "raiseKeyBudget",
    summary: "Raise a key's budget temporarily, or end its raise",
    body: RaiseBudget,
    answer: RaisedBudget,
  },
  "PUT /projects/{project}/raise": {
    id: "raiseProjectBudget",
    summary: "Raise a project's budget temporarily, or end its raise",
    body: RaiseBudget,
    answer: RaisedBudget,
  },
  "PUT /accounts/{account}/raise": {
    id: "raiseAccountBudget",
    summary: "Raise an account's budget temporarily, or end its raise",
    body: RaiseBudget,
    answer: RaisedBudget,
  },
  "GET /keys/{key}/model-limits": {
    id: "listKeyModelLimits",
    summary: "The limits by model of a key, with their use",
    answer: ModelLimitUses,
  },
  "GET /projects/{project}/model-limits": {
    id: "listProjectModelLimits",
    summary: "The limits by model of a project, with their use",
    answer: ModelLimitUses,
  },
  "GET /accounts/{account}/model-limits": {
    id: "listAccountModelLimits",
    summary: "The limits by model of an account, with their use",
    answer: ModelLimitUses,
  },
  "GET /accounts/{account}/tag-limits": {
    id: "listTagLimits",
    summary: "The limits by tag that concern an account's requests",
    answer: TagLimitsOfAccount,
  },
  "GET /accounts/{account}/tags/{tag}/values": {
    id: "listTagValues",
    summary: "The values of a limit by tag of an account or the gateway, with their use, the largest first",
    query: AccountTagValuesQuery,
    answer: TagValueList,
  },
  "PUT /accounts/{account}/tags/{tag}/values": {
    id: "limitTagValue",
    summary: "Give one value its own limits, or take them away",
    body: SetAccountTagValue,
    answer: TagValue,
  },
  "GET /projects/{project}/tags/{tag}/values": {
    id: "listProjectTagValues",
    summary: "The values of a project's limit by tag, with their use, the largest first",
    query: TagValuesQuery,
    answer: TagValueList,
  },
  "PUT /projects/{project}/tags/{tag}/values": {
    id: "limitProjectTagValue",
    summary: "Give one value of a project's tag its own limits, or take them away",
    body: SetTagValue,
    answer: TagValue,
  },
  "GET /budgets": { id: "listBudgets", summary: "The budgets of keys", query: OfAccount, answer: BudgetList },
  "GET /tags": {
    id: "listTagNames",
    summary: "The names of the tags of keys and of requests",
    query: OfAccount,
    answer: TagNames,
  },
  "GET /usage": {
    id: "reportUsage",
    summary: "Usage by key, model, project, day or account",
    query: UsageQuery,
    answer: UsageReport,
  },
  "GET /contents": {
    id: "listContents",
    summary: "Find what was said, where it is kept",
    query: ContentsQuery,
    answer: ContentList,
  },
  "GET /contents/switches": {
    id: "showContentSwitches",
    summary: "Where what is said is kept",
    query: OfAccount,
    answer: ContentSwitches,
  },
  "PUT /contents/switches": {
    id: "switchContents",
    summary: "Keep what is said, of an account, a project or a key, or keep it no longer",
    body: SwitchContents,
    answer: ContentSwitches,
  },
  "GET /contents/{request}": {
    id: "showContent",
    summary: "What one request and its answer said",
    query: OfAccount,
    answer: Content,
  },
  "DELETE /contents/{request}": {
    id: "deleteContent",
    summary: "Delete what one request and its answer said",
    query: OfAccount,
    answer: DeletedContents,
  },
  "POST /contents/delete-user": {
    id: "deleteContentsOfUser",
    summary: "Delete all that is kept of one end user",
    body: DeleteContents,
    answer: DeletedContents,
  },
  "GET /cache": {
    id: "showCache",
    summary: "How much room stored answers take, of an account or of all",
    query: CacheQuery,
    answer: CacheState,
  },
  "POST /cache/empty": {
    id: "emptyCache",
    summary: "Remove the stored answers of an account, or of all",
    body: EmptyCache,
    answer: EmptiedCache,
  },
  "GET /requests": { id: "listRequests", summary: "List requests", query: RequestsQuery, answer: ReceiptList },
  "GET /requests/{request}": {
    id: "showRequest",
    summary: "A request's receipt, or its refusal",
    answer: FoundRequest,
  },
  "GET /users": { id: "listUsers", summary: "List users", query: UsersQuery, answer: UserList },
  "PATCH /users/{user}": { id: "updateUser", summary: "Disable or enable a user", body: UpdateUser, answer: User },
  "POST /users/{user}/password-reset": {
    id: "offerPasswordReset",
    summary: "A link by which a user sets a new password",
    body: OfferReset,
    answer: SignInLink,
    status: 201,
  },
  "GET /management-keys": {
    id: "listManagementKeys",
    summary: "List management keys",
    query: ManagementKeysQuery,
    answer: ManagementKeyPage,
  },
  "POST /management-keys": {
    id: "createManagementKey",
    summary: "Create a management key; the answer has its secret, once",
    body: CreateManagementKey,
    answer: CreatedManagementKey,
    status: 201,
  },
  "POST /management-keys/{management_key}/revoke": {
    id: "revokeManagementKey",
    summary: "Revoke a management key permanently",
    answer: ManagementKey,
  },
  "GET /audit-log": { id: "listAuditEntries", summary: "The audit log", query: AuditQuery, answer: AuditPage },
  ...GATEWAY_ADMINISTRATION,
} as const satisfies Readonly<Record<string, AdministrationCall>>;

export type AdministrationName = keyof typeof ADMINISTRATION;
type Row<Name extends AdministrationName> = (typeof ADMINISTRATION)[Name];

/** The calls as a table of types: the query, the body and the answer of each. */
export type AdministrationCalls = {
  readonly [Name in AdministrationName]: (Row<Name> extends { query: infer Query extends TSchema }
    ? { readonly query: Static<Query> }
    : unknown) &
    (Row<Name> extends { body: infer Body extends TSchema } ? { readonly body: Static<Body> } : unknown) & {
      readonly answer: AdministrationAnswer<Name>;
    };
};

type PathFields<Path extends string> = Path extends `${string}{${infer Field}}${infer Rest}`
  ? { readonly [Name in Field]: string } & PathFields<Rest>
  : unknown;

/** The input of a call: the fields of its path, its query and its body, where it has them. */
export type AdministrationInput<Name extends AdministrationName> = (Name extends `${string}{${string}`
  ? { readonly path: PathFields<Name> }
  : unknown) &
  (Row<Name> extends { query: infer Query extends TSchema } ? { readonly query?: Static<Query> } : unknown) &
  (Row<Name> extends { body: infer Body extends TSchema } ? { readonly body: Static<Body> } : unknown) & {
    /** Makes the change once, however often it is sent. */
    readonly idempotency_key?: string;
  };

export type AdministrationAnswer<Name extends AdministrationName> = Static<Row<Name>["answer"]>;
