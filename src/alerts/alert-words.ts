import { formatAmount, micro } from "../core/money/money.ts";
import type { AlertData, AlertEvent } from "./alert-event.ts";
import { type AlertTypeName, TEST_TYPE, typeOfEvent } from "./alert-types.ts";

/** What people read in place of an event's fields: a title, and sentences of one line each. */
export interface AlertWords {
  readonly title: string;
  readonly sentences: readonly string[];
}

type Write = (data: AlertData) => readonly string[];

interface TypeWords {
  readonly title: (data: AlertData) => string;
  readonly began: Write;
  readonly ended: string;
}

const text = (data: AlertData, name: string): string => String(data[name] ?? "");
function amount(data: AlertData, name: string): string {
  return `${formatAmount(micro(Number(data[name] ?? 0)))} USD`;
}
function seconds(data: AlertData, name: string): string {
  return `${(Number(data[name] ?? 0) / 1000).toFixed(1)} s`;
}
/** "key laptop (key_…)": names are people's own words, ids say which is meant. */
function named(data: AlertData, kind: string): string {
  const id = text(data, kind);
  const name = text(data, `${kind}_name`);
  return name === "" ? `${kind} ${id}` : `${kind} ${name} (${id})`;
}

const WORDS: Readonly<Record<AlertTypeName, TypeWords>> = {
  "balance.low": {
    title: (data) => `The balance of ${named(data, "account")} is low`,
    began: (data) => [
      `${amount(data, "balance_micro")} are left.`,
      ...(data.days_left == null ? [] : [`At the pace of the last day that lasts for about ${data.days_left} days.`]),
    ],
    ended: "The balance is no longer low",
  },
  "balance.empty": {
    title: (data) => `The balance of ${named(data, "account")} is used up`,
    began: (data) => [`${amount(data, "balance_micro")} are left, and requests are refused for want of credit.`],
    ended: "There is credit again",
  },
  "budget.reached": {
    title: (data) => `${text(data, "percent")} percent of a budget of ${named(data, "account")} are used`,
    began: (data) => [
      `${sentenceCase(holderOf(data))} has used ${amount(data, "spent_micro")} of ${amount(data, "budget_micro")} (${text(data, "window")}).`,
      ...(Number(data.percent) >= 100 ? ["Requests under it are refused until it renews or is raised."] : []),
    ],
    ended: "The budget has room again",
  },
  "key.expiring": {
    title: (data) => `A key of ${named(data, "account")} ends soon`,
    began: (data) => [`${sentenceCase(named(data, "key"))} ends at ${text(data, "expires_at")}.`],
    ended: "The key's end is settled",
  },
  "spend.unusual": {
    title: (data) => `${sentenceCase(named(data, "account"))} spends more than it usually does`,
    began: (data) => [`Today ${amount(data, "today_micro")}, on a usual day ${amount(data, "usual_micro")}.`],
    ended: "The spending is usual again",
  },
  "vendor.failing": {
    title: (data) =>
      data.reason === "slow"
        ? `The vendor ${text(data, "vendor")} is slow to answer ${text(data, "model")}`
        : `The vendor ${text(data, "vendor")} fails`,
    began: (data) => [
      data.reason === "slow"
        ? `Its first byte takes ${seconds(data, "first_byte_ms")}, which usually takes ${seconds(data, "usual_ms")}.`
        : `${text(data, "failures")} of ${text(data, "attempts")} calls failed in five minutes, which is ${text(data, "percent")} percent.`,
    ],
    ended: "The vendor answers as usual again",
  },
  "circuit.opened": {
    title: (data) => `The circuit to ${text(data, "vendor")} ${text(data, "model")} is open`,
    began: () => [
      "No request is sent there for now, as too many failed. Others take them where a model has another vendor.",
    ],
    ended: "The circuit is closed",
  },
  "incident.opened": {
    title: () => "An incident waits for a person",
    began: (data) => [
      `Incident ${text(data, "incident")}, ${text(data, "kind")}: ${text(data, "detail")}`,
      "Health in the console and camino incident list have it.",
    ],
    ended: "The incident was closed",
  },
  "audit.found": {
    title: () => "The audit found problems in the books",
    began: (data) => [`It found ${text(data, "problems")} problems: see camino audit.`],
    ended: "The last audit found nothing",
  },
  "loss.booked": {
    title: () => "Losses were booked",
    began: (data) => [
      `${amount(data, "loss_micro")} of ${text(data, "day")} so far were paid to vendors and charged to nobody.`,
    ],
    ended: "",
  },
  "usage.unpriced": {
    title: (data) => `Usage of ${text(data, "model")} has no price`,
    began: (data) => [
      `${sentenceCase(text(data, "vendor"))} told usage that no price is for: see camino models and its receipts.`,
    ],
    ended: "",
  },
};

/** The words of an event. Names that people chose are in them as they are: whoever shows them takes care of that. */
export function alertWords({ type, timestamp, data }: AlertEvent): AlertWords {
  const known = typeOfEvent(type);
  if (known === null) {
    const is_test = type === TEST_TYPE;
    return {
      title: is_test ? "A test of the gateway's alerts" : type,
      sentences: is_test ? ["Somebody asked for it. There is nothing to do."] : [],
    };
  }
  const words = WORDS[known];
  const when = `Found at ${timestamp}.`;
  if (Array.isArray(data.alerts)) {
    const shown = (data.alerts as readonly AlertData[]).map((each) => words.title(each));
    const more = Number(data.count) - shown.length;
    const rest = more > 0 ? [`And ${more} more.`] : [];
    return { title: `${data.count} alerts at once: ${type}`, sentences: [...shown, ...rest, when] };
  }
  if (type !== known) return { title: `${words.ended}: ${words.title(data)}`, sentences: [when] };
  return {
    title: words.title(data),
    sentences: [...words.began(data), ...(data.still === true ? ["It is so for a day now."] : []), when],
  };
}

function holderOf(data: AlertData): string {
  return named(data, text(data, "holder"));
}

function sentenceCase(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
