import type { NamedChanges, Reloaded } from "../../../contract/configuration.ts";
import { GatewayError } from "../../core/errors.ts";
import { InvalidConfiguration } from "../administration.ts";
import { type ConsoleCall, route } from "../answer/route.ts";

/** docs/operations.md "Changing the configuration". */
export const configurationRoutes = [
  route({
    method: "POST",
    path: "/configuration/reload",
    role: "administrator",
    audit: {
      action: "configuration.reload",
      describe: (_call, { body }) => {
        const { file, vendors, models, ...rest } = body as Reloaded;
        const after = { vendors: firstOf(vendors), models: firstOf(models), ...rest };
        return { object: { kind: "configuration", id: file }, after };
      },
    },
    handle: async (call) => ({ status: 200, body: await reload(call) }),
  }),
];

async function reload({ deps }: ConsoleCall<unknown, unknown>): Promise<Reloaded> {
  const { file, vendors, models, limits, after_restart } = await deps.administration.reload().catch(refused);
  return structuredClone({ file, vendors, models, limits, after_restart }) as Reloaded;
}

function refused(thrown: unknown): never {
  throw thrown instanceof InvalidConfiguration
    ? new GatewayError("invalid_request", thrown.message, { cause: thrown })
    : thrown;
}

/** How many names of each list the audit log keeps: a catalogue may have thousands. */
const NAMES = 50;

function firstOf({ added, removed, changed }: NamedChanges) {
  const counts = { added_count: added.length, removed_count: removed.length, changed_count: changed.length };
  const names = { added: added.slice(0, NAMES), removed: removed.slice(0, NAMES), changed: changed.slice(0, NAMES) };
  return { ...counts, ...names };
}
