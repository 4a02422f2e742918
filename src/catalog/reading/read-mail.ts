import type { ConsoleSettings } from "../../core/catalog/console-settings.ts";
import type { MailSettings } from "../../core/catalog/mail-settings.ts";
import { report, type YamlPlace } from "./place.ts";
import { readFields } from "./read-fields.ts";
import { readParsed, readText } from "./read-scalar.ts";

const SMTP = "a mail server such as smtps://NAME:PASSWORD@mail.example.com:465, or smtp:// with STARTTLS";
const FROM = 'a sender in one line, such as "Camino <gateway@example.com>"';
const ORIGIN =
  "where browsers find the gateway, such as https://models.example.com: links in mails lead there, and not to whatever a request names";
const HIDDEN = "a value that is not shown";
const SENDER = /^(?:[^<>@"\p{Cc}]{0,80}<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/u;

/**
 * Reads how mail is sent; null where nothing says so. `CAMINO_SMTP_URL` comes before the file's `smtp`. The sender is by default of the host in
 * `console.public_url`, which mail needs. The server's address is not shown: it may have a password.
 */
export function readMail(
  root: YamlPlace,
  place: YamlPlace | null,
  console: ConsoleSettings | null,
): MailSettings | null {
  const fields = readFields(place, ["from", "smtp"]);
  const from_env = root.source.env.CAMINO_SMTP_URL || null;
  const smtp_place = fields?.get("smtp") ?? null;
  if (from_env === null && place === null) return null;
  if (from_env === null && smtp_place === null) return fields?.reportMissing("smtp", SMTP) ?? null;
  const smtp = from_env ?? readText(smtp_place, SMTP);
  if (smtp === null) return null;
  if (!isServer(smtp)) {
    if (from_env === null && smtp_place !== null) return report(smtp_place, SMTP, HIDDEN);
    return report({ ...root, path: "CAMINO_SMTP_URL" }, SMTP, HIDDEN);
  }
  const origin = console?.public_url ?? null;
  if (origin === null)
    return report({ ...root, path: "console.public_url" }, ORIGIN, "nothing, and mail is to be sent");
  const from = readSender(fields?.get("from") ?? null) ?? `Camino <camino@${new URL(origin).hostname}>`;
  return { from, smtp, origin };
}

function readSender(place: YamlPlace | null): string | null {
  return readParsed(place, FROM, (text) => (SENDER.test(text.trim()) ? text.trim() : null));
}

function isServer(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== "" && /^\/?$/.test(url.pathname + url.search)
  );
}
