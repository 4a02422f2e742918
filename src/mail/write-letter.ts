/** A letter to one person, in plain text and as simple HTML. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** What a letter says. Sentences may hold words that people chose, such as names: they are shown as text, in one line. */
interface Words {
  readonly to: string;
  readonly subject: string;
  /** What it is about, above everything else; absent where its first sentence says so. */
  readonly title?: string;
  readonly paragraphs: readonly string[];
  /** Facts as a table: what, and how much. */
  readonly facts?: readonly (readonly [what: string, value: string])[];
  readonly button?: { readonly label: string; readonly link: string };
  readonly ending: string;
}

export interface InvitationFacts {
  readonly to: string;
  /** The inviting person's name or e-mail; null for the gateway's operator. */
  readonly inviter: string | null;
  /** The account's name; null where they get one of their own. */
  readonly account: string | null;
  readonly link: string;
  readonly ends_ms: number;
  readonly origin: string;
}

export function writeInvitation({ to, inviter, account, link, ends_ms, origin }: InvitationFacts): Letter {
  const place = hostOf(origin);
  const where = account === null ? place : `the account ${shown(account)} at ${place}`;
  const invites = inviter === null ? `You are invited to ${where}.` : `${shown(inviter)} invites you to ${where}.`;
  return write({
    to,
    subject: `Invitation to ${place}`,
    paragraphs: [invites, "With your own user you make API keys for language models, and see what they use."],
    button: { label: "Accept the invitation", link },
    ending: `The link works once, until ${whenOf(ends_ms)}. If you do not know who invites you, do nothing: without the link nothing happens.`,
  });
}

export interface ResetFacts {
  readonly to: string;
  readonly link: string;
  readonly ends_ms: number;
  readonly origin: string;
  /** Whether an administrator made the link, in place of the user who asked for it. */
  readonly offered: boolean;
}

export function writeReset({ to, link, ends_ms, origin, offered }: ResetFacts): Letter {
  const place = hostOf(origin);
  const paragraphs = offered
    ? [
        `An administrator of ${place} made this link for ${to}.`,
        "It signs you in to set a new password, and signs you out everywhere else.",
      ]
    : [
        `A new password for ${to} was requested at ${place}.`,
        "If that was you, set one with this link. It signs you out everywhere else.",
      ];
  return write({
    to,
    subject: `Your password at ${place}`,
    paragraphs,
    button: { label: "Set a new password", link },
    ending: `The link works once, until ${whenOf(ends_ms)}. If ${offered ? "you did not expect it" : "it was not you"}, do nothing: your password stays as it is.`,
  });
}

export function writeTest({ to, origin }: Pick<ResetFacts, "to" | "origin">): Letter {
  const place = hostOf(origin);
  return write({
    to,
    subject: `A test from ${place}`,
    paragraphs: [`The gateway at ${place} can send mail.`],
    ending: "An administrator asked for this test. There is nothing to do.",
  });
}

export interface AlertMail {
  readonly to: string;
  readonly title: string;
  /** Each in one line. Names that people chose may be in them. */
  readonly sentences: readonly string[];
  readonly origin: string;
}

export function writeAlert({ to, title, sentences, origin }: AlertMail): Letter {
  const place = hostOf(origin);
  return write({
    to,
    subject: `${inert(title, LONGEST_TITLE)} (${place})`,
    title: inert(title, LONGEST_TITLE),
    paragraphs: sentences.map((each) => inert(each, LONGEST_SENTENCE)),
    button: { label: "Open the console", link: `${origin}/console/` },
    ending: `${place} sends you its alerts. An owner or administrator can end that under Alerts.`,
  });
}

export interface ReceiptFacts {
  readonly to: string;
  /** The account's name. */
  readonly account: string;
  /** Amounts as people read them: `25.00 USD`. */
  readonly amount: string;
  readonly balance: string;
  /** What whoever added it wrote; empty: nothing. */
  readonly note: string;
  /** The ledger's entry, by which both sides find it. */
  readonly entry: string;
  readonly added_ms: number;
  readonly origin: string;
}

/** The receipt of credit that was added to an account (docs/rulings.md 225). */
export function writeReceipt({ to, account, amount, balance, note, entry, added_ms, origin }: ReceiptFacts): Letter {
  const place = hostOf(origin);
  return write({
    to,
    subject: `Receipt: ${amount} of credit (${place})`,
    title: `${amount} of credit were added`,
    paragraphs: [`The account ${shown(account)} at ${place} has more credit.`],
    facts: [
      ["Credit", amount],
      ["Balance after it", balance],
      ["Added", whenOf(added_ms)],
      ["Entry", entry],
      ...(note === "" ? [] : [["Note", inert(note, LONGEST_SENTENCE)] as const]),
    ],
    button: { label: "See the account's credits", link: `${origin}/console/credits` },
    ending: "You get this because you own the account. It says what was added to it, and is no invoice.",
  });
}

const LONGEST_TITLE = 160;
const LONGEST_SENTENCE = 400;

/** A sentence in one line, in which no word that somebody chose becomes a link of a mail program. */
function inert(sentence: string, longest: number): string {
  const line = sentence.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  const plain = line.replace(/:\/\/|\\/g, " ").replace(/([^\s\d])\.(?=[^\s\d])/g, "$1. ");
  return plain.length <= longest ? plain : `${plain.slice(0, longest)}…`;
}

const LONGEST_NAME = 80;

/** A name in one line and of a bounded length. No dot or slash of it makes a link of a mail program: strangers choose names. */
function shown(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  const plain = line.replace(/[:/\\\s]+/g, " ");
  const safe = /^[^\s@]+@[^\s@]+$/.test(plain) ? plain : plain.replace(/\.(?=\S)/g, ". ");
  return safe.length <= LONGEST_NAME ? safe : `${safe.slice(0, LONGEST_NAME)}…`;
}

function hostOf(origin: string): string {
  return new URL(origin).host;
}

/** `28 November 2026, 06:30 UTC` */
function whenOf(time_ms: number): string {
  const format = { day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" } as const;
  return `${new Intl.DateTimeFormat("en-GB", { ...format, timeZone: "UTC" }).format(time_ms).replace(" at ", ", ")} UTC`;
}

function write({ to, ...words }: Words): Letter {
  const { subject, title, paragraphs, facts = [], button, ending } = words;
  const linked = button === undefined ? [] : [`${button.label}:\n${button.link}`];
  const listed = facts.length === 0 ? [] : [facts.map(([what, value]) => `${what}: ${value}`).join("\n")];
  const titled = title === undefined ? [] : [`${title}.`];
  const text = `${[...titled, ...paragraphs, ...listed, ...linked, ending].join("\n\n")}\n`;
  return { to, subject, text, html: asHtml(words) };
}

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const SOFT = "color:#5b6270;font-size:14px";
/** For mail programs that support them: a dark page in dark mode, and smaller margins on a narrow screen. */
const STYLE = `:root{color-scheme:light dark}
@media (prefers-color-scheme:dark){.page{background:#15171b!important;color:#e6e7ea!important}.card{background:#1e2126!important;border-color:#343840!important}.soft{color:#a3a9b5!important}.link{color:#8fb0ff!important}.button{background:#3f6fe0!important}}
@media (max-width:600px){.page{padding:12px!important}.card{padding:22px 20px!important}}`;

/** Styles are inline, and there is no picture: mail programs leave out most other styles, and load nothing from outside. */
function asHtml({ subject, title, paragraphs, facts = [], button, ending }: Omit<Words, "to">): string {
  const head = `<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3;overflow-wrap:anywhere">${escapeHtml(title ?? "")}</h1>`;
  const said = paragraphs.map((each) => `<p style="margin:0 0 16px;overflow-wrap:anywhere">${escapeHtml(each)}</p>`);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title>
<style>${STYLE}</style></head>
<body class="page" style="margin:0;padding:24px;background:#f4f4f2;color:#1d2330;${FONT};font-size:16px;line-height:1.5">
<div class="card" style="max-width:520px;margin:0 auto;padding:28px 32px;background:#ffffff;border:1px solid #e3e2dd;border-radius:10px">
${[...(title === undefined ? [] : [head]), ...said, ...asTable(facts), ...(button === undefined ? [] : [asButton(button)])].join("\n")}
<p class="soft" style="margin:24px 0 0;${SOFT}">${escapeHtml(ending)}</p>
</div>
</body>
</html>
`;
}

function asTable(facts: NonNullable<Words["facts"]>): string[] {
  if (facts.length === 0) return [];
  const rows = facts.map(
    ([what, value]) =>
      `<tr><td class="soft" style="padding:4px 20px 3px 0;vertical-align:top;white-space:nowrap;${SOFT}">${escapeHtml(what)}</td><td style="padding:3px 0;overflow-wrap:anywhere">${escapeHtml(value)}</td></tr>`,
  );
  return [`<table role="presentation" style="border-collapse:collapse;margin:0 0 16px">${rows.join("")}</table>`];
}

function asButton({ label, link }: NonNullable<Words["button"]>): string {
  const style =
    "display:inline-block;padding:11px 20px;background:#1f4fbf;color:#ffffff;border-radius:6px;text-decoration:none";
  const address = escapeHtml(link);
  return `<p style="margin:24px 0"><a class="button" href="${address}" style="${style}">${escapeHtml(label)}</a></p>
<p class="soft" style="margin:0;${SOFT}">Or open this address:<br><a class="link" href="${address}" style="color:#1f4fbf;overflow-wrap:anywhere">${address}</a></p>`;
}

function escapeHtml(text: string): string {
  return Bun.escapeHTML(text);
}
