import { afterAll, beforeAll, describe } from "bun:test";
import { auditSuite } from "./audit.suite.ts";
import { accountsSuite } from "./accounts.suite.ts";
import { accountLimitsSuite } from "./account-limits.suite.ts";
import { admissionSuite } from "./admission.suite.ts";
import type { OpenTestDatabase, TestDatabase } from "./books.ts";
import { budgetsSuite } from "./budgets.suite.ts";
import { configurationSuite } from "./configuration.suite.ts";
import { endingSuite } from "./ending.suite.ts";
import { exploreSuite } from "./explore.suite.ts";
import { idempotencySuite } from "./idempotency.suite.ts";
import { keyAfterRecoverySuite } from "./key-after-recovery.suite.ts";
import { keysSuite } from "./keys.suite.ts";
import { lateSuite } from "./late.suite.ts";
import { lawsSuite } from "./laws.suite.ts";
import { membershipsSuite } from "./memberships.suite.ts";
import { memberViewsSuite } from "./member-views.suite.ts";
import { modelSuite } from "./model.suite.ts";
import { projectsSuite } from "./projects.suite.ts";
import { recoverySuite } from "./recovery.suite.ts";
import { reportsSuite } from "./reports.suite.ts";
import { responsesSuite } from "./responses.suite.ts";
import { signInSuite } from "./sign-in.suite.ts";
import { auditLogSuite } from "./audit-log.suite.ts";
import { upkeepSuite } from "./upkeep.suite.ts";
import { trafficSuite } from "./traffic.suite.ts";
import { usersSuite } from "./users.suite.ts";
import { topUpsSuite } from "./top-ups.suite.ts";
import { vendorsSuite } from "./vendors.suite.ts";

/** What every store does, whatever it stands on. `histories` is how many random histories are tried. */
export function describeStore(name: string, open: OpenTestDatabase, histories: number): void {
  describe(name, () => {
    let database: TestDatabase | null = null;
    const opened = (): TestDatabase => {
      if (database === null) throw new Error("the database is not open");
      return database;
    };
    beforeAll(async () => {
      database = await open();
    });
    afterAll(() => database?.close());

    // First, because it audits all accounts several times, and each account takes time.
    lawsSuite(opened);
    usersSuite(opened);
    signInSuite(opened);
    membershipsSuite(opened);
    auditLogSuite(opened);
    accountsSuite(opened);
    keysSuite(opened);
    admissionSuite(opened);
    accountLimitsSuite(opened);
    projectsSuite(opened);
    budgetsSuite(opened);
    endingSuite(opened);
    idempotencySuite(opened);
    reportsSuite(opened);
    exploreSuite(opened);
    memberViewsSuite(opened);
    topUpsSuite(opened, histories);
    recoverySuite(opened);
    lateSuite(opened);
    keyAfterRecoverySuite(opened, histories);
    vendorsSuite(opened);
    configurationSuite(opened);
    responsesSuite(opened);
    auditSuite(opened, histories);
    upkeepSuite(opened);
    trafficSuite(opened);
    modelSuite(opened, histories);
  });
}
