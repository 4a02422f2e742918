import type { Command } from "commander";
import { addAccountCommands } from "./account-commands.ts";
import { addAuditCommand } from "./audit/audit-command.ts";
import { addCalibrateCommand } from "./calibrate-command.ts";
import { addCatalogCommands } from "./catalog-commands.ts";
import { addCheckCommand } from "./check-command.ts";
import { addCreditCommands } from "./credit-commands.ts";
import type { CliDeps } from "./deps.ts";
import { addDatabaseCommands } from "./database-commands.ts";
import { addDecideCommand } from "./decide-command.ts";
import { addDoctorCommand } from "./doctor-command.ts";
import { addIncidentCommands } from "./incident-commands.ts";
import { addKeyCommands } from "./key-commands.ts";
import { addMigrateStoreCommand } from "./migrate-store-command.ts";
import { addManagementKeyCommands } from "./management-key-commands.ts";
import { addMemberCommands } from "./member-commands.ts";
import { addModelsCommand } from "./models-command.ts";
import { addReloadCommand } from "./reload-command.ts";
import { addRequestCommand } from "./request-command.ts";
import { addUsageCommand } from "./usage-command.ts";
import { addUserCommands } from "./user-commands.ts";

/** The commands that call a running gateway, or check what a gateway would find, and then end. */
export function addGatewayCommands(program: Command, deps: CliDeps, end: (status: number) => void): void {
  addAccountCommands(program, deps);
  addCreditCommands(program, deps);
  addKeyCommands(program, deps);
  addUserCommands(program, deps);
  addMemberCommands(program, deps);
  addManagementKeyCommands(program, deps);
  addModelsCommand(program, deps);
  addUsageCommand(program, deps);
  addRequestCommand(program, deps);
  addAuditCommand(program, deps, end);
  addDoctorCommand(program, deps, end);
  addDatabaseCommands(program, deps, end);
  addMigrateStoreCommand(program, deps, end);
  addIncidentCommands(program, deps);
  addCheckCommand(program, deps);
  addReloadCommand(program, deps);
  addCatalogCommands(program, deps);
  addDecideCommand(program, deps);
  addCalibrateCommand(program, deps);
}
