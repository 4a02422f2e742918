import type { ResponseStore } from "../../core/answer/stored-responses.ts";
import type { DeliveryStore } from "../../core/deliveries/delivery-store.ts";
import { newId } from "../../core/ids.ts";
import { micro } from "../../core/money/money.ts";
import type { UpkeepStore } from "../../core/operations/upkeep.ts";
import { NO_LIMITS } from "../../core/people/principal.ts";
import type { UserStore } from "../../core/people/users.ts";
import type { AccountStore } from "../../core/store/ports.ts";
import type { AuditSlices } from "../audit/audit-slices.ts";
import type { RebuildMethods } from "../audit/rebuild-calls.ts";
import type { AdministrationMethods } from "../vendors/administration-calls.ts";
import { newKey } from "./books.ts";
import { callDeliveries } from "./every-delivery-call.ts";
import { callResponses } from "./every-response-call.ts";
import { identity, NOTE, newLink, newSession, newUser, signInAs } from "./people.ts";

/** Every call of a database's ports beside the ledger's commits. */
export interface EveryPort {
  readonly accounts: AccountStore;
  readonly users: UserStore;
  readonly deliveries: DeliveryStore;
  readonly administration: AdministrationMethods;
  readonly responses: ResponseStore;
  readonly upkeep: UpkeepStore;
  readonly rebuild: RebuildMethods;
  readonly audit: AuditSlices;
}

/** The ids whose rows are asked for; unknown ids are fine. */
export interface Asked {
  readonly account_id: string;
  readonly key_id: string;
  readonly request_id: string;
}

const NOW_MS = Date.now();
const TODAY = Math.floor(NOW_MS / 86_400_000);
const DAYS = { since: "2020-01-01", until: "2999-12-31" } as const;

/** Calls every method of every port, in the ways that the console, the API, the chores and the audit do. */
export async function callEverything(ports: EveryPort, asked: Asked): Promise<void> {
  await callAccounts(ports.accounts, asked);
  await callKeys(ports.accounts, asked);
  await callReports(ports.accounts, asked);
  await callRequests(ports.accounts, asked);
  await callUsers(ports.users);
  await callSignIn(ports.users);
  await callDeliveries(ports.deliveries);
  await callResponses(ports.responses, asked.account_id);
  await callAdministration(ports.administration);
  await callAudit(ports, asked);
  await callUpkeep(ports.upkeep, asked);
}

async function callAccounts(accounts: AccountStore, { account_id, request_id }: Asked): Promise<void> {
  const id = newId("acct");
  await accounts.createAccount({ id, email: `${id}@example.com`, name: "" });
  await accounts.renameAccount(id, { name: "Named", email: `other-${id}@example.com` });
  await accounts.setAccountStatus(id, "disabled");
  await accounts.setAccountLimits(id, { rpm: 1, tpm: 1, concurrent: 1, models: null, budget: null });
  await accounts.accountBudgetUse(account_id);
  await accounts.listAccounts();
  await accounts.searchAccounts({ limit: 3, search: "a_%\\ b", status: "active", before_id: account_id });
  await accounts.sumAccounts();
  await accounts.accountUses([account_id, id, "nobody"]);
  await accounts.findAccount(account_id);
  await accounts.findAccount("nobody@example.com");
  const entry = { account_id: id, kind: "credit", note: "", actor: "test" } as const;
  const { id: entry_id } = await accounts.addEntry({ ...entry, amount_micro: micro(5), booking_id: newId("ent") });
  await accounts.addEntry({ ...entry, kind: "correction", amount_micro: micro(-1), corrects: entry_id });
  await accounts.listEntries(account_id, 10);
  await accounts.listEntries(account_id, 10, { kind: "credit", before_ms: NOW_MS });
  await accounts.listEntries(id, 10, { before_id: entry_id });
  await accounts.findCharge(request_id);
  await accounts.bookedFor("nobody's");
  for (const list of ["accounts", "keys", "projects", "audit_log"] as const) await accounts.createdAt(list, id);
  await accounts.accountsAfter("");
  await accounts.placesAfter("");
  await accounts.drainedCells();
  await accounts.findAutoTopUp(account_id);
  const rule = { threshold_micro: micro(1), amount_micro: micro(2), month_limit_micro: micro(3), updated_by: "test" };
  await accounts.setAutoTopUp({ account_id: id, ...rule });
  await accounts.removeAutoTopUp(id);
}

async function callKeys(accounts: AccountStore, { account_id }: Asked): Promise<void> {
  const id = newId("acct");
  await accounts.createAccount({ id, email: `${id}@example.com`, name: "" });
  const { id: key_id } = await accounts.createKey(newKey(id));
  await accounts.listKeys(null);
  await accounts.listKeys(account_id);
  await accounts.searchKeys(account_id, { limit: 3, search: "x" });
  await accounts.searchKeys(null, { limit: 3, status: "active", before_id: key_id });
  await accounts.searchKeys(null, { limit: 3, own: "limits", by_email: true, search: "x" });
  await accounts.countLimits();
  for (const value of ["search", ""]) await accounts.searchKeys(account_id, { limit: 3, tag: { name: "team", value } });
  await accounts.findKey(key_id);
  await accounts.findKeyByHash("nobody's");
  await accounts.changedKeys([{ id: key_id, version: 1, as_of_ms: 0 }]);
  await accounts.setKeyStatus(key_id, "disabled");
  await accounts.updateKey(key_id, { rpm: 3, tags: { team: "search", env: null } });
  await accounts.listTagNames(id, 3);
  await accounts.listTagNames(null, 3);
  await accounts.rollKey(key_id, { hash: newId("key"), hint: "abcd", overlap_ms: 1000 });
  await accounts.deleteKey(key_id);
  const project_id = newId("proj");
  await accounts.createProject({ id: project_id, account_id: id, name: "one", limits: NO_LIMITS });
  await accounts.listProjects(id, { limit: 3, search: "one", before_id: project_id });
  await accounts.listProjects(null, { limit: 3 });
  await accounts.findProject(project_id);
  await accounts.updateProject(project_id, { name: "two", limits: { rpm: 3 } });
  await accounts.createKey(newKey(id, { project_id }));
  await accounts.labelProjects([project_id]);
  const budget = { amount_micro: micro(5), window: "once" } as const;
  await accounts.updateProject(project_id, { limits: { budget } });
  await accounts.setAccountLimits(id, { ...NO_LIMITS, budget });
  const budgeted = await accounts.createKey(newKey(id, { budget }));
  const raise = { amount_micro: micro(1), until_ms: NOW_MS + 1000, by: "test" };
  await accounts.raiseBudget("project", project_id, raise);
  await accounts.raiseBudget("account", id, raise);
  await accounts.raiseBudget("key", budgeted.id, raise);
  await accounts.raiseBudget("key", budgeted.id, null);
  const empty = newId("proj");
  await accounts.createProject({ id: empty, account_id: id, name: "empty", limits: NO_LIMITS });
  await accounts.deleteProject(empty);
  const playground = { id: newId("key"), account_id: id, user_id: newId("user"), hash: newId("key"), hint: "x" };
  await accounts.renewPlaygroundKey({ ...playground, expires_ms: NOW_MS + 1000 });
  await accounts.labelKeys([key_id]);
  await accounts.labelAccounts([account_id]);
  await accounts.budgetUses(account_id);
  await accounts.ruleUses(account_id, [{ rule: "account model *", budget }]);
  const of_values = { account_id, rule: "account tag customer", budget };
  await accounts.tagValues({ ...of_values, prefix: "b", limit: 10 });
  await accounts.tagValues({ ...of_values, prefix: "", limit: 10, after: { spent_micro: micro(5), value: "x" } });
  await accounts.countTagValues(account_id, of_values.rule, "b");
  await accounts.tagValue(of_values, "big");
  await accounts.setTagValue({ account_id: id, rule: of_values.rule, value: "big", own: { rpm: 5 } });
  await accounts.setTagValue({ account_id: id, rule: of_values.rule, value: "big", own: null });
  await accounts.setTimeZone(id, "Europe/Berlin");
  await accounts.setContentSwitch(id, { scope: "account", id }, { keeps: true, words: true });
  await accounts.contentSwitches(id);
  await accounts.hasIdempotencyKey(account_id, "one");
}

async function callReports(accounts: AccountStore, { account_id, key_id }: Asked): Promise<void> {
  await accounts.usageWindows(account_id);
  await accounts.keyUsage(account_id, newId("key"));
  const tag = "team";
  for (const by of ["key", "model", "day", "account", "project", "tag"] as const) {
    const of_tag = by === "tag" ? { tag } : {};
    await accounts.usageReport({ account_id: null, ...DAYS, by, ...of_tag });
    await accounts.usageReport({ account_id, ...DAYS, by, ...of_tag, project_id: "" });
    await accounts.usageReport({ account_id, ...DAYS, by, ...of_tag });
    await accounts.usageReport({ account_id: null, ...DAYS, by, tag, tag_value: "search" });
    await accounts.usageReport({ account_id, ...DAYS, by, tag, tag_value: "search", project_id: "" });
    await accounts.usageReport({ account_id, ...DAYS, by, tag, tag_value: "" });
  }
  for (const group of ["key", "model", "project", "tag", null] as const) {
    const explored = { ...DAYS, ...(group === "tag" && { tag }), top: 3, limit: 100 };
    await accounts.exploreUsage({ ...explored, tag, tag_value: "search", account_id, by_day: true, group });
    await accounts.exploreUsage({ ...explored, account_id, by_day: true, group });
    await accounts.exploreUsage({ ...explored, account_id: null, by_day: true, group, model: "acme/swift" });
    await accounts.exploreUsage({ ...explored, account_id: null, by_day: true, group });
    await accounts.exploreUsage({ ...explored, account_id: null, by_day: true, group, tag, tag_value: "search" });
    await accounts.exploreUsage({ ...explored, account_id, by_day: false, group, key_id });
    await accounts.exploreUsage({ ...explored, account_id, by_day: true, group, project_id: "" });
  }
  const periods = [
    [0, 24],
    [24, 48],
  ] as const;
  const traffic = { periods, before: [-24, 0], top: 3 } as const;
  for (const by_day of [false, true]) {
    for (const group of ["account", "key", "model", "vendor", "route", "status", "error", null] as const) {
      await accounts.reportTraffic({ ...traffic, account_id: null, by_day, group });
      await accounts.reportTraffic({ ...traffic, account_id, by_day, group, model: "acme/swift", status: "failed" });
      await accounts.reportTraffic({ ...traffic, account_id: null, by_day, group, vendor: "acme", key_id });
    }
  }
  await accounts.listCircuitChanges({ since_ms: 0, vendor: "acme", limit: 3 });
  await accounts.vendorHistory({ from_slot: 0, to_slot: 12, step_slots: 3 });
  await accounts.readOverview(account_id);
  await accounts.readPulse(account_id);
}

async function callRequests(accounts: AccountStore, asked: Asked): Promise<void> {
  const { key_id, request_id } = asked;
  await accounts.findRequest(null, request_id);
  await accounts.findRequest(asked.account_id, "their-id");
  await accounts.findRequest(null, "their-id");
  for (const account_id of [null, asked.account_id]) {
    const page = { account_id, limit: 20 };
    await accounts.listRequests(page);
    await accounts.listRequests({ ...page, before_id: request_id });
    await accounts.listRequests({ ...page, status: "held" });
    await accounts.listRequests({ ...page, status: "settled" });
    await accounts.listRequests({ ...page, key_id, model: "acme/swift", endpoint: "messages" });
    await accounts.listRequests({ ...page, from_ms: 1, to_ms: NOW_MS });
    for (const value of ["search", ""]) await accounts.listRequests({ ...page, tag: { name: "team", value } });
    await accounts.listRequests({ ...page, search: "req_" });
    for (const outcome of ["running", "answered", "failed", "left"] as const) {
      await accounts.listRequests({ ...page, outcome });
    }
    await accounts.listRefusals(page);
    await accounts.listRefusedRequests({ ...page, model: "m", endpoint: "messages", search: "req_" });
    await accounts.findRefused(page.account_id, "req_none");
    await accounts.listRefusals({ ...page, code: "insufficient_balance", from_ms: 1, to_ms: NOW_MS, search: "req_" });
  }
}

async function callUsers(users: UserStore): Promise<void> {
  const user = await newUser(users);
  await users.listUsers();
  await users.searchUsers({ limit: 3, search: "b", role: "member", status: "active", before_id: user.id });
  await users.labelUsers([user.id, "nobody"]);
  await users.findUser(user.id);
  await users.findUser(user.email);
  await users.findPasswordHash(user.email);
  await users.updateUser(user.id, { name: "Bea", email: `b-${user.email}`, password_hash: "other" }, NOTE);
  await users.administratorCanSignIn();
  const { account_id } = await newUser(users);
  await users.setMembership(user.id, { account_id, role: "viewer" }, NOTE);
  await users.listMembers(account_id);
  await users.searchMembers(account_id, {
    limit: 3,
    search: "b",
    role: "viewer",
    status: "active",
    before_id: user.id,
  });
  await users.findMember(account_id, user.id);
  await users.removeMembership(user.id, account_id, NOTE);
  const joining = newLink({ email: `b-${user.email}`, account_id });
  await users.createLink(joining, NOTE);
  await users.joinByLink(joining.token_hash, user.id, NOTE);
  const managing = { id: newId("mkey"), hash: newId("mkey"), hint: "abcd", name: "", scopes: ["usage:read"] };
  await users.createManagementKey({ ...managing, account_id, created_by: "test", expires_ms: NOW_MS }, NOTE);
  await users.listManagementKeys({ account_id, limit: 2 });
  await users.listManagementKeys({ account_id: null, limit: 2, before_id: managing.id });
  await users.findManagementKey(managing.id);
  await users.findManagementKeyByHash(managing.hash);
  await users.touchManagementKey(managing.id);
  await users.revokeManagementKey(managing.id, NOTE);
  const saved = {
    id: newId("prompt"),
    account_id,
    user_id: user.id,
    name: "p",
    shared: true,
    content: "{}",
    at_most: 1,
  };
  await users.createPrompt(saved, NOTE);
  await users.listPrompts(account_id, user.id);
  await users.findPrompt(saved.id);
  await users.updatePrompt(saved.id, { name: "q" }, NOTE);
  await users.deletePrompt(saved.id, NOTE);
  const link = newLink();
  const { id } = await users.createLink(link, NOTE);
  await users.findLink(link.token_hash);
  await users.listInvitations();
  await users.searchInvitations(null, { limit: 3, search: "b", before_id: id });
  await users.searchInvitations(account_id, { limit: 3 });
  await users.findInvitation(id);
  await users.deleteInvitation(id, NOTE);
  const change = { ...NOTE, object: { kind: "key", id: null }, account_id: null, before: null, after: null };
  await users.addAuditEntry(change);
  await callForCells(users, account_id);
  await users.listAuditEntries({ limit: 5 });
  await users.listAuditEntries({ limit: 5, actor: user.id });
  await users.listAuditEntries({ limit: 5, object_id: user.id, account_id: user.account_id, action: "user" });
}

/** What the directory and the cells of several sets of books ask of each other. */
async function callForCells(users: UserStore, account_id: string): Promise<void> {
  const owing = { id: newId("link"), email: "a@example.com", account_id, made_by: "test", credit_micro: micro(1) };
  await users.listOwingElsewhere();
  await users.bookOwing(owing, account_id, NOTE);
  await users.noteCreditBooked(owing.id);
  await users.mirrorProject({ id: newId("proj"), account_id, name: "one", created_ms: NOW_MS, is_deleted: false });
}

async function callSignIn(users: UserStore): Promise<void> {
  const user = await newUser(users);
  const session = newSession();
  await users.openSession(user.id, session, NOTE);
  await users.findSession(session.token_hash);
  await users.touchSession(session.id);
  await users.listSessions(user.id);
  await users.endSession(user.id, session.id, NOTE);
  const passkey = { id: newId("pass"), user_id: user.id, name: "", credential_id: newId("pass"), public_key: "k" };
  await users.addPasskey({ ...passkey, counter: 0, transports: [], backed_up: false }, NOTE);
  await users.listPasskeys(user.id);
  await users.findPasskey(passkey.credential_id);
  await users.recordPasskeyUse(passkey.credential_id, 0, 1, false);
  await users.deletePasskey(user.id, passkey.id, NOTE);
  const who = identity();
  await users.addIdentity(user.id, who, NOTE);
  await users.signInByIdentity(signInAs(who), NOTE);
  await users.deleteIdentity(user.id, who.provider, NOTE);
  await users.putChallenge({ id: "challenge", kind: "k", data: "{}", ttl_ms: 1000 });
  await users.takeChallenge("challenge", "k");
  await users.countTry("bucket", 1000);
  await users.triesOf("bucket");
  await users.takeTry("bucket", { free: 1, first_wait_ms: 1, longest_wait_ms: 1, window_ms: 1000 });
  await users.forgetTries("bucket");
}

async function callAdministration(administration: AdministrationMethods): Promise<void> {
  await administration.put({ vendor_id: "acme", key_version: 1, nonce: "n", ciphertext: "c", set_by: "test" });
  await administration.list();
  await administration.revision();
  await administration.remove("acme");
  await administration.state();
  await administration.secretFingerprint(1);
  await administration.listElements();
  const revision = await administration.elementsRevision();
  const element = {
    kind: "alias",
    id: newId("key"),
    version: 1,
    action: "put",
    value: "a/b",
    changed_by: "ann",
  } as const;
  const audited = { ...NOTE, object: { kind: "alias", id: element.id }, account_id: null, before: null, after: null };
  await administration.changeElement(element, revision, audited);
  await administration.elementHistory(element, { limit: 5 });
  await administration.elementHistory(element, { limit: 5, before: 1 });
}

async function callAudit({ audit, rebuild }: EveryPort, { account_id }: Asked): Promise<void> {
  await audit.auditOutset();
  await audit.auditAccounts({ after: "", account_id: null, limit: 10 });
  await audit.auditAccounts({ after: "", account_id, limit: 1 });
  const below = { seq: 1_000_000, posted_micro: null };
  await audit.auditEntries({ account_id, below, since_ms: 0, kept_since_ms: 0, limit: 100 });
  const after = { created_ms: 0, seq: 0 };
  await audit.auditRequests({ account_id, after, vendor_days: [0, TODAY], limit: 100 });
  await audit.listRuleSums({ account_id });
  await audit.ruleTail({ account_id, after, open_ids: [] });
  await audit.listDays({ account_id, first_day: 0 });
  await audit.auditDay({ account_id, day: TODAY });
  await audit.listSums({ first_day: 0 });
  await audit.auditSums({ kind: "usage", size: 1, first_day: TODAY - 1 });
  await rebuild.accountsAfter("", 10);
  await rebuild.daysOf(account_id);
  await rebuild.rebuildDay({ account_id, day: TODAY });
  await rebuild.rebuildKeys(account_id);
  await rebuild.forgetUsageSums();
}

async function callUpkeep(upkeep: UpkeepStore, asked: Asked): Promise<void> {
  await upkeep.openChore("audit", "node_1");
  await upkeep.claimChore("audit", "node_1", 0);
  await upkeep.beatChore("audit", "node_1");
  await upkeep.endChore("audit", "node_1", "{}");
  await upkeep.readChore("audit");
  const spent = { day: 20_000, vendor: "acme", credential: "", spent_micro: 5n };
  await upkeep.shareVendorSpending([spent]);
  await upkeep.makeMonths();
  const noted = await upkeep.noteMonth(NOW_MS - 200 * 86_400_000, "");
  await upkeep.dropMonth(noted ?? { month: "requests_0000_00", last_id: "" }, NOW_MS - 200 * 86_400_000);
  for (const days of [200, 15]) await upkeep.dropRequests(NOW_MS - days * 86_400_000);
  await upkeep.dropAnswers(0);
  await upkeep.unneededTagValues(1);
  await upkeep.dropTagValues({ account_id: "acct_none", rule: "account tag x", values: ["a"], used_until_ms: 5 });
  const slice = await upkeep.readTrafficSlice({ limit: 10, prices_json: "{}" });
  await upkeep.writeTrafficSlice({
    ...slice,
    wait: [{ request_id: "req_none", counted: null }],
    settled: ["req_other"],
  });
  const place = { minute: 5, ...asked, endpoint: "messages", code: "insufficient_balance", status: 402, count: 1 };
  await upkeep.writeRefusals([{ ...place, model: "", param: null, client_request_id: null, last_ms: 300_000 }]);
  const refused = { ...asked, endpoint: "messages", code: "insufficient_balance", status: 402, message: "No." };
  const names = { client_request_id: "theirs", asked_model: "m", model: null, param: null };
  await upkeep.writeRefusedRequests([{ ...refused, ...names, at_ms: NOW_MS }]);
  await upkeep.dropRefusedRequests(NOW_MS - 15 * 86_400_000);
  await upkeep.dropRefusals(NOW_MS - 15 * 86_400_000);
  await upkeep.writeCircuitChanges("node_1", [
    {
      ...{ no: NOW_MS, vendor: "acme", upstream_model: "swift", account_id: null, state: "opened", age_ms: 5 },
      ...{ reason: "failures", attempts: 20, failures: 11 },
    },
  ]);
  await upkeep.noteWrongRow({ model: "acme/swift", row: "0123456789ab" }, "it is wrong");
  await upkeep.wrongRows();
  await upkeep.dropCircuitChanges(NOW_MS - 15 * 86_400_000);
  await upkeep.dropVendorSlots(NOW_MS - 15 * 86_400_000);
  await upkeep.dropTraffic(NOW_MS - 15 * 86_400_000);
  const spans = await upkeep.closeDays();
  // The days of one span of four, itself, and one of the traffic.
  const four = spans.find(({ kind, size }) => kind === "usage" && size === 4);
  const days = spans.filter(({ size, first_day }) => size === 1 && (first_day & ~3) === four?.first_day);
  const traffic = spans.find(({ kind }) => kind === "traffic");
  for (const span of [...days, four, traffic]) if (span !== undefined) await upkeep.makeSums(span);
  await upkeep.recountTraffic();
}
