import type { AuditChange, AuditNote, AuditSnapshot } from "../../core/people/audit.ts";
import type { UserStore } from "../../core/people/users.ts";
import type { AccountStore, Store } from "../../core/store/ports.ts";
import { type Actor, auditActor } from "./actor.ts";
import type { Visit } from "./visit.ts";

/** The object of a change, as it was before and after. Contains no secrets. */
export type AuditedObject = Pick<AuditChange, "object"> & Partial<Pick<AuditChange, "account_id" | "before" | "after">>;

/**
 * How a route's change gets into the audit log (contract/audit.ts). Every route that is not a GET declares a rule.
 *
 * - An action's name: `call.deps.accounts` writes the entry, with before and after, in the transaction of the change;
 *   handlers pass `call.note` to the methods of `call.deps.users` that take a note.
 * - An action with `describe`, for changes of anything else: `readBefore` runs before the handler and `describe` after it has
 *   succeeded; then the entry is written.
 * - `none`, with the reason: the route changes nothing, so nothing is written.
 */
export type AuditRule<AnyCall, Answer> =
  | string
  | {
      readonly action: string;
      readonly readBefore?: (call: AnyCall) => Promise<AuditSnapshot | null>;
      readonly describe: (call: AnyCall, answer: Answer, before: AuditSnapshot | null) => AuditedObject;
    }
  | { readonly none: string };

/** The members of a call that the audit log needs. */
interface Audited {
  readonly actor: Actor;
  readonly visit: Visit;
  readonly note: AuditNote;
  readonly deps: { readonly accounts: AccountStore; readonly audited: Store["audited"]; readonly users: UserStore };
}

/** The note under which a call's changes are written. */
export function noteOf(actor: Actor, visit: Visit, action: string): AuditNote {
  return { actor: auditActor(actor), action, address: visit.address };
}

/** Runs a handler and writes the handler's change to the audit log. */
export async function runAudited<AnyCall extends Audited, Answer>(
  rule: AuditRule<AnyCall, Answer>,
  call: AnyCall,
  handle: (call: AnyCall) => Promise<Answer>,
): Promise<Answer> {
  const { deps, note } = call;
  if (typeof rule === "string") return handle({ ...call, deps: { ...deps, accounts: deps.audited(note) } });
  if ("none" in rule) return handle(call);
  const before = rule.readBefore ? await rule.readBefore(call) : null;
  const answer = await handle(call);
  const told = rule.describe(call, answer, before);
  await deps.users.addAuditEntry({ ...note, account_id: null, before, after: null, ...told });
  return answer;
}
