import type { AuditEntry } from "../../../../contract/audit.ts";
import { cx } from "../../kit/cx.ts";
import { exactMoney, formatMoney } from "../../kit/format.ts";
import { Icon, type IconName } from "../../kit/icon.tsx";
import { FittingName, LongName } from "../../kit/long-name.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { Time } from "../../kit/values.tsx";
import { actionWords, actorWords } from "./audit-words.ts";
import { type Changed, changesOf, isEmpty, valueWords } from "./diff.ts";

const ICONS: Readonly<Record<string, IconName>> = {
  account: "accounts",
  credit: "credits",
  auto_top_up: "credits",
  key: "key",
  playground_key: "playground",
  user: "users",
  invitation: "users",
  link: "key",
  session: "user",
  passkey: "passkey",
  identity: "user",
  vendor_credential: "vendors",
};

/** One entry: the actor, the action, the object, the time, the address, and the values before and after. */
export function EntryRow({
  entry,
  names,
  currency,
}: {
  entry: AuditEntry;
  names: ReadonlyMap<string, string>;
  currency: string | undefined;
}) {
  const { actor, action, account, address, created_at } = entry;
  const noun = action.slice(0, action.indexOf("."));
  const refused = action === "session.refuse";
  const changes = changesOf(entry);
  const said = new Set<unknown>([labelOf(entry, names), actor.name, 0, false]);
  const money = (micro: number) => (currency === undefined ? `${micro} micro` : formatMoney(micro, currency));
  const exact = (micro: number) => (currency === undefined ? `${micro} micro` : exactMoney(micro, currency));
  return (
    <li className="flex gap-3.5 px-4 py-3.5 sm:px-5">
      <span
        className={cx(
          "mt-0.5 flex size-8 shrink-0 items-center justify-center rounded-full",
          refused ? "bg-danger-soft text-danger-ink" : "bg-sunken text-ink-soft",
        )}
      >
        <Icon name={refused ? "warning" : (ICONS[noun] ?? "edit")} className="size-4.5" />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <p className="min-w-0">
            <Actor actor={actor} /> {actionWords(action)} <ObjectLink entry={entry} names={names} />
          </p>
          <span className="text-[0.88rem] text-ink-soft">
            <Time clock at={created_at} />
          </span>
        </div>
        <p className="flex flex-wrap gap-x-3 text-[0.83rem] text-ink-soft">
          <code className="font-mono">{action}</code>
          {account !== null && entry.object.kind !== "account" && (
            <TextLink to="/admin/accounts/$id" params={{ id: account }} search={{}}>
              <FittingName>{names.get(account) ?? account}</FittingName>
            </TextLink>
          )}
          {address !== null && <span>from {address}</span>}
        </p>
        {entry.before === null || entry.after === null ? (
          <Facts
            changes={changes.filter(({ before, after }) => !said.has(after ?? before))}
            money={money}
            exact={exact}
            gone={entry.after === null}
          />
        ) : (
          <Changes changes={changes} money={money} exact={exact} />
        )}
      </div>
    </li>
  );
}

/** The actor's name as a link to all of the actor's entries. */
function Actor({ actor }: { actor: AuditEntry["actor"] }) {
  const words = actorWords(actor);
  const filter = actor.kind === "admin-token" ? "admin-token" : actor.id;
  if (filter === null) return <span className="font-semibold">{words}</span>;
  return (
    <TextLink to="/admin/audit" search={{ actor: filter }}>
      <FittingName>{words}</FittingName>
    </TextLink>
  );
}

type MoneyWords = (micro: number) => string;

function Changes({ changes, money, exact }: { changes: readonly Changed[]; money: MoneyWords; exact: MoneyWords }) {
  if (changes.length === 0) return null;
  return (
    <dl className="mt-2 grid gap-x-4 gap-y-1 text-[0.9rem] sm:grid-cols-[max-content_1fr]">
      {changes.map((changed) => (
        <div key={changed.name} className="contents">
          <dt className="text-ink-soft max-sm:-mb-1 max-sm:text-[0.83rem]">{changed.name}</dt>
          <dd className="min-w-0 break-words">
            <BeforeAfter changed={changed} money={money} exact={exact} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** All fields of a new or a removed object, in one flow of text. */
function Facts({
  changes,
  money,
  exact,
  gone,
}: {
  changes: readonly Changed[];
  money: MoneyWords;
  exact: MoneyWords;
  gone: boolean;
}) {
  const told = changes.filter(({ before, after }) => !isEmpty(gone ? before : after));
  if (told.length === 0) return null;
  return (
    <dl className="mt-1.5 flex flex-wrap gap-x-4 gap-y-1 text-[0.9rem]">
      {told.map((changed) => (
        <div key={changed.name} className="flex min-w-0 flex-wrap items-baseline gap-x-1.5">
          <dt className="text-ink-soft">{changed.name}</dt>
          <dd className="min-w-0 break-words">
            <Value changed={changed} of={gone ? changed.before : changed.after} money={money} exact={exact} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({
  changed: { field },
  of,
  money,
  exact,
  face,
}: {
  changed: Changed;
  of: unknown;
  money: MoneyWords;
  exact: MoneyWords;
  face?: string;
}) {
  return (
    <span
      data-hint={field.endsWith("_micro") && typeof of === "number" ? exact(of) : undefined}
      className={cx(face && "rounded-md px-1.5 py-px", face)}
    >
      <LongName>{valueWords(field, of, money)}</LongName>
    </span>
  );
}

const WAS = "bg-danger-soft text-danger-ink";
const IS = "bg-good-soft text-good-ink";

function BeforeAfter({ changed, money, exact }: { changed: Changed; money: MoneyWords; exact: MoneyWords }) {
  const { before, after } = changed;
  const was = <Value changed={changed} of={before} money={money} exact={exact} face={WAS} />;
  const is = <Value changed={changed} of={after} money={money} exact={exact} face={IS} />;
  if (isEmpty(before)) return <ins className="no-underline">{is}</ins>;
  if (isEmpty(after)) return <del>{was}</del>;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5 gap-y-1">
      <del>{was}</del>
      <Icon name="arrow-right" className="size-3.5 text-ink-soft" />
      <ins className="no-underline">{is}</ins>
    </span>
  );
}

/** The object of an entry, by name where the name is known, as a link where the object has a page. */
function ObjectLink({ entry, names }: { entry: AuditEntry; names: ReadonlyMap<string, string> }) {
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
function labelOf({ object, before, after }: AuditEntry, names: ReadonlyMap<string, string>): string | null {
  const own = after?.name || before?.name || after?.email || before?.email;
  return (typeof own === "string" && own !== "" ? own : names.get(object.id ?? "")) || object.id;
}

/** Whether the object is the actor, as for signing in and out: its id beside the actor's name would be noise. */
function isSelf({ object, actor }: AuditEntry): boolean {
  return object.kind === "session" || (object.kind === "user" && object.id === actor.id);
}
