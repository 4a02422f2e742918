import {
  type ConfigurationChanges,
  configurationChanges,
  reloadable,
} from "../../catalog/configuration/configuration-changes.ts";
import { type GivenElement, nameKey } from "../../catalog/configuration/element-layer.ts";
import { withGivenCredentials } from "../../catalog/configuration/given-credential.ts";
import { originsOf } from "../../catalog/configuration/lent-credentials.ts";
import { type Difference, differencesOf } from "../../catalog/elements/differences.ts";
import { judgeElements } from "../../catalog/elements/lay-over.ts";
import type { Problem } from "../../catalog/reading/problem.ts";
import type { Configuration, Vendor } from "../../core/catalog/catalog.ts";
import type { ElementName, ElementValue, ElementVersion } from "../../core/catalog/configuration-elements.ts";
import { invalidRequest } from "../../core/errors.ts";
import type { AuditNote } from "../../core/people/audit.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { type ConfigurationElements, elementsIn } from "./configuration-elements.ts";
import { inForce, messageOf, viewsOf } from "./element-views.ts";
import { type AskedChange, nextValue, wordOf } from "./next-value.ts";

/** The effect of a change, or of a change that is only tried. */
export interface JudgedChange extends ElementName {
  readonly version: number;
  readonly before: ElementValue | null;
  readonly after: ElementValue | null;
  readonly differences: readonly Difference[];
  readonly effect: ConfigurationChanges;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

export interface MadeChange extends AskedChange {
  /** The version that the element had when the change was thought of. */
  readonly version: number;
  readonly note: AuditNote;
}

/** Previews a change without making it. Throws where the action does not fit the element. */
export async function previewChange(elements: ConfigurationElements, asked: AskedChange): Promise<JudgedChange> {
  await elements.refresh();
  return (await judge(elements, asked)).judged;
}

/**
 * The configuration with an element that is not stored, and further ones (`also`) that need it. Throws a GatewayError with every problem where
 * it cannot be.
 */
export async function configurationWith(
  elements: ConfigurationElements,
  asked: ElementName & { readonly value: unknown },
  also: readonly GivenElement[] = [],
) {
  await elements.refresh();
  const { judged, after } = await judge(elements, { ...asked, action: "put" }, also);
  if (judged.problems.length === 0) return after;
  throw invalidRequest(sentenceOf(judged.problems), "value");
}

/** How often a change is judged anew because another element was changed meanwhile. */
const ATTEMPTS = 10;

/**
 * Judges a change with all other elements and the file, stores it with its line of the audit log, and puts it in force here. Throws a
 * GatewayError with every problem, or a StoreConflict where the element has another version by now.
 */
export async function makeChange(elements: ConfigurationElements, asked: MadeChange): Promise<JudgedChange> {
  for (let attempt = 1; ; attempt += 1) {
    await elements.refresh();
    const { judged, next, newest, revision } = await judge(elements, asked);
    if (isMadeAlready(asked, next, newest)) return judged;
    requireVersion(asked, newest);
    if (judged.problems.length > 0) throw invalidRequest(sentenceOf(judged.problems), "value");
    if (next === (newest?.value ?? null) || (next !== null && Bun.deepEquals(next, newest?.value))) return judged;
    const { kind, id, action, note } = asked;
    const version = (newest?.version ?? 0) + 1;
    const made = { kind, id, version, action, value: next, changed_by: note.actor.name };
    const before = newest === null ? null : { version: newest.version, value: newest.value };
    const audit = { ...note, object: { kind, id }, account_id: null, before, after: { version, value: next } };
    try {
      await elements.store.changeElement(made, revision, audit);
    } catch (thrown) {
      if (!(thrown instanceof StoreConflict) || attempt === ATTEMPTS) throw thrown;
      continue;
    }
    await elements.load();
    return { ...judged, version };
  }
}

async function judge(elements: ConfigurationElements, asked: AskedChange, also: readonly GivenElement[] = []) {
  const { state, vendors } = elements;
  const views = viewsOf(elements);
  const made = await nextValue(elements, views, asked);
  const next = "value" in made ? made.value : null;
  const key = nameKey(asked);
  const newest = state.versions.get(key) ?? null;
  const { kind, id } = asked;
  const others = elementsIn(state.versions.values()).filter((each) => nameKey(each) !== key);
  const rest = others.filter((each) => !state.left_out.has(nameKey(each)));
  const left_out = others.filter((each) => state.left_out.has(nameKey(each)));
  const withheld = new Set(left_out.flatMap((each) => (each.kind === "model" ? [each.id] : [])));
  const laid = next === null ? rest : [...rest, { kind, id, value: next }, ...also];
  const beside = { withheld, credentialed: elements.credentialed() };
  const { loaded, problems } =
    "problem" in made
      ? { loaded: null, problems: [made.problem] }
      : judgeElements(await elements.inputFor(laid), laid, beside);
  const usable = problems.length > 0 || loaded === null ? null : await elements.orFirstRun(loaded);
  const { given } = vendors.sources;
  const after =
    usable === null
      ? views.current
      : withGivenCredentials(
          { ...usable, configuration: reloadable(views.current, usable.configuration).configuration },
          given,
        );
  const shown_before = inForce(views.current, asked, newest?.value ?? null);
  const shown_after = usable === null ? null : inForce(after, asked, next);
  const judged: JudgedChange = {
    ...{ kind, id, version: newest?.version ?? 0, before: shown_before, after: shown_after, problems },
    differences: usable === null ? [] : differencesOf(shown_before ?? undefined, shown_after ?? undefined),
    effect: configurationChanges(views.current, after),
    warnings: warningsOf(views.current, after),
  };
  return { judged, next, newest, after, revision: state.revision };
}

/** Whether the newest version is this very change: a repeat of a call whose answer was lost. */
function isMadeAlready(
  { version, action, note }: MadeChange,
  next: ElementValue | null,
  newest: ElementVersion | null,
) {
  if (newest === null || newest.version !== version + 1) return false;
  return newest.action === action && newest.changed_by === note.actor.name && Bun.deepEquals(newest.value, next);
}

function requireVersion(asked: MadeChange, newest: ElementVersion | null): void {
  const { version } = asked;
  const has = newest?.version ?? 0;
  if (version === has) return;
  const by = newest === null ? "" : `, made by ${newest.changed_by} at ${new Date(newest.changed_ms).toISOString()}`;
  const message = `The ${wordOf(asked)} has version ${has} by now${by}, and this change was made of version ${version}. Read it again.`;
  throw new StoreConflict(message);
}

/** All problems as one text: a line for each. */
function sentenceOf(problems: readonly Problem[]): string {
  return problems.map(messageOf).join("\n");
}

/** Effects of a change that an administrator would not expect. */
function warningsOf(before: Configuration, after: Configuration): string[] {
  const warnings: string[] = [];
  for (const [id, vendor] of after.vendors) {
    const was = before.vendors.get(id);
    if (was === undefined || !hasCredential(was) || hasCredential(vendor)) continue;
    const where = originsOf(vendor).join(", ");
    warnings.push(
      `The vendor '${id}' would have no credential: its requests go to ${where}, and a credential stays with the servers that it was given for. Set one after the change.`,
    );
  }
  if (before.models.size > 0 && after.models.size === 0) warnings.push("No model would be offered any more.");
  return warnings;
}

function hasCredential({ api_key, aws }: Vendor): boolean {
  return api_key !== null || aws !== undefined;
}
