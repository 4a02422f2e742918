import { FieldError } from "../../kit/field.tsx";
import { Input, Select } from "../../kit/input.tsx";
import { Checkbox } from "../../kit/toggle.tsx";
import { useProblem } from "./field-problems.tsx";
import type { FormProps, PartProps } from "./limits-form.tsx";
import { countOf, objectOf, partWithField, textOf, textsOf, type Value, withField } from "./value.ts";

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
export const TIMEOUTS = [
  { name: "connect", label: "Connect", otherwise: "3s" },
  { name: "first_byte", label: "First byte", otherwise: "2m" },
  { name: "idle", label: "Between chunks", otherwise: "1m" },
  { name: "total", label: "Total", otherwise: "30m" },
] as const;

/** A vendor's addresses, protocols and timeouts. Headers and rarer fields are in the text. */
export function VendorForm({ value, effective, onChange }: FormProps) {
  const set = (name: string, next: unknown) => onChange(withField(value, name, next));
  const problem = useProblem();
  const protocols = textsOf(value.protocol);
  const by_protocol = typeof value.base_url === "object";
  return (
    <div className="space-y-5">
      <Input
        label="Name"
        optional
        value={textOf(value, "name")}
        placeholder={textOf(effective, "name")}
        error={problem("name")}
        onChange={(event) => set("name", event.target.value)}
      />
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
          value={textOf(value, "base_url")}
          placeholder={textOf(effective, "base_url") || "https://api.acme.example/v1"}
          error={problem("base_url")}
          help="Ends with the version, such as /v1. For one address per protocol, edit as text."
          onChange={(event) => set("base_url", event.target.value.trim())}
        />
      )}
      <Timeouts value={value} effective={effective} onChange={(next) => set("timeouts", next)} />
      <VendorLimits value={value} effective={effective} onChange={(next) => set("limits", next)} />
      <Select
        label="On client disconnect"
        value={textOf(value, "on_disconnect")}
        options={[
          { value: "", label: "Default: end the call if nothing is lost" },
          { value: "abort", label: "End the call at once" },
          { value: "drain", label: "Read the answer to its end" },
        ]}
        onChange={(event) => set("on_disconnect", event.target.value)}
      />
    </div>
  );
}

function Addresses({ value, onChange }: { value: Value; onChange: (next: Value) => void }) {
  const urls = objectOf(value.base_url);
  const problem = useProblem();
  const names = [...new Set([...Object.keys(urls), ...textsOf(value.protocol)])];
  return (
    <div className="space-y-4">
      {names.map((protocol) => (
        <Input
          key={protocol}
          label={`Address for ${protocol}`}
          mono
          value={textOf(urls, protocol)}
          error={problem(`base_url.${protocol}`)}
          onChange={(event) => onChange(withField(urls, protocol, event.target.value.trim()))}
        />
      ))}
    </div>
  );
}

const LIMITS = [
  { name: "spend", label: "Spend", placeholder: "100/day" },
  { name: "rpm", label: "Requests per minute", placeholder: "" },
  { name: "tpm", label: "Tokens per minute", placeholder: "" },
  { name: "concurrent", label: "Concurrent requests", placeholder: "" },
] as const;

function VendorLimits({ value, onChange }: PartProps) {
  const limits = objectOf(value.limits);
  const problem = useProblem();
  return (
    <fieldset>
      <legend className="text-[0.9rem] font-medium">Limits</legend>
      <p className="mb-1.5 text-[0.83rem] text-ink-soft">
        By the vendor’s prices, such as 100/day. A vendor that has reached one is passed over.
      </p>
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        {LIMITS.map(({ name, label, placeholder }) => (
          <Input
            key={name}
            label={label}
            value={textOf(limits, name)}
            placeholder={placeholder}
            error={problem(`limits.${name}`)}
            onChange={(event) =>
              onChange(
                partWithField(limits, name, name === "spend" ? event.target.value.trim() : countOf(event.target.value)),
              )
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

function Timeouts({ value, effective, onChange }: PartProps) {
  const timeouts = objectOf(value.timeouts);
  const known = objectOf(effective.timeouts);
  const problem = useProblem();
  return (
    <fieldset>
      <legend className="text-[0.9rem] font-medium">Timeouts</legend>
      <p className="mb-1.5 text-[0.83rem] text-ink-soft">Such as 500ms, 30s or 2m. Defaults are in gray.</p>
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        {TIMEOUTS.map(({ name, label, otherwise }) => (
          <Input
            key={name}
            label={label}
            value={textOf(timeouts, name)}
            placeholder={textOf(known, name) || otherwise}
            error={problem(`timeouts.${name}`)}
            onChange={(event) => onChange(partWithField(timeouts, name, event.target.value.trim()))}
          />
        ))}
      </div>
    </fieldset>
  );
}
