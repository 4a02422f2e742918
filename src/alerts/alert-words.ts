import { formatAmount, micro } from "../core/money/money.ts";
import type { AlertData, AlertEvent } from "./alert-event.ts";
import { type AlertTypeName, RECEIPT_TYPE, TEST_TYPE, typeOfEvent } from "./alert-types.ts";

/** What people read in place of an event's fields: a title, and sentences of one line each. */
export interface AlertWords {
  readonly title: string;
  readonly sentences: readonly string[];
}

type Write = (data: AlertData) => readonly string[];

interface TypeWords {
  readonly title: (data: AlertData) => string;
  readonly began: Write;
  /** What its end is told in, of what is true then; null where it has none. */
  readonly ended: { readonly title: (data: AlertData) => string; readonly sentences: Write } | null;
}

const text = (data: AlertData, name: string): string => String(data[name] ?? "");
function amount(data: AlertData, name: string): string {
  return `${formatAmount(micro(Number(data[name] ?? 0)))} ${text(data, "currency")}`;
}
function seconds(data: AlertData, name: string): string {
  return `${(Number(data[name] ?? 0) / 1000).toFixed(1)} s`;
}
/** `2026-11-28 06:30 UTC` */
function time(iso: string): string {
  return `${iso.slice(0, 16).replace("T", " ")} UTC`;
}
/** "key laptop", by its id where it has no name. */
function named(data: AlertData, kind: string): string {
  return `${kind} ${text(data, `${kind}_name`) || text(data, kind)}`;
}
const account = (data: AlertData): string => named(data, "account");
/** Sentences of fields, where there are these: of an end not everything may be known any more. */
function where(data: AlertData, name: string, ...sentences: readonly string[]): readonly string[] {
  return data[name] == null ? [] : sentences;
}

const left = (data: AlertData): readonly string[] => [
  ...where(data, "balance_micro", `${amount(data, "balance_micro")} are left.`),
  ...where(data, "days_left", `At the pace of the last day that lasts for about ${data.days_left} days.`),
];
const used = (data: AlertData): readonly string[] =>
  where(
    data,
    "spent_micro",
    `${sentenceCase(named(data, text(data, "holder")))} has used ${amount(data, "spent_micro")} of ${amount(data, "budget_micro")} (${text(data, "window")}).`,
  );
const spent = (data: AlertData): readonly string[] =>
  where(data, "today_micro", `Today ${amount(data, "today_micro")}, on other days ${amount(data, "usual_micro")}.`);
const failures = (data: AlertData): readonly string[] =>
  data.attempts === 0
    ? ["Nothing was sent to it in the last five minutes."]
    : where(
        data,
        "attempts",
        `${text(data, "failures")} of ${text(data, "attempts")} calls failed in five minutes, which is ${text(data, "percent")} percent.`,
      );
const pace = (data: AlertData): readonly string[] =>
  data.first_byte_ms === null
    ? ["In the last minutes too few calls went to it to tell how fast it is."]
    : where(
        data,
        "first_byte_ms",
        `Its first byte takes ${seconds(data, "first_byte_ms")}; in the last day it took ${seconds(data, "usual_ms")}.`,
      );
const ofVendor = (data: AlertData): readonly string[] => (data.reason === "slow" ? pace(data) : failures(data));
const backedUp = (data: AlertData): readonly string[] =>
  where(data, "backed_up_at", `The last one that is known was made at ${time(text(data, "backed_up_at"))}.`);

const WORDS: Readonly<Record<AlertTypeName, TypeWords>> = {
  "balance.low": {
    title: (data) => `The balance of ${account(data)} is low`,
    began: left,
    ended: { title: (data) => `The balance of ${account(data)} is no longer low`, sentences: left },
  },
  "balance.empty": {
    title: (data) => `The balance of ${account(data)} is used up`,
    began: (data) => [`${amount(data, "balance_micro")} are left, and requests are refused for want of credit.`],
    ended: { title: (data) => `There is credit again in ${account(data)}`, sentences: left },
  },
  "budget.reached": {
    title: (data) => `${text(data, "percent")} percent of a budget of ${account(data)} are used`,
    began: (data) => [
      ...used(data),
      ...(Number(data.percent) >= 100 ? ["Requests under it are refused until it has room again."] : []),
      data.renews_at == null
        ? "It does not renew."
        : `It renews at ${text(data, "renews_at").slice(0, 16).replace("T", " ")} (${text(data, "time_zone")}).`,
    ],
    ended: { title: (data) => `A budget of ${account(data)} has room again`, sentences: used },
  },
  "key.expiring": {
    title: (data) => `A key of ${account(data)} expires soon`,
    began: (data) => [`${sentenceCase(named(data, "key"))} expires at ${time(text(data, "expires_at"))}.`],
    ended: {
      title: (data) => {
        const is_over = data.status !== undefined && data.status !== "active";
        const key = `${named(data, "key")} of ${account(data)}`;
        return is_over
          ? `${sentenceCase(key)} is ${text(data, "status")}`
          : `${sentenceCase(key)} no longer expires soon`;
      },
      sentences: (data) =>
        data.expires_at === null
          ? ["It never expires."]
          : where(
              data,
              "expires_at",
              data.status === "expired"
                ? `It expired at ${time(text(data, "expires_at"))}.`
                : `Its date is ${time(text(data, "expires_at"))}.`,
            ),
    },
  },
  "spend.unusual": {
    title: (data) => `${sentenceCase(account(data))} spends more than on other days`,
    began: spent,
    ended: { title: (data) => `${sentenceCase(account(data))} spends as on other days again`, sentences: spent },
  },
  "vendor.failing": {
    title: (data) =>
      data.reason === "slow"
        ? `The vendor ${text(data, "vendor")} is slow to answer ${text(data, "model")}`
        : `The vendor ${text(data, "vendor")} fails`,
    began: ofVendor,
    ended: {
      title: (data) =>
        data.reason === "slow"
          ? `The vendor ${text(data, "vendor")} is no longer slow to answer ${text(data, "model")}`
          : `The vendor ${text(data, "vendor")} no longer fails`,
      sentences: ofVendor,
    },
  },
  "circuit.opened": {
    title: (data) => `The circuit to ${text(data, "vendor")} ${text(data, "model")} is open`,
    began: () => [
      "No request is sent there for now, as too many failed. Others take them where a model has another vendor.",
    ],
    ended: {
      title: (data) => `The circuit to ${text(data, "vendor")} ${text(data, "model")} is closed again`,
      sentences: () => ["Requests are sent there again."],
    },
  },
  "cell.away": {
    title: (data) => `The cell ${text(data, "cell")} is away`,
    began: () => ["Its accounts get 503 until its database is back. All others go on."],
    ended: {
      title: (data) => `The cell ${text(data, "cell")} is back`,
      sentences: () => ["Its accounts are served again."],
    },
  },
  "incident.opened": {
    title: () => "An incident waits for a person",
    began: (data) => [
      `Incident ${text(data, "incident")}, ${text(data, "kind")}: ${text(data, "detail")}`,
      "Health in the console and camino incident list have it.",
    ],
    ended: {
      title: (data) => `The incident ${text(data, "incident")} was closed`,
      sentences: (data) => [`It was ${text(data, "kind")}: ${text(data, "detail")}`],
    },
  },
  "audit.found": {
    title: () => "The audit found problems in the books",
    began: (data) => [`It found ${text(data, "problems")} problems: see camino audit.`],
    ended: { title: () => "The last audit found no problem", sentences: () => [] },
  },
  "backup.late": {
    title: () => "The backup of the database is late",
    began: (data) =>
      data.backed_up_at === null ? ["No backup of it is known: make one with camino backup."] : backedUp(data),
    ended: { title: () => "The database has a new backup", sentences: backedUp },
  },
  "loss.booked": {
    title: () => "Losses were booked",
    began: (data) => [
      `${amount(data, "loss_micro")} of ${text(data, "day")} so far were paid to vendors and charged to nobody.`,
    ],
    ended: null,
  },
  "usage.unpriced": {
    title: (data) => `Usage of ${text(data, "model")} has no price`,
    began: () => ["A vendor told usage that no price is for: see camino models and the receipts."],
    ended: null,
  },
};

/** The words of an event. Names that people chose are in them as they are: whoever shows them takes care of that. */
export function alertWords({ type, timestamp, data }: AlertEvent): AlertWords {
  const known = typeOfEvent(type);
  if (known === null && type === RECEIPT_TYPE) return receiptWords(data);
  if (known === null) {
    const is_test = type === TEST_TYPE;
    return {
      title: is_test ? "A test of the gateway's alerts" : type,
      sentences: is_test ? ["An owner or administrator asked for it. There is nothing to do."] : [],
    };
  }
  const words = WORDS[known];
  const title = type === known ? words.title : (words.ended?.title ?? words.title);
  const when = `Found at ${time(timestamp)}.`;
  if (Array.isArray(data.alerts)) {
    const shown = (data.alerts as readonly AlertData[]).map((each) => [title(each), ...idsOf(each)].join(", "));
    const more = Number(data.count) - shown.length;
    const rest = more > 0 ? [`And ${more} more.`] : [];
    return {
      title: `${data.count} alerts at once: ${type.replaceAll(".", " ")}`,
      sentences: [...shown, ...rest, when],
    };
  }
  const said = type === known ? words.began(data) : (words.ended?.sentences(data) ?? []);
  const still = data.still === true ? ["It is so for a day now."] : [];
  return { title: title(data), sentences: [...said, ...still, ...idsOf(data).map((id) => `Its id: ${id}`), when] };
}

function receiptWords(data: AlertData): AlertWords {
  return { title: `Receipt: ${amount(data, "amount_micro")} for ${account(data)}`, sentences: [] };
}

/** Names say what people mean, and ids which of several. */
function idsOf(data: AlertData): string[] {
  const kinds = ["key", "project", "account"].filter((kind) => data[`${kind}_name`] !== undefined);
  return kinds.slice(0, 1).map((kind) => text(data, kind));
}

function sentenceCase(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
