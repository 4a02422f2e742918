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
  readonly paragraphs: readonly string[];
  readonly button?: { readonly label: string; readonly link: string };
  readonly ending: string;
}

export interface InvitationFacts {
  readonly to: string;
  /** Who invites, by name or e-mail; null where it is the gateway's operator. */
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
}

export function writeReset({ to, link, ends_ms, origin }: ResetFacts): Letter {
  const place = hostOf(origin);
  return write({
    to,
    subject: `Your password at ${place}`,
    paragraphs: [
      `Somebody asked for a new password for ${to} at ${place}.`,
      "If that was you, set one with this link. It signs you out everywhere else.",
    ],
    button: { label: "Set a new password", link },
    ending: `The link works once, until ${whenOf(ends_ms)}. If it was not you, do nothing: your password stays as it is.`,
  });
}

export function writeTest({ to, origin }: Pick<ResetFacts, "to" | "origin">): Letter {
  const place = hostOf(origin);
  return write({
    to,
    subject: `A test from ${place}`,
    paragraphs: [`The gateway at ${place} can send mail.`],
    ending: "Somebody who administers it asked for this test. There is nothing to do.",
  });
}

export interface AlertFacts {
  readonly to: string;
  readonly title: string;
  /** Each in one line. Names that people chose may be in them. */
  readonly sentences: readonly string[];
  readonly origin: string;
}

export function writeAlert({ to, title, sentences, origin }: AlertFacts): Letter {
  const place = hostOf(origin);
  return write({
    to,
    subject: `${inert(title, LONGEST_TITLE)} (${place})`,
    paragraphs: [`${inert(title, LONGEST_TITLE)}.`, ...sentences.map((each) => inert(each, LONGEST_SENTENCE))],
    button: { label: "Open the console", link: `${origin}/console/` },
    ending: `${place} was asked to tell you. Whoever administers the account or the gateway can end it under Alerts.`,
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

function write({ to, subject, paragraphs, button, ending }: Words): Letter {
  const linked = button === undefined ? [] : [`${button.label}:\n${button.link}`];
  const text = `${[...paragraphs, ...linked, ending].join("\n\n")}\n`;
  return { to, subject, text, html: asHtml({ subject, paragraphs, button, ending }) };
}

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** Styles are inline, and there is no picture: mail programs leave out other styles, and load nothing from outside. */
function asHtml({
  subject,
  paragraphs,
  button,
  ending,
}: Omit<Words, "to" | "button"> & { button: Words["button"] }): string {
  const said = paragraphs.map((each) => `<p style="margin:0 0 16px">${escapeHtml(each)}</p>`);
  const linked = button === undefined ? [] : [asButton(button)];
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px;background:#f4f4f2;color:#1d2330;${FONT};font-size:16px;line-height:1.5">
<div style="max-width:520px;margin:0 auto;padding:28px 32px;background:#ffffff;border:1px solid #e3e2dd;border-radius:10px">
${[...said, ...linked].join("\n")}
<p style="margin:24px 0 0;color:#5b6270;font-size:14px">${escapeHtml(ending)}</p>
</div>
</body>
</html>
`;
}

function asButton({ label, link }: NonNullable<Words["button"]>): string {
  const style =
    "display:inline-block;padding:11px 20px;background:#1f4fbf;color:#ffffff;border-radius:6px;text-decoration:none";
  const address = escapeHtml(link);
  return `<p style="margin:24px 0"><a href="${address}" style="${style}">${escapeHtml(label)}</a></p>
<p style="margin:0;color:#5b6270;font-size:14px">Or open this address:<br><a href="${address}" style="color:#1f4fbf;word-break:break-all">${address}</a></p>`;
}

function escapeHtml(text: string): string {
  return Bun.escapeHTML(text);
}
