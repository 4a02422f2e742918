import { formatAmount, micro } from "../core/money/money.ts";
import type { AlertData, AlertEvent } from "./alert-event.ts";
import { type AlertTypeName, RECEIPT_TYPE, TEST_TYPE, typeOfEvent } from "./alert-types.ts";

/** What people read in place of an event's fields: a title, and sentences of one line each. */
export interface AlertWords {
  readonly title: string;
  readonly sentences: readonly string[];
}

/** Sentences with the names of fields in braces (`filled`), or what chooses them by the event's fields. */
type Sentences = readonly string[] | ((data: AlertData) => readonly string[]);
type Title = string | ((data: AlertData) => string);

interface TypeWords {
  readonly title: Title;
  readonly began: Sentences;
  /** What its end is told in, of what is true then; null where it has none. */
  readonly ended: { readonly title: Title; readonly sentences: Sentences } | null;
}

const LEFT = ["{balance_micro} are left.", "At the pace of the last day that lasts for about {days_left} days."];
const USED = ["{the holder} has used {spent_micro} of {budget_micro} ({window})."];
const SPENT = ["Today {today_micro}, on other days {usual_micro}."];
const BACKED_UP = ["The last one that is known was made at {backed_up_at} UTC."];

function ofVendor({ reason, first_byte_ms, attempts }: AlertData): readonly string[] {
  if (reason !== "slow")
    return attempts === 0
      ? ["Nothing was sent to it in the last five minutes."]
      : ["{failures} of {attempts} calls failed in five minutes, which is {percent} percent."];
  return first_byte_ms === null
    ? ["In the last minutes too few calls went to it to tell how fast it is."]
    : ["Its first byte takes {first_byte_ms}; in the last day it took {usual_ms}."];
}

const WORDS: Readonly<Record<AlertTypeName, TypeWords>> = {
  "balance.low": {
    title: "The balance of {the account} is low",
    began: LEFT,
    ended: { title: "The balance of {the account} is no longer low", sentences: LEFT },
  },
  "balance.empty": {
    title: "The balance of {the account} is used up",
    began: ["{balance_micro} are left, and requests are refused for want of credit."],
    ended: { title: "There is credit again in {the account}", sentences: LEFT },
  },
  "budget.reached": {
    title: "{percent} percent of a budget of {the account} are used",
    began: ({ percent, renews_at }) => [
      ...USED,
      ...(Number(percent) >= 100 ? ["Requests under it are refused until it has room again."] : []),
      renews_at == null ? "It does not renew." : "It renews at {renews_at} ({time_zone}).",
    ],
    ended: { title: "A budget of {the account} has room again", sentences: USED },
  },
  "key.expiring": {
    title: "A key of {the account} expires soon",
    began: ["{the key} expires at {expires_at} UTC."],
    ended: {
      title: ({ status = "active" }) =>
        status === "active"
          ? "{the key} of {the account} no longer expires soon"
          : "{the key} of {the account} is {status}",
      sentences: ({ expires_at, status }) => {
        if (expires_at === null) return ["It never expires."];
        return [status === "expired" ? "It expired at {expires_at} UTC." : "Its date is {expires_at} UTC."];
      },
    },
  },
  "spend.unusual": {
    title: "{the account} spends more than on other days",
    began: SPENT,
    ended: { title: "{the account} spends as on other days again", sentences: SPENT },
  },
  "vendor.failing": {
    title: ({ reason }) =>
      reason === "slow" ? "The vendor {vendor} is slow to answer {model}" : "The vendor {vendor} fails",
    began: ofVendor,
    ended: {
      title: ({ reason }) =>
        reason === "slow"
          ? "The vendor {vendor} is no longer slow to answer {model}"
          : "The vendor {vendor} no longer fails",
      sentences: ofVendor,
    },
  },
  "circuit.opened": {
    title: "The circuit to {vendor} {model} is open",
    began: ["No request is sent there for now, as too many failed. Others take them where a model has another vendor."],
    ended: {
      title: "The circuit to {vendor} {model} is closed again",
      sentences: ["Requests are sent there again."],
    },
  },
  "cell.away": {
    title: "The cell {cell} is away",
    began: ["Its accounts get 503 until its database is back. All others go on."],
    ended: { title: "The cell {cell} is back", sentences: ["Its accounts are served again."] },
  },
  "incident.opened": {
    title: "An incident waits for a person",
    began: ["Incident {incident}, {kind}: {detail}", "Health in the console and camino incident list have it."],
    ended: { title: "The incident {incident} was closed", sentences: ["It was {kind}: {detail}"] },
  },
  "audit.found": {
    title: "The audit found problems in the books",
    began: ["It found {problems} problems: see camino audit."],
    ended: { title: "The last audit found no problem", sentences: [] },
  },
  "backup.late": {
    title: "The backup of the database is late",
    began: ({ backed_up_at }) =>
      backed_up_at === null ? ["No backup of it is known: make one with camino backup."] : BACKED_UP,
    ended: { title: "The database has a new backup", sentences: BACKED_UP },
  },
  "loss.booked": {
    title: "Losses were booked",
    began: ["{loss_micro} of {day} so far were paid to vendors and charged to nobody."],
    ended: null,
  },
  "usage.unpriced": {
    title: "Usage of {model} has no price",
    began: ["A vendor told usage that no price is for: see camino models and the receipts."],
    ended: null,
  },
};

/**
 * A sentence with the event's fields in it: `_micro` as an amount, `_ms` in seconds, `_at` as a date and time, and of `{the key}` its name, or its id
 * where it has none. Null where the event lacks a field: of an end not everything may be known any more.
 */
function filled(sentence: string, data: AlertData): string | null {
  const names = Array.from(sentence.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
  if (names.some((name) => data[name] == null)) return null;
  const words = sentence.replace(/\{(the )?(\w+)\}/g, (_, the: string | undefined, name: string) =>
    the === undefined ? shown(data, name) : named(data, name === "holder" ? text(data, name) : name),
  );
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function shown(data: AlertData, name: string): string {
  const value = text(data, name);
  if (name.endsWith("_micro")) return `${formatAmount(micro(Number(value)))} ${text(data, "currency")}`;
  if (name.endsWith("_ms")) return `${(Number(value) / 1000).toFixed(1)} s`;
  return name.endsWith("_at") ? value.slice(0, 16).replace("T", " ") : value;
}

function named(data: AlertData, kind: string): string {
  return `${kind} ${text(data, `${kind}_name`) || text(data, kind)}`;
}

function text(data: AlertData, name: string): string {
  return String(data[name] ?? "");
}

function titleOf(title: Title, data: AlertData): string {
  return filled(typeof title === "string" ? title : title(data), data) ?? "";
}

function sentencesOf(sentences: Sentences, data: AlertData): string[] {
  const chosen = typeof sentences === "function" ? sentences(data) : sentences;
  return chosen.flatMap((each) => filled(each, data) ?? []);
}

/** The words of an event. Names that people chose are in them as they are: whoever shows them takes care of that. */
export function alertWords({ type, timestamp, data }: AlertEvent): AlertWords {
  const known = typeOfEvent(type);
  if (known === null && type === RECEIPT_TYPE)
    return { title: titleOf("Receipt: {amount_micro} for {the account}", data), sentences: [] };
  if (known === null) {
    const is_test = type === TEST_TYPE;
    return {
      title: is_test ? "A test of the gateway's alerts" : type,
      sentences: is_test ? ["An owner or administrator asked for it. There is nothing to do."] : [],
    };
  }
  const words = WORDS[known];
  const { title, sentences } =
    type === known || words.ended === null ? { title: words.title, sentences: words.began } : words.ended;
  const when = `Found at ${shown({ timestamp_at: timestamp }, "timestamp_at")} UTC.`;
  if (Array.isArray(data.alerts)) {
    const listed = (data.alerts as readonly AlertData[]).map((each) =>
      [titleOf(title, each), ...idsOf(each)].join(", "),
    );
    const more = Number(data.count) - listed.length;
    const rest = more > 0 ? [`And ${more} more.`] : [];
    return {
      title: `${data.count} alerts at once: ${type.replaceAll(".", " ")}`,
      sentences: [...listed, ...rest, when],
    };
  }
  const still = data.still === true ? ["It is so for a day now."] : [];
  const ids = idsOf(data).map((id) => `Its id: ${id}`);
  return { title: titleOf(title, data), sentences: [...sentencesOf(sentences, data), ...still, ...ids, when] };
}

/** Names say what people mean, and ids which of several. */
function idsOf(data: AlertData): string[] {
  const kinds = ["key", "project", "account"].filter((kind) => data[`${kind}_name`] !== undefined);
  return kinds.slice(0, 1).map((kind) => text(data, kind));
}
