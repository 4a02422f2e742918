import { accountTables } from "./0001-accounts.ts";
import { configurationTables } from "./0001-configuration.ts";
import { deliveryTables } from "./0001-deliveries.ts";
import { entryTables } from "./0001-entries.ts";
import { peopleTables } from "./0001-people.ts";
import { requestTables } from "./0001-requests.ts";
import { responseTables } from "./0001-responses.ts";
import { trafficTables } from "./0001-traffic.ts";
import { upkeepTables } from "./0001-upkeep.ts";
import { dayTriggers, usageTables } from "./0001-usage.ts";
import type { Migration } from "./migrations.ts";

/** The tables of 1.0.0, by subject: a table comes after those that it refers to. */
export const firstTables: Migration = {
  version: 1,
  name: "tables of 1.0",
  compatible_from: 1,
  statements: (dialect, made_ms) => [
    ...(dialect === "sqlite" ? [] : [REFUSE_CHANGE]),
    ...accountTables(dialect),
    ...requestTables(dialect, made_ms),
    ...entryTables(dialect),
    ...usageTables(dialect),
    ...trafficTables(dialect),
    ...dayTriggers(dialect),
    ...peopleTables(dialect),
    ...deliveryTables(dialect),
    ...configurationTables(dialect),
    ...responseTables(dialect),
    ...upkeepTables(dialect),
  ],
};

const REFUSE_CHANGE = `CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION '%', TG_ARGV[0]; END $$`;
