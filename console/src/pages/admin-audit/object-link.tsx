import type { AuditEntry } from "../../../../contract/audit.ts";
import { TextLink } from "../../kit/row-link.tsx";

/** The thing that an entry is about, by its name where one is known, leading to it where it has a page. */
export function ObjectLink({ entry, names }: { entry: AuditEntry; names: ReadonlyMap<string, string> }) {
  const { object, after, account } = entry;
  const { kind, id } = object;
  const label = labelOf(entry, names);
  if (label === null || isSelf(entry)) return null;
  const shown = <span className="break-all">{label}</span>;
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
      // A key that is gone has no page.
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

/** What the thing is called: as the entry itself tells, else as it is called today, else its id. */
export function labelOf({ object, before, after }: AuditEntry, names: ReadonlyMap<string, string>): string | null {
  const own = after?.name || before?.name || after?.email || before?.email;
  return (typeof own === "string" && own !== "" ? own : names.get(object.id ?? "")) || object.id;
}

/** Signing in and out is about nobody else: an id beside the name would only be noise. */
function isSelf({ object, actor }: AuditEntry): boolean {
  return object.kind === "session" || (object.kind === "user" && object.id === actor.id);
}
