import type { AuditEntry } from "../../../../contract/audit.ts";
import { FittingName } from "../../kit/long-name.tsx";
import { TextLink } from "../../kit/row-link.tsx";

/** The object of an entry, by name where the name is known, as a link where the object has a page. */
export function ObjectLink({ entry, names }: { entry: AuditEntry; names: ReadonlyMap<string, string> }) {
  const { object, after, account } = entry;
  const { kind, id } = object;
  const label = labelOf(entry, names);
  if (label === null || isSelf(entry)) return null;
  const shown = <FittingName>{label}</FittingName>;
  if (id === null) return shown;
  switch (kind) {
    case "account":
    case "auto_top_up":
      return (
        <TextLink to="/admin/accounts/$id" params={{ id }} search={{}}>
          {shown}
        </TextLink>
      );
    case "key":
      // A deleted key has no page.
      return after === null ? (
        shown
      ) : (
        <TextLink to="/keys/$id" params={{ id }} search={{ account: account ?? undefined }}>
          {shown}
        </TextLink>
      );
    case "vendor":
      return (
        <TextLink to="/admin/vendors/$id" params={{ id }} search={{}}>
          {shown}
        </TextLink>
      );
    case "user":
      return (
        <TextLink to="/admin/users" search={{ q: names.get(id) ?? label }}>
          {shown}
        </TextLink>
      );
    default:
      return shown;
  }
}

/** The object's name: from the entry, else its name of today, else its id. */
export function labelOf({ object, before, after }: AuditEntry, names: ReadonlyMap<string, string>): string | null {
  const own = after?.name || before?.name || after?.email || before?.email;
  return (typeof own === "string" && own !== "" ? own : names.get(object.id ?? "")) || object.id;
}

/** Whether the object is the actor, as for signing in and out: its id beside the actor's name would be noise. */
function isSelf({ object, actor }: AuditEntry): boolean {
  return object.kind === "session" || (object.kind === "user" && object.id === actor.id);
}
