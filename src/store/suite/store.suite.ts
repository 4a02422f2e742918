import { afterAll, beforeAll, describe } from "bun:test";
import { accountLimitsSuite } from "./account-limits.suite.ts";
import { accountsSuite } from "./accounts.suite.ts";
import { admissionSuite } from "./admission.suite.ts";
import { auditSuite, rebuildSuite } from "./audit.suite.ts";
import { auditLogSuite } from "./audit-log.suite.ts";
import type { OpenTestDatabase, TestDatabase } from "./books.ts";
import { budgetsSuite } from "./budgets.suite.ts";
import { configurationSuite } from "./configuration.suite.ts";
import { deliveriesSuite } from "./deliveries.suite.ts";
import { endingSuite } from "./ending.suite.ts";
import { exploreSuite } from "./explore.suite.ts";
import { idempotencySuite } from "./idempotency.suite.ts";
import { invitedCreditSuite } from "./invited-credit.suite.ts";
import { keyAfterRecoverySuite } from "./key-after-recovery.suite.ts";
import { keyTagsSuite } from "./key-tags.suite.ts";
import { keysSuite } from "./keys.suite.ts";
import { lateSuite } from "./late.suite.ts";
import { lawsSuite } from "./laws.suite.ts";
import { memberProjectsSuite } from "./member-projects.suite.ts";
import { memberViewsSuite } from "./member-views.suite.ts";
import { membershipsSuite } from "./memberships.suite.ts";
import { modelSuite } from "./model.suite.ts";
import { modelLimitsSuite } from "./model-limits.suite.ts";
import { projectsSuite } from "./projects.suite.ts";
import { recoverySuite } from "./recovery.suite.ts";
import { refusedSuite } from "./refused.suite.ts";
import { reportsSuite } from "./reports.suite.ts";
import { requestTagsSuite } from "./request-tags.suite.ts";
import { cachedAnswersSuite, keptBytesSuite, responsesSuite } from "./responses.suite.ts";
import { signInSuite } from "./sign-in.suite.ts";
import { sumsSuite } from "./sums.suite.ts";
import { tagLimitsSuite } from "./tag-limits.suite.ts";
import { teamListsSuite } from "./team-lists.suite.ts";
import { topUpsSuite } from "./top-ups.suite.ts";
import { trafficSuite } from "./traffic.suite.ts";
import { upkeepSuite } from "./upkeep.suite.ts";
import { usageEventsSuite } from "./usage-events.suite.ts";
import { usersSuite } from "./users.suite.ts";
import { vendorsSuite } from "./vendors.suite.ts";

type Suite = (database: () => TestDatabase, histories: number) => void;

/** In the order in which they run. First what goes over all accounts several times, while there are few: each account takes time. */
const SUITES = {
  laws: lawsSuite,
  audit: auditSuite,
  users: usersSuite,
  sign_in: signInSuite,
  deliveries: deliveriesSuite,
  memberships: membershipsSuite,
  member_projects: memberProjectsSuite,
  team_lists: teamListsSuite,
  invited_credit: invitedCreditSuite,
  audit_log: auditLogSuite,
  accounts: accountsSuite,
  keys: keysSuite,
  key_tags: keyTagsSuite,
  admission: admissionSuite,
  account_limits: accountLimitsSuite,
  model_limits: modelLimitsSuite,
  tag_limits: tagLimitsSuite,
  projects: projectsSuite,
  request_tags: requestTagsSuite,
  budgets: budgetsSuite,
  ending: endingSuite,
  idempotency: idempotencySuite,
  reports: reportsSuite,
  explore: exploreSuite,
  sums: sumsSuite,
  member_views: memberViewsSuite,
  top_ups: topUpsSuite,
  recovery: recoverySuite,
  late: lateSuite,
  usage_events: usageEventsSuite,
  key_after_recovery: keyAfterRecoverySuite,
  vendors: vendorsSuite,
  configuration: configurationSuite,
  responses: responsesSuite,
  cached_answers: cachedAnswersSuite,
  kept_bytes: keptBytesSuite,
  rebuild: rebuildSuite,
  upkeep: upkeepSuite,
  traffic: trafficSuite,
  refused: refusedSuite,
  model: modelSuite,
} as const satisfies Readonly<Record<string, Suite>>;

export type SuiteName = keyof typeof SUITES;
export const SUITE_NAMES = Object.keys(SUITES) as readonly SuiteName[];

/** Suites with a database of their own: sums are made of all days that others have left, of years in which their clocks stood. */
const ALONE: readonly SuiteName[] = ["sums"];

/** The behaviour of every store, on both databases. `histories` is how many random histories are tried; `only` names the suites to run. Default: all. */
export function describeStore(
  name: string,
  open: OpenTestDatabase,
  histories: number,
  only?: readonly SuiteName[],
): void {
  const asked = SUITE_NAMES.filter((suite) => only?.includes(suite) ?? true);
  const groups = [asked.filter((suite) => !ALONE.includes(suite)), ...ALONE.map((suite) => [suite])];
  for (const group of groups) {
    const suites = group.filter((suite) => asked.includes(suite));
    if (suites.length > 0) describe(name, () => describeOnOne(open, suites, histories));
  }
}

/** Suites that follow each other on one database. */
function describeOnOne(open: OpenTestDatabase, suites: readonly SuiteName[], histories: number): void {
  let database: TestDatabase | null = null;
  const opened = (): TestDatabase => {
    if (database === null) throw new Error("the database is not open");
    return database;
  };
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database?.close());

  for (const suite of suites) SUITES[suite](opened, histories);
}
