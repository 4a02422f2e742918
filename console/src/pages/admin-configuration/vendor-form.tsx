import { FieldError } from "../../kit/field.tsx";
import { Input, Select } from "../../kit/input.tsx";
import { optionsOf } from "../../kit/options.ts";
import { Checkbox } from "../../kit/toggle.tsx";
import { useFields, useProblem } from "./field-problems.tsx";
import type { ElementFormProps, PartProps } from "./limits-form.tsx";
import { countOf, objectOf, orNothing, textOf, textsOf, trimmed, type Value, withField } from "./value.ts";

const PROTOCOLS = [
  "chat-completions",
  "responses",
  "messages",
  "gemini",
  "bedrock-converse",
  "rerank",
  "decisions",
  "systemone",
] as const;

/** A vendor's timeouts, with the defaults of one that Camino does not know (src/catalog/reading/vendor-defaults.ts). */
const TIMEOUTS = [
  { name: "connect", label: "Connect", otherwise: "3s" },
  { name: "first_byte", label: "First byte", otherwise: "2m" },
  { name: "idle", label: "Between chunks", otherwise: "1m" },
  { name: "total", label: "Total", otherwise: "30m" },
] as const;

/** A vendor's addresses, protocols and timeouts. Headers and rarer fields are in the text. */
export function VendorForm({ value, effective, onChange }: ElementFormProps) {
  const set = (name: string, next: unknown) => onChange(withField(value, name, next));
  const problem = useProblem();
  const field = useFields({ value, effective, onChange });
  const choice = useFields({ value, onChange });
  const protocols = textsOf(value.protocol);
  const by_protocol = typeof value.base_url === "object";
  return (
    <div className="space-y-5">
      <Input label="Name" optional {...field("name")} />
      <fieldset>
        <legend className="mb-1.5 text-[0.9rem] font-medium">Protocols</legend>
        <div className="grid gap-2 sm:grid-cols-2">
          {PROTOCOLS.map((protocol) => (
            <Checkbox
              key={protocol}
              label={protocol}
              checked={protocols.includes(protocol)}
              onChange={(on) => {
                const next = on ? [...protocols, protocol] : protocols.filter((each) => each !== protocol);
                set("protocol", next);
              }}
            />
          ))}
        </div>
        <p className="mt-1.5 text-[0.83rem] text-ink-soft">
          The first that suits a request is preferred. Default: what Camino knows about the vendor.
        </p>
        <FieldError>{problem("protocol")}</FieldError>
      </fieldset>
      {by_protocol ? (
        <Addresses value={value} onChange={(next) => set("base_url", next)} />
      ) : (
        <Input
          label="Address"
          mono
          {...field("base_url", trimmed)}
          placeholder={textOf(effective, "base_url") || "https://api.acme.example/v1"}
          help="Ends with the version, such as /v1. For one address per protocol, edit as text."
        />
      )}
      <Timeouts value={value} effective={effective} onChange={(next) => set("timeouts", next)} />
      <VendorLimits value={value} effective={effective} onChange={(next) => set("limits", next)} />
      <Select
        label="On client disconnect"
        options={optionsOf({
          "": "Default: end the call if nothing is lost",
          abort: "End the call at once",
          drain: "Read the answer to its end",
        })}
        {...choice("on_disconnect")}
      />
    </div>
  );
}

function Addresses({ value, onChange }: { value: Value; onChange: (next: Value) => void }) {
  const urls = objectOf(value.base_url);
  const field = useFields({ value: urls, part: "base_url", onChange });
  const names = [...new Set([...Object.keys(urls), ...textsOf(value.protocol)])];
  return (
    <div className="space-y-4">
      {names.map((protocol) => (
        <Input key={protocol} label={`Address for ${protocol}`} mono {...field(protocol, trimmed)} />
      ))}
    </div>
  );
}

const LIMITS = [
  { name: "spend", label: "Spend", placeholder: "100/day", read: trimmed },
  { name: "rpm", label: "Requests per minute", placeholder: "", read: countOf },
  { name: "tpm", label: "Tokens per minute", placeholder: "", read: countOf },
  { name: "concurrent", label: "Concurrent requests", placeholder: "", read: countOf },
] as const;

function VendorLimits({ value, onChange }: PartProps) {
  const limits = objectOf(value.limits);
  const field = useFields({ value: limits, part: "limits", onChange: (next) => onChange(orNothing(next)) });
  return (
    <fieldset>
      <legend className="text-[0.9rem] font-medium">Limits</legend>
      <p className="mb-1.5 text-[0.83rem] text-ink-soft">
        By the vendor’s prices, such as 100/day. A vendor that has reached one is passed over.
      </p>
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        {LIMITS.map(({ name, label, placeholder, read }) => (
          <Input key={name} label={label} placeholder={placeholder} {...field(name, read)} />
        ))}
      </div>
    </fieldset>
  );
}

function Timeouts({ value, effective, onChange }: PartProps) {
  const field = useFields({
    value: objectOf(value.timeouts),
    part: "timeouts",
    onChange: (next) => onChange(orNothing(next)),
  });
  const known = objectOf(effective.timeouts);
  return (
    <fieldset>
      <legend className="text-[0.9rem] font-medium">Timeouts</legend>
      <p className="mb-1.5 text-[0.83rem] text-ink-soft">Such as 500ms, 30s or 2m. Defaults are in gray.</p>
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        {TIMEOUTS.map(({ name, label, otherwise }) => (
          <Input key={name} label={label} placeholder={textOf(known, name) || otherwise} {...field(name, trimmed)} />
        ))}
      </div>
    </fieldset>
  );
}
