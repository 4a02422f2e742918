import type { AlertSettings } from "../../core/catalog/alert-settings.ts";
import type { MailSettings } from "../../core/catalog/mail-settings.ts";
import { report, type YamlPlace } from "./place.ts";
import { readFields } from "./read-fields.ts";
import { readBoolean, readDuration, readTexts } from "./read-scalar.ts";

const TARGET =
  'targets such as "mail:ops@example.com", "webhook:https://hooks.example.com/camino" or "slack:https://hooks.slack.com/…"';
/** The variable may be set for the gateway's service alone, and `camino check` beside it does not see it then. */
const MAIL =
  "a mail server such as smtps://NAME:PASSWORD@mail.example.com:465; the environment of the gateway's service is not that of a command beside it";
const ADDRESS = /^[^\s@<>",;]+@[^\s@<>",;]+$/;

/** Reads where alerts go; null where nothing says so. Targets are not shown: their addresses may be secrets. */
export function readAlerts(place: YamlPlace | null, mail: MailSettings | null): AlertSettings | null {
  const fields = readFields(place, ["to", "private_addresses", "backup_after"]);
  if (place === null || fields === null) return null;
  const to_place = fields.get("to") ?? null;
  const to = (readTexts(to_place, TARGET) ?? []).map(targetOf);
  if (to_place !== null && to.includes(null))
    report(to_place, TARGET, "a target that is none of these, and is not shown");
  const targets = to.filter((each) => each !== null);
  if (mail === null && to_place !== null && targets.some(({ channel }) => channel === "mail"))
    report(
      { ...to_place, path: "CAMINO_SMTP_URL (or mail.smtp)" },
      MAIL,
      `nothing, and ${to_place.path} has mail addresses`,
    );
  return {
    to: targets,
    private_addresses: readBoolean(fields.get("private_addresses")) ?? false,
    backup_after_ms: readDuration(fields.get("backup_after")),
  };
}

/** Null for a text that is no target. */
function targetOf(text: string): AlertSettings["to"][number] | null {
  const [, channel = "", address = ""] = /^(mail|webhook|slack):(.*)$/s.exec(text.trim()) ?? [];
  if (channel === "mail") return ADDRESS.test(address) ? { channel, address } : null;
  if (channel !== "webhook" && channel !== "slack") return null;
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "") return null;
  return /^https?:$/.test(url.protocol) ? { channel, address } : null;
}
